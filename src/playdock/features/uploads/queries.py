"""All statements on uploads."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from playdock.models import Library, Upload


def add(session: Session, upload: Upload) -> None:
    session.add(upload)


def find(session: Session, upload_id: str) -> Upload | None:
    return session.get(Upload, upload_id)


def find_with_library(session: Session, upload_id: str) -> tuple[Upload, Library] | None:
    """Return an upload with its library, or None."""
    statement = select(Upload, Library).join(Library, Library.id == Upload.library_id).where(Upload.id == upload_id)
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def list_all(session: Session) -> Sequence[Upload]:
    """Return all uploads, newest first."""
    return session.scalars(select(Upload).order_by(Upload.created.desc(), Upload.id)).all()


def unplaced(session: Session, library_id: str) -> Sequence[Upload]:
    """Return the uploads into a library that are not in their places."""
    return session.scalars(select(Upload).where(Upload.library_id == library_id, Upload.placed.is_(None))).all()


def unplaced_bytes(session: Session) -> int:
    """Return the total size of all uploads that are not in their places."""
    return session.scalar(select(func.coalesce(func.sum(Upload.size), 0)).where(Upload.placed.is_(None))) or 0


def set_received(session: Session, upload_id: str, received: int, *, expires: datetime) -> bool:
    """Record how much of an upload is stored; False if it has been deleted."""
    statement = update(Upload).where(Upload.id == upload_id).values(received=received, expires=expires)
    return session.scalar(statement.returning(Upload.id)) is not None


def set_task(session: Session, upload_id: str, task_id: str | None) -> None:
    session.execute(update(Upload).where(Upload.id == upload_id).values(task_id=task_id))


def set_placed(session: Session, upload_id: str, *, at: datetime) -> None:
    session.execute(update(Upload).where(Upload.id == upload_id).values(placed=at))


def remove(session: Session, upload_ids: Collection[str]) -> None:
    session.execute(delete(Upload).where(Upload.id.in_(upload_ids)))


def expired(session: Session, *, at: datetime) -> Sequence[Upload]:
    """Return the uploads that have not been continued for too long."""
    return session.scalars(select(Upload).where(Upload.expires <= at).order_by(Upload.id)).all()
