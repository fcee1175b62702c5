"""Showing the store."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.games.errors import GameUnknown
from playdock.features.search.rules import Asked, ranked
from playdock.features.store import queries, rules
from playdock.features.store.queries import Card, CompanyUse, Page, TagUse
from playdock.features.store.rules import CursorUnreadable, Filters, Place, Sort, Sorting
from playdock.features.store.schemas import StoreQuery
from playdock.kit.errors import Fault, InvalidInput


@dataclass(frozen=True, slots=True)
class Listing:
    """Some games, how many there are in all, and the cursor of the next page if there is one."""

    cards: Sequence[Card]
    total: int
    next: str | None


@dataclass(frozen=True, slots=True)
class Store:
    """The store as players see it."""

    db: Database

    def listing(self, actor: Actor, wanted: StoreQuery) -> Listing:
        """Give a page of games, searched, filtered and sorted as it is wanted.

        Raises:
            InvalidInput: the cursor is not one of such a listing.
        """
        actor.require(Acl.STORE_READ)
        sorting = Sorting.chosen(wanted.sort or None, wanted.order or None, searching=bool(wanted.q.strip()))
        after = _place(wanted.after, sorting)
        with self.db.read() as session:
            found = _found(session, wanted, sorting, after)
            shown = found.places[: wanted.limit]
            cards = queries.cards(session, [place.game_id for place in shown])
        more = len(found.places) > wanted.limit
        return Listing(cards, found.total, rules.write_cursor(sorting, shown[-1]) if more else None)

    def featured(self, actor: Actor) -> Sequence[Card]:
        actor.require(Acl.STORE_READ)
        with self.db.read() as session:
            return queries.cards(session, queries.featured(session))

    def page(self, actor: Actor, game_id: str) -> Page:
        """Give all there is to know of a game.

        Raises:
            GameUnknown: there is no such game.
        """
        actor.require(Acl.STORE_READ)
        with self.db.read() as session:
            found = queries.page(session, game_id)
        if found is None:
            raise GameUnknown
        return found

    def tags(self, actor: Actor) -> Sequence[TagUse]:
        actor.require(Acl.STORE_READ)
        with self.db.read() as session:
            return queries.tags_in_use(session)

    def companies(self, actor: Actor) -> Sequence[CompanyUse]:
        actor.require(Acl.STORE_READ)
        with self.db.read() as session:
            return queries.companies_in_use(session)


@dataclass(frozen=True, slots=True)
class _Found:
    """The places of a page, and of one more game if there is one; and how many games there are in all."""

    places: Sequence[Place]
    total: int


def _place(cursor: str, sorting: Sorting) -> Place | None:
    if not cursor:
        return None
    try:
        return rules.read_cursor(cursor, sorting)
    except CursorUnreadable:
        detail = "This is no cursor of this listing. Give the `next` of its last page, with the same sort and order."
        raise InvalidInput([Fault("after", detail)]) from None


def _found(session: Session, wanted: StoreQuery, sorting: Sorting, after: Place | None) -> _Found:
    filters, most = _filters(wanted), wanted.limit + 1
    if not wanted.q.strip():
        places = queries.places(session, filters, sorting, after=after, most=most)
        return _Found(places, queries.count(session, filters))
    asked = Asked.of(wanted.q)
    hits = [Place(hit.key, hit.game_id) for hit in ranked(asked, queries.candidates(session, asked, filters))]
    if sorting.sort is Sort.RELEVANCE:
        return _Found(rules.following(hits, after)[:most], len(hits))
    found = Filters(games=frozenset(hit.game_id for hit in hits))
    return _Found(queries.places(session, found, sorting, after=after, most=most), len(hits))


def _filters(wanted: StoreQuery) -> Filters:
    tags = frozenset(filter(None, map(str.strip, wanted.tag.split(","))))
    return Filters(tags, wanted.company, wanted.platform or "")
