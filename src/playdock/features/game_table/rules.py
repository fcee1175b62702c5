"""Pure decisions of the table of games: how it is sorted, and its cursors."""

from datetime import datetime
from enum import StrEnum

from playdock.kit import cursors
from playdock.kit.cursors import CursorPosition


class GameSort(StrEnum):
    """What the table is sorted by."""

    NAME = "name"
    SIZE = "size"
    NEWEST = "newest"

    @property
    def descending(self) -> bool:
        return self is not GameSort.NAME


class GameState(StrEnum):
    """A state of a game that the database knows."""

    FEATURED = "featured"
    DAMAGED = "damaged"
    NO_VERSIONS = "noVersions"


_TYPES: dict[GameSort, type] = {GameSort.NAME: str, GameSort.SIZE: int, GameSort.NEWEST: datetime}


def write_cursor(sort: GameSort, position: CursorPosition) -> str:
    return cursors.write_cursor((sort,), position)


def read_cursor(text: str, sort: GameSort) -> CursorPosition:
    """Return the position that a cursor contains. Raises CursorInvalid, also if it is of another order."""
    return cursors.read_cursor(text, (sort,), kind=_TYPES[sort])
