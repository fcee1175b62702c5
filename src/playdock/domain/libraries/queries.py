"""All statements on libraries."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, record_lock
from playdock.models import Game, Library


def add(session: Session, row: Library) -> None:
    session.add(row)


def list_all(session: Session) -> Sequence[Library]:
    return session.scalars(select(Library).order_by(Library.created, Library.id)).all()


def find(session: Session, library_id: str) -> Library | None:
    return session.get(Library, library_id)


def change(session: Session, library_id: str, values: dict[str, Any]) -> Library | None:
    return session.scalar(update(Library).where(Library.id == library_id).values(values).returning(Library))


def has_games(session: Session, library_id: str) -> bool:
    return bool(session.scalar(select(exists().where(Game.library_id == library_id))))


def lock(session: Session, library_id: str, *, backend: str | None = None) -> bool:
    """Lock a library's row until this transaction ends; False if there is none, or it has another backend."""
    record_lock(session, LockLevel.LIBRARY, library_id)
    found = session.scalar(select(Library.backend).where(Library.id == library_id).with_for_update())
    return found is not None and backend in (None, found)


def remove(session: Session, library_id: str) -> None:
    session.execute(delete(Library).where(Library.id == library_id))
