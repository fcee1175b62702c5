"""Every statement on sets of patches."""

from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from playdock.models import PatchSet, Task, Version


def find(session: Session, version_id: str, from_id: str) -> PatchSet | None:
    statement = select(PatchSet).where(PatchSet.version_id == version_id, PatchSet.from_id == from_id)
    return session.scalar(statement)


def find_set(session: Session, set_id: str) -> PatchSet | None:
    return session.get(PatchSet, set_id)


def known(session: Session) -> set[str]:
    """Give the ids of all sets."""
    return set(session.scalars(select(PatchSet.id)))


def note_use(session: Session, set_id: str, *, at: datetime) -> None:
    session.execute(update(PatchSet).where(PatchSet.id == set_id).values(used=at))


def replace(session: Session, new: PatchSet) -> list[str]:
    """Add a set in place of the one between the same versions, and give the ids of those that are gone."""
    same = delete(PatchSet).where(PatchSet.version_id == new.version_id, PatchSet.from_id == new.from_id)
    gone = list(session.scalars(same.returning(PatchSet.id)))
    session.add(new)
    return gone


def make_room(session: Session, *, most: int, keep: str = "") -> list[str]:
    """Remove the sets that were not asked for longest, until all have so many bytes at most; give the ids.

    The one to ``keep`` stays in any case, and so do empty ones.
    """
    size = session.scalar(select(func.sum(PatchSet.size))) or 0
    gone: list[str] = []
    oldest = select(PatchSet.id, PatchSet.size).where(PatchSet.id != keep, PatchSet.size > 0)
    for row in session.execute(oldest.order_by(PatchSet.used, PatchSet.id)) if size > most else ():
        if size > most:
            gone.append(row.id)
            size -= row.size
    session.execute(delete(PatchSet).where(PatchSet.id.in_(gone)))
    return gone


def version_before(session: Session, version: Version) -> Version | None:
    """Give the version of the same platform that players had before this one."""
    earlier = select(Version).where(
        Version.game_id == version.game_id,
        Version.platform == version.platform,
        Version.position < version.position,
    )
    return session.scalar(earlier.order_by(Version.position.desc()).limit(1))


def last_task(session: Session, subject: str) -> Task | None:
    """Give the task that worked on a subject last."""
    return session.scalar(select(Task).where(Task.subject == subject).order_by(Task.created.desc()).limit(1))


def count_waiting(session: Session, group: str) -> int:
    """Give how many tasks of a group have not ended."""
    return session.scalars(select(func.count()).where(Task.task_group == group, Task.ended.is_(None))).one()
