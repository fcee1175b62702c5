"""What players do with their collections."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.collections import queries
from playdock.features.collections.errors import CollectionUnknown, OwnLibraryStays
from playdock.features.collections.queries import Shelved
from playdock.features.games.errors import GameUnknown
from playdock.kit.clock import Clock
from playdock.kit.secrets import new_id
from playdock.kit.texts import one_line
from playdock.models import Collection


@dataclass(frozen=True, slots=True)
class Collections:
    """The caller's collections."""

    db: Database
    clock: Clock

    def everything(self, actor: Actor) -> Sequence[Shelved]:
        """Give all collections but the own library."""
        actor.require(Acl.COLLECTIONS_READ)
        with self.db.read() as session:
            return [queries.shelved(session, row) for row in queries.others(session, user_id=actor.person.id)]

    def find(self, actor: Actor, collection_id: str) -> Shelved:
        """Give a collection.

        Raises:
            CollectionUnknown: the caller has none with this id.
        """
        actor.require(Acl.COLLECTIONS_READ)
        with self.db.read() as session:
            return queries.shelved(session, _found(session, actor, collection_id))

    def own_library(self, actor: Actor) -> Shelved:
        """Give the own library."""
        actor.require(Acl.COLLECTIONS_READ)
        with self.db.read() as session:
            row = queries.find_default(session, user_id=actor.person.id)
            if row is not None:
                return queries.shelved(session, row)
        with self.db.write() as session:
            return queries.shelved(session, self._own_library(session, actor))

    def create(self, actor: Actor, name: str) -> Shelved:
        actor.require(Acl.COLLECTIONS_NEW)
        row = Collection(
            id=new_id(), user_id=actor.person.id, name=one_line(name), is_default=False, created=self.clock()
        )
        with self.db.write() as session:
            queries.add(session, row)
        return Shelved(row, ())

    def rename(self, actor: Actor, collection_id: str, name: str) -> Shelved:
        """Rename a collection.

        Raises:
            CollectionUnknown, OwnLibraryStays: there is none that can be renamed.
        """
        actor.require(Acl.COLLECTIONS_NEW)
        with self.db.write() as session:
            row = _found_other(session, actor, collection_id)
            row.name = one_line(name)
            queries.rename(session, row.id, row.name)
            return queries.shelved(session, row)

    def delete(self, actor: Actor, collection_id: str) -> None:
        """Delete a collection; the games stay.

        Raises:
            CollectionUnknown, OwnLibraryStays: there is none that can be deleted.
        """
        actor.require(Acl.COLLECTIONS_DELETE)
        with self.db.write() as session:
            queries.remove(session, _found_other(session, actor, collection_id).id)

    def put_in(self, actor: Actor, collection_id: str, game_id: str) -> Shelved:
        """Add a game to a collection; one that is in it already stays.

        Raises:
            CollectionUnknown, GameUnknown: there is none with this id.
        """
        actor.require(Acl.COLLECTIONS_ADD)
        with self.db.write() as session:
            return self._put_in(session, _found(session, actor, collection_id), game_id)

    def take_out(self, actor: Actor, collection_id: str, game_id: str) -> None:
        """Take a game out of a collection, if it is in it.

        Raises:
            CollectionUnknown: the caller has none with this id.
        """
        actor.require(Acl.COLLECTIONS_REMOVE)
        with self.db.write() as session:
            queries.take_out(session, _found(session, actor, collection_id).id, game_id)

    def put_in_library(self, actor: Actor, game_id: str) -> Shelved:
        """Add a game to the own library; one that is in it already stays.

        Raises:
            GameUnknown: there is none with this id.
        """
        actor.require(Acl.OWN_LIBRARY_ADD)
        with self.db.write() as session:
            return self._put_in(session, self._own_library(session, actor), game_id)

    def take_out_of_library(self, actor: Actor, game_id: str) -> None:
        actor.require(Acl.OWN_LIBRARY_REMOVE)
        with self.db.write() as session:
            queries.take_out(session, self._own_library(session, actor).id, game_id)

    def _own_library(self, session: Session, actor: Actor) -> Collection:
        queries.make_default(session, user_id=actor.person.id, at=self.clock())
        row = queries.find_default(session, user_id=actor.person.id)
        assert row is not None
        return row

    def _put_in(self, session: Session, row: Collection, game_id: str) -> Shelved:
        if not queries.game_exists(session, game_id):
            raise GameUnknown
        queries.put_in(session, row.id, game_id, at=self.clock())
        return queries.shelved(session, row)


def _found(session: Session, actor: Actor, collection_id: str) -> Collection:
    row = queries.find(session, collection_id, user_id=actor.person.id)
    if row is None:
        raise CollectionUnknown
    return row


def _found_other(session: Session, actor: Actor, collection_id: str) -> Collection:
    row = _found(session, actor, collection_id)
    if row.is_default:
        raise OwnLibraryStays
    return row
