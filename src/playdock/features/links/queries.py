"""All statements on download links."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, record_lock
from playdock.models import DownloadLink, Game, Version


class ActiveLink(NamedTuple):
    """A link with its game and version."""

    link: DownloadLink
    game: Game
    version: Version


def lock_version(session: Session, version_id: str) -> bool:
    """Prevent the deletion of a version until this transaction ends; False if there is no such version."""
    record_lock(session, LockLevel.VERSION, version_id)
    statement = select(Version.id).where(Version.id == version_id).with_for_update(read=True, key_share=True)
    return session.scalar(statement) is not None


def add(session: Session, row: DownloadLink) -> None:
    session.add(row)


def count_active(session: Session, user_id: str, *, at: datetime) -> int:
    active = select(func.count()).where(DownloadLink.user_id == user_id, DownloadLink.expires > at)
    return session.scalars(active).one()


def of_user(session: Session, user_id: str, *, at: datetime) -> Sequence[ActiveLink]:
    """Return the unexpired links of a user, oldest first."""
    statement = (
        select(DownloadLink, Game, Version)
        .join(Version, Version.id == DownloadLink.version_id)
        .join(Game, Game.id == Version.game_id)
        .where(DownloadLink.user_id == user_id, DownloadLink.expires > at)
        .order_by(DownloadLink.created, DownloadLink.id)
    )
    return [ActiveLink(*row) for row in session.execute(statement)]


def remove(session: Session, link_id: str, *, user_id: str) -> bool:
    statement = delete(DownloadLink).where(DownloadLink.id == link_id, DownloadLink.user_id == user_id)
    return session.scalar(statement.returning(DownloadLink.id)) is not None


def end_of_user(session: Session, user_id: str) -> None:
    session.execute(delete(DownloadLink).where(DownloadLink.user_id == user_id))


def spend(session: Session, link_id: str, length: int) -> bool:
    """Reserve bytes of a link's quota, in one statement, so that it is never exceeded; False if too few are left."""
    statement = update(DownloadLink).where(DownloadLink.id == link_id, DownloadLink.bytes_left >= length)
    statement = statement.values(bytes_left=DownloadLink.bytes_left - length).returning(DownloadLink.id)
    return session.scalar(statement) is not None


def release(session: Session, link_id: str, length: int) -> None:
    statement = update(DownloadLink).where(DownloadLink.id == link_id)
    session.execute(statement.values(bytes_left=DownloadLink.bytes_left + length))


def delete_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(DownloadLink).where(DownloadLink.expires <= at))
