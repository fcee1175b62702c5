"""Pure decisions about moved games."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

# A folder with so many of the sampled files is that of the game.
SAME_SHARE = 0.99


class Candidate(Protocol):
    """A folder, and the share of a game's sampled files found in it."""

    @property
    def folder(self) -> object: ...
    @property
    def share(self) -> float: ...


_Candidate = TypeVar("_Candidate", bound=Candidate)


def occurring(name: frozenset[str], among: frozenset[str]) -> float:
    """Return the share of a name's words that occur among others, 0 to 1."""
    return len(name & among) / (len(name) or 1)


def without_taken(found: Sequence[Sequence[_Candidate]]) -> list[list[_Candidate]]:
    """Leave out the candidates of each game that are the folder of another one, and less likely that of this one."""
    taken = {each.folder for candidates in found for each in candidates if each.share >= SAME_SHARE}
    return [
        [each for each in candidates if each.share >= SAME_SHARE or each.folder not in taken] for candidates in found
    ]
