"""Pure decisions about what libraries contain."""

import glob
import re
from collections.abc import Iterable
from fnmatch import translate

from msgspec import structs

from playdock.stored import LibraryRules

# How `glob.escape` writes characters that have a meaning in patterns.
_ESCAPED = re.compile(r"\[([*?[])\]")


def not_ignored(names: Iterable[str], rules: LibraryRules, *, game: str = "") -> list[str]:
    """Return the names of folders and archives that match no ignore pattern, ignoring case.

    With the name of a ``game``, they are those of its versions: patterns with a slash match its name, a slash and the
    name of the version.
    """
    if not rules.ignore:
        return list(names)
    ignored, of_games = _compiled(rules.ignore), _compiled(each for each in rules.ignore if "/" in each)
    return [name for name in names if not (ignored.match(name) or (game and of_games.match(f"{game}/{name}")))]


def _compiled(patterns: Iterable[str]) -> re.Pattern[str]:
    # Without patterns, nothing matches.
    return re.compile("|".join(map(translate, patterns)) or r"(?!)", re.IGNORECASE)


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


def games_with_ignored_versions(rules: LibraryRules) -> set[str]:
    """Return the games, in lower case, that are named by patterns for versions; wildcards name none."""
    named = (pattern.partition("/")[0] for pattern in rules.ignore if "/" in pattern)
    return {game.lower() for each in named if glob.escape(game := _ESCAPED.sub(r"\1", each)) == each}
