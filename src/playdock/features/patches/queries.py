"""All statements on sets of patches."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from playdock.models import PatchSet, Task, Version


def find(session: Session, version_id: str, from_id: str) -> PatchSet | None:
    statement = select(PatchSet).where(PatchSet.version_id == version_id, PatchSet.from_id == from_id)
    return session.scalar(statement)


def find_set(session: Session, set_id: str) -> PatchSet | None:
    return session.get(PatchSet, set_id)


def existing_ids(session: Session, set_ids: Collection[str]) -> set[str]:
    """Return which of some ids belong to sets."""
    return set(session.scalars(select(PatchSet.id).where(PatchSet.id.in_(set_ids))))


def note_use(session: Session, set_id: str, *, at: datetime) -> None:
    session.execute(update(PatchSet).where(PatchSet.id == set_id).values(used=at))


def delete_set(session: Session, set_id: str) -> None:
    session.execute(delete(PatchSet).where(PatchSet.id == set_id))


def delete_sets_of(session: Session, version_id: str) -> None:
    """Delete the sets from and to a version."""
    concerned = (PatchSet.version_id == version_id) | (PatchSet.from_id == version_id)
    session.execute(delete(PatchSet).where(concerned))


def replace(session: Session, new: PatchSet) -> list[str]:
    """Add a set, replacing the one between the same versions; return the ids of the replaced sets."""
    same = delete(PatchSet).where(PatchSet.version_id == new.version_id, PatchSet.from_id == new.from_id)
    deleted = list(session.scalars(same.returning(PatchSet.id)))
    session.add(new)
    return deleted


def make_room(session: Session, *, most: int, keep: str = "") -> list[str]:
    """Delete the least recently requested sets until all have at most ``most`` bytes together; return their ids.

    The set ``keep`` and empty sets are not deleted.
    """
    size = session.scalar(select(func.sum(PatchSet.size))) or 0
    deleted: list[str] = []
    oldest = select(PatchSet.id, PatchSet.size).where(PatchSet.id != keep, PatchSet.size > 0)
    for row in session.execute(oldest.order_by(PatchSet.used, PatchSet.id)) if size > most else ():
        if size > most:
            deleted.append(row.id)
            size -= row.size
    session.execute(delete(PatchSet).where(PatchSet.id.in_(deleted)))
    return deleted


def version_before(session: Session, version: Version) -> Version | None:
    """Return the previous version for the same platform."""
    earlier = select(Version).where(
        Version.game_id == version.game_id,
        Version.platform == version.platform,
        Version.position < version.position,
    )
    return session.scalar(earlier.order_by(Version.position.desc()).limit(1))


def last_task(session: Session, subject: str) -> Task | None:
    """Return the latest task on a subject."""
    return session.scalar(select(Task).where(Task.subject == subject).order_by(Task.created.desc()).limit(1))


def active_among(session: Session, task_ids: Collection[str]) -> set[str]:
    """Return which of some ids belong to tasks that have not ended."""
    return set(session.scalars(select(Task.id).where(Task.id.in_(task_ids), Task.ended.is_(None))))


def count_waiting(session: Session, task_type: str) -> int:
    """Count the tasks of a type that have not ended."""
    return session.scalars(select(func.count()).where(Task.task_type == task_type, Task.ended.is_(None))).one()
