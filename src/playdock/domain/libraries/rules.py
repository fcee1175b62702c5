"""Pure decisions about what libraries contain."""

import glob
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from fnmatch import translate
from functools import lru_cache

from msgspec import Struct, structs

from playdock.stored import LibraryRules

MAX_IGNORED = 1000
"""The largest number of patterns of a library."""

# How `glob.escape` writes characters that have a meaning in patterns.
_ESCAPED = re.compile(r"\[([*?[])\]")


class _Patterns(Struct, frozen=True):
    """Ignore patterns, ignoring case: names without wildcards in lower case, and regular expressions of the others.

    ``versions`` are those of games, which are in lower case too. ``wild_versions`` match ``GAME/VERSION``.
    """

    names: AbstractSet[str]
    versions: Mapping[str, AbstractSet[str]]
    wild_names: re.Pattern[str]
    wild_versions: re.Pattern[str]

    def match(self, name: str, game: str) -> bool:
        lower = name.lower()
        if lower in self.names or self.wild_names.match(name):
            return True
        is_named = lower in self.versions.get(game.lower(), ())
        return is_named or bool(game and self.wild_versions.match(f"{game}/{name}"))


@lru_cache(maxsize=64)
def _patterns(ignore: tuple[str, ...]) -> _Patterns:
    names: set[str] = set()
    versions: dict[str, set[str]] = defaultdict(set)
    wild: list[str] = []
    for pattern in ignore:
        literal = _ESCAPED.sub(r"\1", pattern)
        game, slash, version = literal.lower().partition("/")
        if glob.escape(literal) != pattern:
            wild.append(pattern)
        elif slash:
            versions[game].add(version)
        else:
            names.add(game)
    return _Patterns(
        names,
        dict(versions),
        _regular(each for each in wild if "/" not in each),
        _regular(each for each in wild if "/" in each),
    )


def _regular(patterns: Iterable[str]) -> re.Pattern[str]:
    # Without patterns, nothing matches.
    return re.compile("|".join(map(translate, patterns)) or r"(?!)", re.IGNORECASE)


def not_ignored(names: Iterable[str], rules: LibraryRules, *, game: str = "") -> list[str]:
    """Return the names of folders and archives that match no ignore pattern, ignoring case.

    With the name of a ``game``, they are those of its versions: patterns with a slash match its name, a slash and the
    name of the version.
    """
    if not rules.ignore:
        return list(names)
    patterns = _patterns(rules.ignore)
    return [name for name in names if not patterns.match(name, game)]


def has_ignored_versions(rules: LibraryRules, game: str) -> bool:
    """Return whether a pattern without wildcards names a version of a game."""
    return bool(rules.ignore) and game.lower() in _patterns(rules.ignore).versions


def ignoring(rules: LibraryRules, game: str, version: str = "") -> LibraryRules:
    """Return rules that also ignore a version of a game, or without the name of a version the whole game."""
    pattern = _pattern_of(game, version)
    return rules if pattern in rules.ignore else structs.replace(rules, ignore=(*rules.ignore, pattern))


def offering(rules: LibraryRules, game: str, version: str = "") -> LibraryRules:
    """Return rules without the pattern that `ignoring` adds."""
    pattern = _pattern_of(game, version)
    return structs.replace(rules, ignore=tuple(each for each in rules.ignore if each != pattern))


def _pattern_of(game: str, version: str) -> str:
    return glob.escape(f"{game}/{version}" if version else game)
