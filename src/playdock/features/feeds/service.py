"""Reading the library feed."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.game_metadata.queries import CompleteGame, complete
from playdock.domain.games.errors import GameUnknown
from playdock.features.feeds import queries
from playdock.features.feeds.queries import FeedFilter
from playdock.features.feeds.schemas import FEED_ROLES, FeedQuery, FeedScope
from playdock.features.store.rules import Order, Sort, Sorting, read_cursor, write_cursor
from playdock.features.store.service import CountCache
from playdock.kit.cursors import CursorInvalid
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

_BY_NAME = Sorting(Sort.NAME, Order.ASC)


class FeedListing(Struct, frozen=True):
    """A page of games, their total number, and the cursor of the next page, None on the last page."""

    games: Sequence[CompleteGame]
    total: int
    next: str | None


class Feeds(Struct, frozen=True):
    """Operations on the library feed."""

    db: Database
    counts: CountCache = field(default_factory=CountCache)

    def listing(self, actor: Actor, query: FeedQuery) -> FeedListing:
        """Return a page of the games of a feed.

        Raises:
            InvalidInput: the cursor is not from a feed.
        """
        actor.require(Permission.STORE_READ)
        actor.require(Permission.COLLECTIONS_READ)
        try:
            after = read_cursor(query.after, _BY_NAME) if query.after else None
        except CursorInvalid:
            raise InvalidInput([FieldError("after", Message("other-listing"))]) from None
        wanted = FeedFilter(None if query.scope is FeedScope.ALL else actor.user.id, query.platform or "")
        with self.db.read() as session:
            found = queries.positions(session, wanted, after=after, limit=query.limit + 1)
            page = found[: query.limit]
            games = complete(session, [each.id for each in page], roles=FEED_ROLES)
            total = self._count(session, wanted)
        more = len(found) > query.limit
        return FeedListing([games[each.id] for each in page], total, write_cursor(_BY_NAME, page[-1]) if more else None)

    def _count(self, session: Session, wanted: FeedFilter) -> int:
        if wanted.owner is not None:
            return queries.count(session, wanted)
        return self.counts.get(session, wanted, partial(queries.count, session, wanted))

    def game(self, actor: Actor, game_id: str) -> CompleteGame:
        """Return a game.

        Raises:
            GameUnknown: no game with a version has this id.
        """
        actor.require(Permission.STORE_READ)
        with self.db.read() as session:
            found = complete(session, [game_id], roles=FEED_ROLES).get(game_id)
        if found is None or not found.versions:
            raise GameUnknown
        return found
