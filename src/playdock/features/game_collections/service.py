"""Operations on the caller's collections."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.games.errors import GameUnknown
from playdock.features.accounts import queries as account_queries
from playdock.features.game_collections import queries
from playdock.features.game_collections.errors import CollectionUnknown, DefaultCollectionFixed, TooManyCollections
from playdock.features.game_collections.queries import CollectionWithGames
from playdock.features.game_collections.rules import MAX_COLLECTIONS
from playdock.features.store.rules import sees_all
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.kit.texts import one_line
from playdock.models import Collection


class Collections(Struct, frozen=True):
    """Operations on collections; all collections belong to the caller."""

    db: Database
    clock: Clock

    def list_all(self, actor: Actor) -> Sequence[CollectionWithGames]:
        """Return all collections except the library."""
        actor.require(Permission.COLLECTIONS_READ)
        with self.db.read() as session:
            return [_with_games(session, actor, row) for row in queries.others(session, user_id=actor.user.id)]

    def find(self, actor: Actor, collection_id: str) -> CollectionWithGames:
        """Return a collection.

        Raises:
            CollectionUnknown: the caller has no collection with this id.
        """
        actor.require(Permission.COLLECTIONS_READ)
        with self.db.read() as session:
            return _with_games(session, actor, _require_collection(session, actor, collection_id))

    def own_library(self, actor: Actor) -> CollectionWithGames:
        """Return the library; create it on first use."""
        actor.require(Permission.COLLECTIONS_READ)
        with self.db.read() as session:
            row = queries.find_default(session, user_id=actor.user.id)
            if row is not None:
                return _with_games(session, actor, row)
        with self.db.write() as session:
            return _with_games(session, actor, self._own_library(session, actor))

    def create(self, actor: Actor, name: str) -> CollectionWithGames:
        """Create a collection.

        Raises:
            TooManyCollections: the caller has the maximum number of collections.
        """
        actor.require(Permission.COLLECTIONS_NEW)
        row = Collection(
            id=new_id(), user_id=actor.user.id, name=one_line(name), is_default=False, created=self.clock()
        )
        with self.db.write() as session:
            account_queries.lock_user(session, actor.user.id)
            if queries.count_others(session, user_id=actor.user.id) >= MAX_COLLECTIONS:
                raise TooManyCollections
            queries.add(session, row)
        return CollectionWithGames(row, ())

    def rename(self, actor: Actor, collection_id: str, name: str) -> CollectionWithGames:
        """Rename a collection.

        Raises:
            CollectionUnknown, DefaultCollectionFixed: the caller has no such collection, or it is the library.
        """
        actor.require(Permission.COLLECTIONS_NEW)
        with self.db.write() as session:
            row = _require_editable(session, actor, collection_id)
            row.name = one_line(name)
            queries.rename(session, row.id, row.name)
            return _with_games(session, actor, row)

    def delete(self, actor: Actor, collection_id: str) -> None:
        """Delete a collection; its games are kept.

        Raises:
            CollectionUnknown, DefaultCollectionFixed: the caller has no such collection, or it is the library.
        """
        actor.require(Permission.COLLECTIONS_DELETE)
        with self.db.write() as session:
            queries.remove(session, _require_editable(session, actor, collection_id).id)

    def add_game(self, actor: Actor, collection_id: str, game_id: str) -> CollectionWithGames:
        """Add a game to a collection; does nothing if it already contains the game.

        Raises:
            CollectionUnknown, GameUnknown: the collection or the game does not exist.
        """
        actor.require(Permission.COLLECTIONS_ADD)
        with self.db.write() as session:
            return self._add_game(session, actor, _require_collection(session, actor, collection_id), game_id)

    def remove_game(self, actor: Actor, collection_id: str, game_id: str) -> None:
        """Remove a game from a collection, if it contains the game.

        Raises:
            CollectionUnknown: the caller has no collection with this id.
        """
        actor.require(Permission.COLLECTIONS_REMOVE)
        with self.db.write() as session:
            queries.remove_game(session, _require_collection(session, actor, collection_id).id, game_id)

    def add_to_library(self, actor: Actor, game_id: str) -> CollectionWithGames:
        """Add a game to the library; does nothing if it already contains the game.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.OWN_LIBRARY_ADD)
        with self.db.write() as session:
            return self._add_game(session, actor, self._own_library(session, actor), game_id)

    def remove_from_library(self, actor: Actor, game_id: str) -> None:
        actor.require(Permission.OWN_LIBRARY_REMOVE)
        with self.db.write() as session:
            queries.remove_game(session, self._own_library(session, actor).id, game_id)

    def _own_library(self, session: Session, actor: Actor) -> Collection:
        queries.create_default(session, user_id=actor.user.id, at=self.clock())
        row = queries.find_default(session, user_id=actor.user.id)
        assert row is not None
        return row

    def _add_game(self, session: Session, actor: Actor, row: Collection, game_id: str) -> CollectionWithGames:
        if not queries.game_exists(session, game_id, playable=not sees_all(actor)):
            raise GameUnknown
        queries.add_game(session, row.id, game_id, at=self.clock())
        return _with_games(session, actor, row)


def _with_games(session: Session, actor: Actor, row: Collection) -> CollectionWithGames:
    return queries.with_games(session, row, playable=not sees_all(actor))


def _require_collection(session: Session, actor: Actor, collection_id: str) -> Collection:
    row = queries.find(session, collection_id, user_id=actor.user.id)
    if row is None:
        raise CollectionUnknown
    return row


def _require_editable(session: Session, actor: Actor, collection_id: str) -> Collection:
    row = _require_collection(session, actor, collection_id)
    if row.is_default:
        raise DefaultCollectionFixed
    return row
