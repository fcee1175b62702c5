"""Pure decisions of the store: who sees what, sort orders and cursors."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.kit import cursors
from playdock.kit.cursors import CursorPosition


def sees_all(actor: Actor) -> bool:
    """Return whether someone sees games without a version too, as those who import and edit them do."""
    return actor.may(Permission.GAME_READ)


class Sort(StrEnum):
    """The sort orders of games; games without the value come last."""

    NAME = "name"
    NEWEST = "newest"
    UPDATED = "updated"
    RELEASED = "released"
    RATING = "rating"
    RELEVANCE = "relevance"


class Order(StrEnum):
    """Ascending or descending."""

    ASC = "asc"
    DESC = "desc"


_KINDS: Mapping[Sort, Any] = {
    Sort.NAME: str,
    Sort.NEWEST: datetime,
    Sort.UPDATED: datetime | None,
    Sort.RELEASED: date | None,
    Sort.RATING: float | None,
    Sort.RELEVANCE: str,
}


class Filters(Struct, frozen=True):
    """Conditions on games: all of the tags, a company, a platform, any version, and optionally a set of ids."""

    tags: frozenset[str] = frozenset()
    company: str = ""
    platform: str = ""
    playable: bool = False
    games: frozenset[str] | None = None


class Sorting(Struct, frozen=True):
    """The sort order and direction of a listing."""

    sort: Sort
    order: Order

    @classmethod
    def chosen(cls, sort: Sort | None, order: Order | None, *, searching: bool) -> "Sorting":
        """Return the sorting with defaults. Sorting by relevance is always best first."""
        requested = sort or Sort.RELEVANCE
        if requested is Sort.RELEVANCE:
            return cls(requested, Order.ASC) if searching else cls(Sort.NEWEST, Order.DESC)
        return cls(requested, order or (Order.ASC if requested is Sort.NAME else Order.DESC))

    @property
    def descending(self) -> bool:
        return self.order is Order.DESC


def write_cursor(sorting: Sorting, position: CursorPosition) -> str:
    return cursors.write_cursor((sorting.sort, sorting.order), position)


def read_cursor(text: str, sorting: Sorting) -> CursorPosition:
    """Return the position that a cursor contains. Raises CursorInvalid, also if it is of another sorting."""
    return cursors.read_cursor(text, (sorting.sort, sorting.order), kind=_KINDS[sorting.sort])


def following(positions: Sequence[CursorPosition], after: CursorPosition | None) -> Sequence[CursorPosition]:
    """Return the positions after a position; ``positions`` are in ascending order."""
    if after is None:
        return positions
    return [position for position in positions if (position.value, position.id) > (after.value, after.id)]
