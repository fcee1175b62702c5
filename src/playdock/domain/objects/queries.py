"""All statements on objects."""

from collections.abc import Collection

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.models import StoredObject


def add(session: Session, row: StoredObject) -> None:
    session.add(row)


def find(session: Session, object_id: str) -> StoredObject | None:
    return session.get(StoredObject, object_id)


def remove(session: Session, object_id: str) -> None:
    session.execute(delete(StoredObject).where(StoredObject.id == object_id))


def remove_all(session: Session, object_ids: Collection[str]) -> None:
    session.execute(delete(StoredObject).where(StoredObject.id.in_(object_ids)))


def existing_ids(session: Session, object_ids: Collection[str]) -> set[str]:
    """Return which of some ids belong to objects."""
    return set(session.scalars(select(StoredObject.id).where(StoredObject.id.in_(object_ids))))
