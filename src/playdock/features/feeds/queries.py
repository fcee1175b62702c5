"""All statements of the library feed."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, exists, func, select, tuple_
from sqlalchemy.orm import Session

from playdock.features.store.queries import is_playable
from playdock.kit.cursors import CursorPosition
from playdock.models import Collection, CollectionEntry, Game, Version


class FeedFilter(Struct, frozen=True):
    """Which games are listed: those in the own library of a user, or all; and those with a version for a platform."""

    owner: str | None
    platform: str


def count(session: Session, wanted: FeedFilter) -> int:
    return session.scalar(_only(select(func.count()).select_from(Game), wanted)) or 0


def positions(
    session: Session, wanted: FeedFilter, *, after: CursorPosition | None, limit: int
) -> Sequence[CursorPosition]:
    """Return the positions of games by name, after one of them."""
    statement = _only(select(Game.sort_name, Game.id), wanted).order_by(Game.sort_name, Game.id).limit(limit)
    if after is not None:
        position = tuple_(after.value, after.id, types=(Game.sort_name.type, Game.id.type))
        statement = statement.where(tuple_(Game.sort_name, Game.id) > position)
    return [CursorPosition(name, game_id) for name, game_id in session.execute(statement)]


def _only(statement: Select[*tuple[Any, ...]], wanted: FeedFilter) -> Select[*tuple[Any, ...]]:
    if wanted.owner is not None:
        own = select(CollectionEntry.game_id).join(Collection, Collection.id == CollectionEntry.collection_id)
        own = own.where(Collection.user_id == wanted.owner, Collection.is_default)
        statement = statement.where(Game.id.in_(own))
    if wanted.platform:
        return statement.where(exists().where(Version.game_id == Game.id, Version.platform == wanted.platform))
    return statement.where(is_playable(Game.id))
