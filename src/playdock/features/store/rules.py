"""Pure decisions of the store: what a listing is sorted by, and what its cursors say."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import msgspec

from playdock.kit.clock import as_utc


class Sort(StrEnum):
    """What games are sorted by; those of which it is not known come last."""

    NAME = "name"
    NEWEST = "newest"
    UPDATED = "updated"
    RELEASED = "released"
    RATING = "rating"
    RELEVANCE = "relevance"


class Order(StrEnum):
    """Rising or falling."""

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


@dataclass(frozen=True, slots=True)
class Filters:
    """Which games are wanted: with all of the tags, made or published by a company, for a platform, among some."""

    tags: frozenset[str] = frozenset()
    company: str = ""
    platform: str = ""
    games: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Sorting:
    """What a listing is sorted by, and in which direction."""

    sort: Sort
    order: Order

    @classmethod
    def chosen(cls, sort: Sort | None, order: Order | None, *, searching: bool) -> "Sorting":
        """Choose what was left open. What is found is best first, whatever order is asked for."""
        wanted = sort or Sort.RELEVANCE
        if wanted is Sort.RELEVANCE:
            return cls(wanted, Order.ASC) if searching else cls(Sort.NEWEST, Order.DESC)
        return cls(wanted, order or (Order.ASC if wanted is Sort.NAME else Order.DESC))

    @property
    def falling(self) -> bool:
        return self.order is Order.DESC


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page ended: the value that its last game is sorted by, None if it has none, and the game's id."""

    value: Any
    game_id: str


class CursorUnreadable(Exception):
    """A cursor that this listing did not give."""


def write_cursor(sorting: Sorting, place: Place) -> str:
    """Write where the next page begins, as text that fits an address."""
    written = msgspec.json.encode((sorting.sort, sorting.order, place.value, place.game_id))
    return urlsafe_b64encode(written).rstrip(b"=").decode()


def read_cursor(text: str, sorting: Sorting) -> Place:
    """Read where a page begins.

    Raises:
        CursorUnreadable: it was made for something else, or by somebody else.
    """
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        sort, order, value, game_id = msgspec.json.decode(urlsafe_b64decode(padded), type=tuple[Sort, Order, Any, str])
        known = msgspec.convert(value, _KINDS[sort])
    except ValueError:
        raise CursorUnreadable from None
    if Sorting(sort, order) != sorting or "\0" in f"{value}{game_id}":
        raise CursorUnreadable
    return Place(as_utc(known) if isinstance(known, datetime) else known, game_id)


def following(places: Sequence[Place], after: Place | None) -> Sequence[Place]:
    """Give what comes behind a place, of places in rising order."""
    if after is None:
        return places
    return [place for place in places if (place.value, place.game_id) > (after.value, after.game_id)]
