"""Selects a game or version by what the user typed. Pure: no I/O."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

import msgspec

from playdock_client.errors import ClientError
from playdock_client.names import casefolded
from playdock_client.responses import VersionInfo
from playdock_client.wording import size

_T = TypeVar("_T")
# A ratio of difflib: at least three of five characters match.
_MIN_SIMILARITY, _MAX_SUGGESTIONS = 0.6, 3
_FIELDS_OF_COMMANDS = (("launch", "launch_args"), ("setup", "setup_args"), ("compat_id",))


class NoMatch(ClientError):
    """Nothing has that name."""


class AmbiguousMatch(ClientError):
    """Several things match; the message lists them."""


def find_one(
    query: str,
    among: Sequence[_T],
    *,
    name: Callable[[_T], str],
    key: Callable[[_T], str],
    label: Callable[[_T], str],
    absent: str = "There is no game “{}”.",
) -> _T:
    """Return the item with this id or else this name, ignoring case. The error suggests similar names.

    ``key`` returns the id of an item, ``label`` its name with what distinguishes it from others. ``absent`` is the
    error if there is none.

    Raises NoMatch, AmbiguousMatch.
    """
    normalized = casefolded(query)
    matches = [each for each in among if key(each) == query]
    matches = matches or [each for each in among if casefolded(name(each)) == normalized]
    if not matches:
        raise NoMatch(absent.format(query) + _suggestion(normalized, [name(each) for each in among]))
    if len(matches) > 1:
        choices = "; ".join(label(each) for each in matches)
        raise AmbiguousMatch(f"“{query}” is ambiguous: {choices}. Use the id or folder shown in parentheses.")
    return matches[0]


def _suggestion(normalized: str, names: Sequence[str]) -> str:
    """Return a question with the most similar names, or an empty text if none is similar."""
    similarity = {each: SequenceMatcher(None, normalized, casefolded(each)).ratio() for each in names}
    similar = [each for each in similarity if normalized in casefolded(each) or similarity[each] >= _MIN_SIMILARITY]
    best = sorted(similar, key=lambda each: -similarity[each])[:_MAX_SUGGESTIONS]
    return f" Did you mean {' or '.join(f'“{each}”' for each in best)}?" if best else ""


def choose_version(
    versions: Sequence[VersionInfo], *, query: str | None = None, platforms: Sequence[str]
) -> VersionInfo:
    """Return the version with this name, title or id, or else the newest one for the first platform that has any.

    ``versions`` are sorted, oldest first. Commands that a delta does not define are those of its base.

    Raises NoMatch.
    """
    matching = [each for each in versions if query is None or query in (each.id, each.name, each.title)]
    for platform in platforms:
        for version in reversed(matching):
            if version.platform == platform:
                return with_commands(version, versions)
    if not versions:
        raise NoMatch("The server has no version of this game yet.")
    available = ", ".join(describe(each) for each in versions)
    request = f"version “{query}”" if query else "version"
    raise NoMatch(f"There is no {request} for {' or '.join(platforms)}. Available: {available}.")


def with_commands(version: VersionInfo, versions: Sequence[VersionInfo]) -> VersionInfo:
    """Return the version with commands it does not define taken from its bases, the nearest first."""
    # Each version is removed when visited, so a cycle in the server's data cannot cause an endless loop.
    by_id = {each.id: each for each in versions}
    base = by_id.pop(version.base_id or "", None)
    while base is not None:
        for command, *more in _FIELDS_OF_COMMANDS:
            if not getattr(version, command):
                copied = {field: getattr(base, field) for field in (command, *more)}
                version = msgspec.structs.replace(version, **copied)
        base = by_id.pop(base.base_id or "", None)
    return version


def describe(version: VersionInfo) -> str:
    return f"{version.title} ({version.platform}, {size(version.installed_size)})"
