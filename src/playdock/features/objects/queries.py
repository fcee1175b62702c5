"""Statements on objects."""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.models import StoredObject


def add(session: Session, row: StoredObject) -> None:
    session.add(row)


def find(session: Session, object_id: str) -> StoredObject | None:
    return session.get(StoredObject, object_id)


def remove(session: Session, object_id: str) -> None:
    session.execute(delete(StoredObject).where(StoredObject.id == object_id))


def known(session: Session) -> set[str]:
    """Give the ids of all objects."""
    return set(session.scalars(select(StoredObject.id)))
