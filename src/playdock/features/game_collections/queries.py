"""All statements on collections and the games in them."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_or_ignore
from playdock.features.store import queries as store_queries
from playdock.features.store.queries import Card
from playdock.kit.identifiers import new_id
from playdock.models import Collection, CollectionEntry, Game

DEFAULT_NAME = "Library"
# Stays below SQLite's limit of bound parameters per statement.
_BATCH_GAMES = 1000


class CollectionWithGames(Struct, frozen=True):
    """A collection with its games and the times they were added, latest first."""

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


def create_default(session: Session, *, user_id: str, at: datetime) -> None:
    """Create a user's library unless it exists, in one statement."""
    values = {"id": new_id(), "user_id": user_id, "name": DEFAULT_NAME, "is_default": True, "created": at}
    session.execute(insert_or_ignore(session, Collection, values))


def count_others(session: Session, *, user_id: str) -> int:
    """Return the number of a user's collections except the library."""
    statement = select(func.count()).select_from(Collection)
    return session.scalar(statement.where(Collection.user_id == user_id, Collection.is_default.is_(False))) or 0


def others(session: Session, *, user_id: str) -> Sequence[Collection]:
    """Return a user's collections except the library, oldest first."""
    statement = select(Collection).where(Collection.user_id == user_id, Collection.is_default.is_(False))
    return session.scalars(statement.order_by(Collection.created, Collection.id)).all()


def with_games(session: Session, collection: Collection, *, playable: bool) -> CollectionWithGames:
    """Return a collection with its games, optionally only those that have a version."""
    statement = select(CollectionEntry.game_id, CollectionEntry.added)
    statement = statement.where(CollectionEntry.collection_id == collection.id)
    if playable:
        statement = statement.where(store_queries.is_playable(CollectionEntry.game_id))
    latest = statement.order_by(CollectionEntry.added.desc(), CollectionEntry.game_id)
    added = {row.game_id: row.added for row in session.execute(latest)}
    ids = list(added)
    batches = (
        store_queries.cards(session, ids[start : start + _BATCH_GAMES]) for start in range(0, len(ids), _BATCH_GAMES)
    )
    return CollectionWithGames(collection, [(card, added[card.game.id]) for batch in batches for card in batch])


def rename(session: Session, collection_id: str, name: str) -> None:
    session.execute(update(Collection).where(Collection.id == collection_id).values(name=name))


def remove(session: Session, collection_id: str) -> None:
    session.execute(delete(Collection).where(Collection.id == collection_id))


def game_exists(session: Session, game_id: str, *, playable: bool) -> bool:
    found = exists().where(Game.id == game_id)
    return bool(session.scalar(select(found.where(store_queries.is_playable(Game.id)) if playable else found)))


def games_in(session: Session, collection_id: str) -> set[str]:
    """Return the ids of the games in a collection."""
    return set(session.scalars(select(CollectionEntry.game_id).where(CollectionEntry.collection_id == collection_id)))


def add_game(session: Session, collection_id: str, game_id: str, *, at: datetime) -> None:
    """Add a game, in one statement; does nothing if it is already in the collection."""
    values = {"collection_id": collection_id, "game_id": game_id, "added": at}
    session.execute(insert_or_ignore(session, CollectionEntry, values))


def remove_game(session: Session, collection_id: str, game_id: str) -> None:
    session.execute(
        delete(CollectionEntry).where(
            CollectionEntry.collection_id == collection_id, CollectionEntry.game_id == game_id
        )
    )
