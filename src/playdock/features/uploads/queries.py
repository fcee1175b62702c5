"""All statements on uploads."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from playdock.domain.libraries.queries import waiting_uploads
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
    """Return the total size of all uploads whose files are not in their places."""
    return session.scalar(select(func.coalesce(func.sum(Upload.size), 0)).where(waiting_uploads())) or 0


def missing_bytes(session: Session) -> dict[str, int]:
    """Return how many bytes the uploads into each library have not received yet."""
    missing = func.sum(Upload.size - Upload.received)
    found = session.execute(select(Upload.library_id, missing).where(waiting_uploads()).group_by(Upload.library_id))
    return {library_id: int(count) for library_id, count in found}


def set_received(session: Session, upload_id: str, received: int, *, expires: datetime) -> bool:
    """Record how much of an upload is stored; False if it has been deleted."""
    statement = update(Upload).where(Upload.id == upload_id).values(received=received, expires=expires)
    return session.scalar(statement.returning(Upload.id)) is not None


def set_discarded(session: Session, upload_id: str) -> None:
    """Record that the files of a complete upload are deleted."""
    session.execute(update(Upload).where(Upload.id == upload_id).values(received=0))


def set_task(session: Session, upload_id: str, task_id: str | None) -> None:
    session.execute(update(Upload).where(Upload.id == upload_id).values(task_id=task_id))


def set_placed(session: Session, upload_id: str, *, at: datetime) -> None:
    session.execute(update(Upload).where(Upload.id == upload_id).values(placed=at))


def remove(session: Session, upload_ids: Collection[str]) -> None:
    session.execute(delete(Upload).where(Upload.id.in_(upload_ids)))


def expired(session: Session, *, at: datetime) -> list[tuple[Upload, Library]]:
    """Return the uploads that have not been continued for too long, with their libraries."""
    statement = select(Upload, Library).join(Library, Library.id == Upload.library_id).where(Upload.expires <= at)
    return [(row[0], row[1]) for row in session.execute(statement.order_by(Upload.id))]
