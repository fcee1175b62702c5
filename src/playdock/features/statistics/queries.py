"""Every statement of the statistics."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from playdock.features.statistics.rules import Day, Download
from playdock.kit.secrets import new_id
from playdock.metadata.facts import Role
from playdock.models import Game, Picture, PictureUse, Task, TransferDay, User, Version


class StoredGame(NamedTuple):
    """How many bytes the versions of a game take in its library, and the colour of its cover, None without one."""

    library_id: str
    id: str
    name: str
    size: int
    versions: int
    colour: str | None


def hold_users(session: Session, user_ids: Collection[str]) -> set[str]:
    """Give those of some users that are there, and keep them from being deleted until this transaction ends."""
    statement = select(User.id).where(User.id.in_(user_ids)).order_by(User.id)
    return set(session.scalars(statement.with_for_update(read=True, key_share=True)))


def add(session: Session, sent: Mapping[Download, int], *, users: Collection[str]) -> None:
    """Add bytes to what was sent; what went to somebody who is none of the users is nobody's."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    new = insert(TransferDay)
    unique = [TransferDay.day, TransferDay.user_id, TransferDay.version_id]
    upsert = new.on_conflict_do_update(index_elements=unique, set_={"bytes": TransferDay.bytes + new.excluded.bytes})
    # In one order, or two processes that write at once could wait for each other.
    rows = [
        {
            "id": new_id(),
            "day": download.day,
            "user_id": download.user_id if download.user_id in users else None,
            "version_id": download.version_id,
            "bytes": count,
        }
        for download, count in sorted(sent.items())
    ]
    session.execute(upsert, rows)


def days(session: Session, *, since: date) -> list[Day]:
    """Give what was sent on each day that anything was: each row is one download."""
    statement = (
        select(TransferDay.day, func.sum(TransferDay.bytes), func.count())
        .where(TransferDay.day >= since)
        .group_by(TransferDay.day)
    )
    # PostgreSQL's sums of large numbers are decimals.
    return [Day(day, int(total), downloads) for day, total, downloads in session.execute(statement)]


def forget(session: Session, *, before: date) -> None:
    """Delete what was sent on the days before one."""
    session.execute(delete(TransferDay).where(TransferDay.day < before))


def stored_games(session: Session) -> Sequence[StoredGame]:
    """Give all games, the largest first."""
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
    return [StoredGame(library, game, name, int(total), *others) for library, game, name, total, *others in rows]


def count_failed(session: Session, *, since: datetime) -> int:
    """Give how many tasks have failed since a moment; those that somebody cancelled have not."""
    failed = Task.success.is_(False) & Task.cancelled.is_(False)
    return session.scalars(select(func.count()).where(Task.ended >= since, failed)).one()
