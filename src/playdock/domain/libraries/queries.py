"""All statements on libraries."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, exists, not_, select, update
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, record_lock
from playdock.models import Game, Library, Upload


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


def waiting_uploads() -> ColumnElement[bool]:
    """Return the condition for uploads with files in the hidden folder of their library.

    They are not in their place, and have not been deleted because they differ from what was declared.
    """
    is_discarded = and_(Upload.task_id.is_not(None), Upload.received < Upload.size)
    return and_(Upload.placed.is_(None), not_(is_discarded))


def has_uploads(session: Session, library_id: str) -> bool:
    """Return whether uploads into a library are not in their places."""
    return bool(session.scalar(select(exists().where(Upload.library_id == library_id, waiting_uploads()))))


def lock(session: Session, library_id: str) -> bool:
    """Lock a library's row until this transaction ends; False if there is none."""
    record_lock(session, LockLevel.LIBRARY, library_id)
    return session.scalar(select(Library.id).where(Library.id == library_id).with_for_update()) is not None


def remove(session: Session, library_id: str) -> None:
    session.execute(delete(Library).where(Library.id == library_id))
