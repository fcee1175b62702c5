"""All statements of the reports."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from playdock.metadata.game_metadata import Role
from playdock.models import Game, Picture, PictureUse, Task, Version


class StoredGame(NamedTuple):
    """The size in bytes of a game's versions in its library, and the color of its cover, None without one."""

    library_id: str
    id: str
    name: str
    size: int
    versions: int
    color: str | None


def stored_games(session: Session) -> Sequence[StoredGame]:
    """Return all games, largest first."""
    stored = (
        select(Version.game_id, func.sum(Version.size).label("size"), func.count().label("versions"))
        .group_by(Version.game_id)
        .subquery()
    )
    size, versions = func.coalesce(stored.c.size, 0), func.coalesce(stored.c.versions, 0)
    is_cover = (PictureUse.game_id == Game.id) & (PictureUse.role == Role.COVER) & (PictureUse.position == 0)
    statement = (
        select(Game.library_id, Game.id, Game.name, size, versions, Picture.colour)
        .outerjoin(stored, stored.c.game_id == Game.id)
        .outerjoin(PictureUse, is_cover)
        .outerjoin(Picture, Picture.id == PictureUse.picture_id)
        .order_by(size.desc(), Game.sort_name, Game.id)
    )
    rows = session.execute(statement)
    # PostgreSQL returns sums of bigint as decimals.
    return [StoredGame(library, game, name, int(total), *others) for library, game, name, total, *others in rows]


def count_failed(session: Session, *, since: datetime) -> int:
    """Count the tasks that failed since a moment; canceled tasks do not count."""
    failed = Task.success.is_(False) & Task.cancelled.is_(False)
    return session.scalars(select(func.count()).where(Task.ended >= since, failed)).one()
