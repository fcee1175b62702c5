"""Every statement on collections and the games in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_new
from playdock.features.store import queries as store_queries
from playdock.features.store.queries import Card
from playdock.kit.secrets import new_id
from playdock.models import Collection, CollectionEntry, Game

DEFAULT_NAME = "Library"
_PIECE = 1000


@dataclass(frozen=True, slots=True)
class Shelved:
    """A collection with its games and when they were added, the latest first."""

    collection: Collection
    cards: Sequence[tuple[Card, datetime]]


def add(session: Session, collection: Collection) -> None:
    session.add(collection)
    session.flush()


def find(session: Session, collection_id: str, *, user_id: str) -> Collection | None:
    statement = select(Collection).where(Collection.id == collection_id, Collection.user_id == user_id)
    return session.scalar(statement)


def find_default(session: Session, *, user_id: str) -> Collection | None:
    return session.scalar(select(Collection).where(Collection.user_id == user_id, Collection.is_default))


def make_default(session: Session, *, user_id: str, at: datetime) -> None:
    """Make somebody's own library unless there is one, in one statement."""
    values = {"id": new_id(), "user_id": user_id, "name": DEFAULT_NAME, "is_default": True, "created": at}
    session.execute(insert_new(session, Collection, values, returning=(Collection.id,)))


def others(session: Session, *, user_id: str) -> Sequence[Collection]:
    """Give somebody's collections but for the own library, oldest first."""
    statement = select(Collection).where(Collection.user_id == user_id, Collection.is_default.is_(False))
    return session.scalars(statement.order_by(Collection.created, Collection.id)).all()


def shelved(session: Session, collection: Collection) -> Shelved:
    """Give a collection with its games."""
    statement = select(CollectionEntry.game_id, CollectionEntry.added)
    statement = statement.where(CollectionEntry.collection_id == collection.id)
    latest = statement.order_by(CollectionEntry.added.desc(), CollectionEntry.game_id)
    added = {row.game_id: row.added for row in session.execute(latest)}
    ids = list(added)
    pieces = (store_queries.cards(session, ids[start : start + _PIECE]) for start in range(0, len(ids), _PIECE))
    return Shelved(collection, [(card, added[card.game.id]) for piece in pieces for card in piece])


def rename(session: Session, collection_id: str, name: str) -> None:
    session.execute(update(Collection).where(Collection.id == collection_id).values(name=name))


def remove(session: Session, collection_id: str) -> None:
    session.execute(delete(Collection).where(Collection.id == collection_id))


def game_exists(session: Session, game_id: str) -> bool:
    return bool(session.scalar(select(exists().where(Game.id == game_id))))


def put_in(session: Session, collection_id: str, game_id: str, *, at: datetime) -> None:
    """Add a game, in one statement; one that is there already stays as it is."""
    values = {"collection_id": collection_id, "game_id": game_id, "added": at}
    session.execute(insert_new(session, CollectionEntry, values, returning=(CollectionEntry.game_id,)))


def take_out(session: Session, collection_id: str, game_id: str) -> None:
    session.execute(
        delete(CollectionEntry).where(
            CollectionEntry.collection_id == collection_id, CollectionEntry.game_id == game_id
        )
    )
