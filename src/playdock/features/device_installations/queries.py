"""All statements on the installations and queues of devices."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, delete, exists, func, insert, select
from sqlalchemy.orm import Session, aliased

from playdock.db.insertion import insert_or_ignore
from playdock.models import Device, DeviceInstallation, Game, QueuedInstallation, Version


class InstalledGame(Struct, frozen=True):
    """A game on a device; ``newest`` is the newest version for the platform of the installed one.

    The version and its position are None if the server no longer has it.
    """

    device_id: str
    game_id: str
    game_name: str
    version_id: str | None
    version_name: str | None
    position: int | None
    newest_id: str | None
    newest_name: str | None
    newest_position: int | None


class QueuedGame(Struct, frozen=True):
    """A game in the queue of a device."""

    device_id: str
    game_id: str
    game_name: str
    queued: datetime


class DeviceGames(Struct, frozen=True):
    """A device with the games on it, and those in its queue."""

    device: Device
    installed: Sequence[InstalledGame]
    queued: Sequence[QueuedGame]


def owns(session: Session, user_id: str, device_id: str) -> bool:
    """Return whether a user has a device that reads a queue; Drop's clients do not."""
    is_own = (Device.id == device_id) & (Device.user_id == user_id) & Device.certificate.is_(None)
    return bool(session.scalar(select(exists().where(is_own))))


def game_exists(session: Session, game_id: str) -> bool:
    return bool(session.scalar(select(exists().where(Game.id == game_id))))


def games_of_versions(session: Session, version_ids: Collection[str]) -> Mapping[str, str]:
    """Return the ids of games by the ids of their versions; unknown versions are missing."""
    rows = session.execute(select(Version.id, Version.game_id).where(Version.id.in_(version_ids)))
    return {row.id: row.game_id for row in rows}


def replace_installations(session: Session, device_id: str, versions: Mapping[str, str]) -> None:
    """Replace what is installed on a device; ``versions`` are by game."""
    session.execute(delete(DeviceInstallation).where(DeviceInstallation.device_id == device_id))
    rows = [{"device_id": device_id, "game_id": game, "version_id": version} for game, version in versions.items()]
    if rows:
        session.execute(insert(DeviceInstallation), rows)


def installed(session: Session, device_ids: Iterable[str], *, game_id: str | None) -> list[InstalledGame]:
    """Return the games on devices, or one game, by name."""
    conditions: list[ColumnElement[bool]] = [DeviceInstallation.device_id.in_(device_ids)]
    if game_id is not None:
        conditions.append(DeviceInstallation.game_id == game_id)
    games = select(DeviceInstallation.game_id).where(*conditions)
    latest = _newest_versions(games).subquery()
    newest = aliased(Version)
    statement = (
        select(
            DeviceInstallation.device_id,
            Game.id,
            Game.name,
            Version.id,
            Version.name,
            Version.position,
            newest.id,
            newest.name,
            newest.position,
        )
        .join(Game, Game.id == DeviceInstallation.game_id)
        .join(Device, Device.id == DeviceInstallation.device_id)
        .outerjoin(Version, Version.id == DeviceInstallation.version_id)
        .outerjoin(
            latest,
            (latest.c.game_id == DeviceInstallation.game_id)
            & (latest.c.platform == func.coalesce(Version.platform, Device.platform)),
        )
        .outerjoin(newest, (newest.game_id == latest.c.game_id) & (newest.position == latest.c.position))
        .where(*conditions)
        .order_by(Game.sort_name, Game.id)
    )
    return [InstalledGame(*row) for row in session.execute(statement)]


def _newest_versions(games: Select[str]) -> Select[str, str, int]:
    """Return the positions of the newest versions that are not damaged, by game and platform."""
    statement = select(Version.game_id, Version.platform, func.max(Version.position).label("position"))
    intact = statement.where(Version.game_id.in_(games), Version.damaged.is_(None))
    return intact.group_by(Version.game_id, Version.platform)


def count_queued(session: Session, device_id: str) -> int:
    statement = select(func.count()).select_from(QueuedInstallation).where(QueuedInstallation.device_id == device_id)
    return session.scalar(statement) or 0


def enqueue(session: Session, device_id: str, game_id: str, *, at: datetime) -> None:
    """Add a game to the queue of a device, in one statement; does nothing if it is there already."""
    values = {"device_id": device_id, "game_id": game_id, "queued": at}
    session.execute(insert_or_ignore(session, QueuedInstallation, values))


def dequeue(session: Session, device_id: str, game_id: str) -> bool:
    """Remove a game from the queue of a device; False if it is not there."""
    statement = delete(QueuedInstallation).where(
        QueuedInstallation.device_id == device_id, QueuedInstallation.game_id == game_id
    )
    return session.scalar(statement.returning(QueuedInstallation.game_id)) is not None


def queued(session: Session, device_ids: Iterable[str], *, game_id: str | None = None) -> Sequence[QueuedGame]:
    """Return the queues of devices, oldest first."""
    statement = (
        select(QueuedInstallation.device_id, Game.id, Game.name, QueuedInstallation.queued)
        .join(Game, Game.id == QueuedInstallation.game_id)
        .where(QueuedInstallation.device_id.in_(device_ids))
        .order_by(QueuedInstallation.queued, Game.id)
    )
    if game_id is not None:
        statement = statement.where(Game.id == game_id)
    return [QueuedGame(*row) for row in session.execute(statement)]
