"""Which game and which version is meant. Pure: words in, one choice or a sentence out."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

import msgspec

from playdock_client.answers import VersionInfo
from playdock_client.errors import ClientError
from playdock_client.wording import size

_T = TypeVar("_T")
_ALIKE, _MOST_PROPOSALS = 0.6, 3
_FIELDS_OF_COMMANDS = (("launch", "launch_args"), ("setup", "setup_args"), ("compat_id",))


class NothingMatches(ClientError):
    """There is nothing of that name."""


class SeveralMatch(ClientError):
    """A name fits several things; the sentence lists them."""


def the_one(
    wanted: str,
    among: Sequence[_T],
    *,
    name: Callable[[_T], str],
    key: Callable[[_T], str],
    telling: Callable[[_T], str],
) -> _T:
    """Give the one that has the id or else, in whatever case, the name; names that are only alike are proposed.

    ``key`` gives an id, ``telling`` how to name one so that no other is meant.

    Raises NothingMatches, SeveralMatch.
    """
    folded = wanted.casefold()
    found = [each for each in among if key(each) == wanted]
    found = found or [each for each in among if name(each).casefold() == folded]
    if not found:
        raise NothingMatches(f"There is no game “{wanted}” here.{_proposal(folded, [name(each) for each in among])}")
    if len(found) > 1:
        choices = "; ".join(telling(each) for each in found)
        raise SeveralMatch(f"“{wanted}” can be several: {choices}. Say which by what stands in brackets.")
    return found[0]


def _proposal(folded: str, names: Sequence[str]) -> str:
    """Ask whether one of the names was meant, the likeliest first; nothing if none is like it."""
    likeness = {each: SequenceMatcher(None, folded, each.casefold()).ratio() for each in names}
    alike = [each for each in likeness if folded in each.casefold() or likeness[each] >= _ALIKE]
    best = sorted(alike, key=lambda each: -likeness[each])[:_MOST_PROPOSALS]
    return f" Did you mean {' or '.join(f'“{each}”' for each in best)}?" if best else ""


def choose_version(
    versions: Sequence[VersionInfo], *, wanted: str | None = None, platforms: Sequence[str]
) -> VersionInfo:
    """Give the version of that name or id, else the newest for the first of the platforms that has any.

    ``versions`` are sorted, oldest first. What a delta leaves out of its commands is taken from what it lies over.

    Raises NothingMatches.
    """
    fitting = [each for each in versions if wanted is None or wanted in (each.id, each.name)]
    for platform in platforms:
        for version in reversed(fitting):
            if version.platform == platform:
                return with_commands(version, versions)
    if not versions:
        raise NothingMatches("The server has no version of this game yet.")
    there = ", ".join(describe(each) for each in versions)
    asked = f"version “{wanted}”" if wanted else "version"
    raise NothingMatches(f"There is no {asked} for {' or '.join(platforms)}. There are: {there}.")


def with_commands(version: VersionInfo, versions: Sequence[VersionInfo]) -> VersionInfo:
    """Complete a delta's commands by those of the versions that it lies over, the nearest first."""
    # Each is taken out when it is met: nothing that a server says leads round in a circle.
    by_id = {each.id: each for each in versions}
    below = by_id.pop(version.base_id or "", None)
    while below is not None:
        for command, *more in _FIELDS_OF_COMMANDS:
            if not getattr(version, command):
                taken = {field: getattr(below, field) for field in (command, *more)}
                version = msgspec.structs.replace(version, **taken)
        below = by_id.pop(below.base_id or "", None)
    return version


def describe(version: VersionInfo) -> str:
    return f"{version.name} ({version.platform}, {size(version.installed_size)})"
