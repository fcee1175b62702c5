"""Every statement on signed links."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from playdock.models import DownloadLink, Game, Version


class LivingLink(NamedTuple):
    """A link, and what it gives bytes of."""

    link: DownloadLink
    game: Game
    version: Version


def hold_version(session: Session, version_id: str) -> bool:
    """Keep a version from being deleted until this transaction ends; False if there is none."""
    statement = select(Version.id).where(Version.id == version_id).with_for_update(read=True, key_share=True)
    return session.scalar(statement) is not None


def add(session: Session, row: DownloadLink) -> None:
    session.add(row)


def count_living(session: Session, user_id: str, *, at: datetime) -> int:
    living = select(func.count()).where(DownloadLink.user_id == user_id, DownloadLink.expires > at)
    return session.scalars(living).one()


def of_user(session: Session, user_id: str, *, at: datetime) -> Sequence[LivingLink]:
    """Give the living links of a user, oldest first."""
    statement = (
        select(DownloadLink, Game, Version)
        .join(Version, Version.id == DownloadLink.version_id)
        .join(Game, Game.id == Version.game_id)
        .where(DownloadLink.user_id == user_id, DownloadLink.expires > at)
        .order_by(DownloadLink.created, DownloadLink.id)
    )
    return [LivingLink(*row) for row in session.execute(statement)]


def remove(session: Session, link_id: str, *, user_id: str) -> bool:
    statement = delete(DownloadLink).where(DownloadLink.id == link_id, DownloadLink.user_id == user_id)
    return session.scalar(statement.returning(DownloadLink.id)) is not None


def spend(session: Session, link_id: str, length: int) -> bool:
    """Take bytes from what is left, in one statement, so that racers never get more than there is."""
    statement = update(DownloadLink).where(DownloadLink.id == link_id, DownloadLink.bytes_left >= length)
    spent = statement.values(bytes_left=DownloadLink.bytes_left - length).returning(DownloadLink.id)
    return session.scalar(spent) is not None


def give_back(session: Session, link_id: str, length: int) -> None:
    statement = update(DownloadLink).where(DownloadLink.id == link_id)
    session.execute(statement.values(bytes_left=DownloadLink.bytes_left + length))


def forget_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(DownloadLink).where(DownloadLink.expires <= at))
