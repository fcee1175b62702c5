"""Pure decisions of the table of games: how it is sorted, and what its cursors contain."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from playdock.kit.clock import as_utc


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
# Sizes are 64-bit integers; SQLite raises on a larger parameter.
_MAX_SIZE = 2**63 - 1


class TablePosition(Struct, frozen=True):
    """The last row of a page: the value that it is sorted by, and the game's id."""

    value: Any
    game_id: str


class InvalidCursor(Exception):
    """A cursor that does not belong to this listing."""


def write_cursor(sort: GameSort, position: TablePosition) -> str:
    """Return the position as text that needs no escapes in a URL."""
    written = msgspec.json.encode((sort, position.value, position.game_id))
    return urlsafe_b64encode(written).rstrip(b"=").decode()


def read_cursor(text: str, sort: GameSort) -> TablePosition:
    """Return the position that a cursor contains.

    Raises:
        InvalidCursor: It was not written by `write_cursor`, or for another sort.
    """
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        written, value, game_id = msgspec.json.decode(urlsafe_b64decode(padded), type=tuple[GameSort, Any, str])
        if written is not sort:
            raise InvalidCursor
        known: Any = msgspec.convert(value, _TYPES[sort])
    except ValueError:
        raise InvalidCursor from None
    if "\0" in f"{known}{game_id}" or (isinstance(known, int) and abs(known) > _MAX_SIZE):
        raise InvalidCursor
    return TablePosition(as_utc(known) if isinstance(known, datetime) else known, game_id)
