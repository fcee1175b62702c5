"""Operations of the store."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from threading import Lock
from typing import Any, TypeVar, cast

from cachetools import LRUCache
from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.games.errors import GameUnknown
from playdock.domain.search.rules import SearchTerms, ranked
from playdock.features.store import queries, rules
from playdock.features.store.queries import Card, CompanyUse, GameDetailsRow, TagUse
from playdock.features.store.rules import Filters, Sort, Sorting, sees_all
from playdock.features.store.schemas import StoreQuery
from playdock.kit.cursors import CursorInvalid, CursorPosition
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

# Of the filters that people have chosen, and the lists of tags and companies.
_MAX_COUNTS = 1000
_Counted = TypeVar("_Counted")


class GameListing(Struct, frozen=True):
    """A page of games, their total number, and the cursor of the next page, None on the last page."""

    cards: Sequence[Card]
    total: int
    next: str | None


class CountCache:
    """Numbers of games, which take long to count in a large store, until they change. All methods are thread-safe."""

    def __init__(self) -> None:
        self._values = LRUCache[Hashable, tuple[int, Any]](_MAX_COUNTS)
        self._lock = Lock()

    def get(self, session: Session, key: Hashable, count: Callable[[], _Counted]) -> _Counted:
        """Return what ``count`` returns in a transaction, counting only if that may have changed."""
        current = queries.revision(session)
        with self._lock:
            revision, known = self._values.get(key, (-1, None))
        if revision == current:
            return cast("_Counted", known)
        counted = count()
        with self._lock:
            self._values[key] = current, counted
        return counted


class Store(Struct, frozen=True):
    """Operations of the store."""

    db: Database
    counts: CountCache = field(default_factory=CountCache)

    def listing(self, actor: Actor, query: StoreQuery) -> GameListing:
        """Return a page of games, searched, filtered and sorted.

        Raises:
            InvalidInput: the cursor is not from this listing.
        """
        actor.require(Permission.STORE_READ)
        sorting = Sorting.chosen(query.sort or None, query.order or None, searching=bool(query.q.strip()))
        after = _read_cursor(query.after, sorting)
        with self.db.read() as session:
            found = self._matches(session, query, _filters(query, actor), sorting, after)
            page = found.positions[: query.limit]
            cards = queries.cards(session, [position.id for position in page])
        more = len(found.positions) > query.limit
        return GameListing(cards, found.total, rules.write_cursor(sorting, page[-1]) if more else None)

    def featured(self, actor: Actor) -> Sequence[Card]:
        actor.require(Permission.STORE_READ)
        with self.db.read() as session:
            return queries.cards(session, queries.featured(session, playable=not sees_all(actor)))

    def page(self, actor: Actor, game_id: str) -> GameDetailsRow:
        """Return everything about a game.

        Raises:
            GameUnknown: no game has this id, or it has no version and the caller is a player.
        """
        actor.require(Permission.STORE_READ)
        with self.db.read() as session:
            found = queries.page(session, game_id)
        if found is None or not (found.versions or sees_all(actor)):
            raise GameUnknown
        return found

    def tags(self, actor: Actor) -> Sequence[TagUse]:
        actor.require(Permission.STORE_READ)
        playable = not sees_all(actor)
        with self.db.read() as session:
            counted = partial(queries.tags_in_use, session, playable=playable)
            return self.counts.get(session, ("tags", playable), counted)

    def companies(self, actor: Actor) -> Sequence[CompanyUse]:
        actor.require(Permission.STORE_READ)
        playable = not sees_all(actor)
        with self.db.read() as session:
            counted = partial(queries.companies_in_use, session, playable=playable)
            return self.counts.get(session, ("companies", playable), counted)

    def _matches(
        self, session: Session, query: StoreQuery, filters: Filters, sorting: Sorting, after: CursorPosition | None
    ) -> "_Matches":
        limit = query.limit + 1
        if not query.q.strip():
            total = self._count(session, filters)
            return _Matches(queries.positions(session, filters, sorting, total=total, after=after, limit=limit), total)
        terms = SearchTerms.of(query.q)
        ranking = ranked(terms, queries.candidates(session, terms, filters, are_few=self._are_few(session, filters)))
        hits = [CursorPosition(hit.key, hit.game_id) for hit in ranking]
        if sorting.sort is Sort.RELEVANCE:
            return _Matches(rules.following(hits, after)[:limit], len(hits))
        found = Filters(games=frozenset(hit.id for hit in hits))
        positions = queries.positions(session, found, sorting, total=len(hits), after=after, limit=limit)
        return _Matches(positions, len(hits))

    def _are_few(self, session: Session, filters: Filters) -> bool:
        """Return whether few games pass filters that somebody has chosen; nearly all pass the others."""
        is_chosen = bool(filters.tags or filters.company or filters.platform)
        return is_chosen and self._count(session, filters) <= queries.MAX_SORTED

    def _count(self, session: Session, filters: Filters) -> int:
        return self.counts.get(session, filters, partial(queries.count, session, filters))


class _Matches(Struct, frozen=True):
    """The positions of a page and, if there is one, of the next game; and the total number of games."""

    positions: Sequence[CursorPosition]
    total: int


def _read_cursor(cursor: str, sorting: Sorting) -> CursorPosition | None:
    if not cursor:
        return None
    try:
        return rules.read_cursor(cursor, sorting)
    except CursorInvalid:
        raise InvalidInput([FieldError("after", Message("other-listing"))]) from None


def _filters(query: StoreQuery, actor: Actor) -> Filters:
    tags = frozenset(filter(None, map(str.strip, query.tag.split(","))))
    return Filters(tags, query.company, query.platform or "", playable=not sees_all(actor))
