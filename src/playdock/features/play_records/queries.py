"""All statements on play sessions and records."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_into, insert_or_ignore
from playdock.models import Device, Game, PlayRecord, PlaySession, Version


class PlayedGame(Struct, frozen=True):
    """How long a user has played a game, and what the user notes about it."""

    game_id: str
    game_name: str
    seconds: int = 0
    last_played: datetime | None = None
    status: str | None = None
    note: str = ""


class ListedSession(Struct, frozen=True):
    """A play session with the names of its version and device, None if they are unknown."""

    session: PlaySession
    version: str | None
    device: str | None


def game_exists(session: Session, game_id: str) -> bool:
    return bool(session.scalar(select(exists().where(Game.id == game_id))))


def name_of(session: Session, game_id: str) -> str:
    return session.scalars(select(Game.name).where(Game.id == game_id)).one()


def known_games(session: Session, game_ids: Collection[str]) -> set[str]:
    """Return those of some games that exist."""
    return set(session.scalars(select(Game.id).where(Game.id.in_(game_ids))))


def games_of_versions(session: Session, version_ids: Collection[str]) -> Mapping[str, str]:
    """Return the ids of games by the ids of their versions; unknown versions are missing."""
    rows = session.execute(select(Version.id, Version.game_id).where(Version.id.in_(version_ids)))
    return {row.id: row.game_id for row in rows}


def has_device(session: Session, device_id: str) -> bool:
    return bool(session.scalar(select(exists().where(Device.id == device_id))))


def count_sessions(session: Session, user_id: str) -> int:
    return session.scalar(select(func.count()).where(PlaySession.user_id == user_id)) or 0


def add_sessions(session: Session, rows: Iterable[Mapping[str, Any]]) -> int:
    """Add play sessions that are not there yet, and return how many these were."""
    return sum(add_session(session, {"source": None, **row}) for row in rows)


def add_session(session: Session, row: dict[str, Any]) -> bool:
    """Add a play session; False if it is there."""
    return session.scalar(insert_or_ignore(session, PlaySession, row, returning=(PlaySession.id,))) is not None


def lengths_of_moved(session: Session, *, source: str) -> dict[tuple[str, str], int]:
    """Return the lengths in seconds of the sessions that were moved from another server, by user and id."""
    statement = select(PlaySession.user_id, PlaySession.id, PlaySession.seconds).where(PlaySession.source == source)
    return {(row.user_id, row.id): row.seconds for row in session.execute(statement)}


def set_length(session: Session, user_id: str, session_id: str, *, seconds: int, started: datetime | None) -> None:
    """Change a play time of which only the sum is known, because the game was played again."""
    is_this = (PlaySession.user_id == user_id) & (PlaySession.id == session_id)
    session.execute(update(PlaySession).where(is_this).values(seconds=seconds, started=started))


def add_moved_record(session: Session, row: Mapping[str, Any]) -> bool:
    """Add what a user noted at another server, unless the user has noted something here; False in that case."""
    insert = insert_or_ignore(session, PlayRecord, dict(row), returning=(PlayRecord.user_id,))
    return session.scalar(insert) is not None


def remove_moved(session: Session, user_id: str, game_id: str, *, source: str) -> None:
    """Delete what was moved from another server, as far as the user has not changed it."""
    runs, notes = _of(PlaySession, user_id, game_id), _of(PlayRecord, user_id, game_id)
    session.execute(delete(PlaySession).where(*runs, PlaySession.source == source))
    session.execute(delete(PlayRecord).where(*notes, PlayRecord.source == source))


def played(session: Session, user_id: str, *, game_id: str | None = None) -> list[PlayedGame]:
    """Return the games that a user has played or noted something about, the last played first."""
    times = select(
        Game.id,
        Game.name,
        func.sum(PlaySession.seconds).label("seconds"),
        func.max(PlaySession.started).label("last_played"),
    )
    times = times.join(Game, Game.id == PlaySession.game_id).where(*_of(PlaySession, user_id, game_id))
    found = {
        row.id: PlayedGame(row.id, row.name, int(row.seconds), row.last_played)
        for row in session.execute(times.group_by(Game.id, Game.name))
    }
    notes = select(Game.id, Game.name, PlayRecord.status, PlayRecord.note)
    notes = notes.join(Game, Game.id == PlayRecord.game_id).where(*_of(PlayRecord, user_id, game_id))
    for row in session.execute(notes):
        known = found.get(row.id, PlayedGame(row.id, row.name))
        found[row.id] = msgspec.structs.replace(known, status=row.status, note=row.note)
    return sorted(found.values(), key=_recency, reverse=True)


def _recency(game: PlayedGame) -> tuple[float, int]:
    return (game.last_played.timestamp() if game.last_played else float("-inf"), game.seconds)


def sessions_of(session: Session, user_id: str, game_id: str, *, offset: int, limit: int) -> Sequence[ListedSession]:
    """Return a user's play sessions of a game, the latest first."""
    statement = (
        select(PlaySession, Version.name, Device.name)
        .outerjoin(Version, Version.id == PlaySession.version_id)
        .outerjoin(Device, Device.id == PlaySession.device_id)
        .where(*_of(PlaySession, user_id, game_id))
        .order_by(PlaySession.started.desc().nulls_last(), PlaySession.id)
        .offset(offset)
        .limit(limit)
    )
    return [ListedSession(*row) for row in session.execute(statement)]


def remove_session(session: Session, user_id: str, session_id: str) -> bool:
    """Delete a play session; False if there is none."""
    is_this = (PlaySession.user_id == user_id) & (PlaySession.id == session_id)
    return session.scalar(delete(PlaySession).where(is_this).returning(PlaySession.id)) is not None


def put_record(session: Session, user_id: str, game_id: str, values: Mapping[str, Any]) -> None:
    """Set what a user notes about a game, in one statement."""
    insert = insert_into(session, PlayRecord).values(user_id=user_id, game_id=game_id, **values)
    session.execute(insert.on_conflict_do_update(index_elements=["user_id", "game_id"], set_=dict(values)))


def remove_record(session: Session, user_id: str, game_id: str) -> None:
    session.execute(delete(PlayRecord).where(*_of(PlayRecord, user_id, game_id)))


def remove_game(session: Session, user_id: str, game_id: str) -> None:
    """Delete all play sessions of a user's game, and what the user notes about it."""
    session.execute(delete(PlaySession).where(*_of(PlaySession, user_id, game_id)))
    remove_record(session, user_id, game_id)


def _of(table: type[PlayRecord | PlaySession], user_id: str, game_id: str | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [table.user_id == user_id]
    return conditions if game_id is None else [*conditions, table.game_id == game_id]
