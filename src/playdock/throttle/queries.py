"""Statements on failed attempts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, advisory_lock
from playdock.models import FailedAttempt


def lock(session: Session, keys: Sequence[str]) -> None:
    """Lock keys for this transaction, in a fixed order, so that transactions count one after the other."""
    for key in sorted(keys):
        advisory_lock(session, LockLevel.FAILED_ATTEMPTS, key)


def newest(session: Session, key: str, *, after: datetime, until: datetime, limit: int) -> Sequence[datetime]:
    """Return the times of the last ``limit`` failures of a key between two times, newest first."""
    statement = (
        select(FailedAttempt.at)
        .where(FailedAttempt.key == key, FailedAttempt.at > after, FailedAttempt.at <= until)
        .order_by(FailedAttempt.at.desc())
        .limit(limit)
    )
    return session.scalars(statement).all()


def add(session: Session, keys: Sequence[str], *, at: datetime) -> list[int]:
    """Add a failure for each key, and return the ids of the rows."""
    rows = [FailedAttempt(key=key, at=at) for key in keys]
    session.add_all(rows)
    session.flush()
    return [row.id for row in rows]


def remove(session: Session, ids: Sequence[int]) -> None:
    session.execute(delete(FailedAttempt).where(FailedAttempt.id.in_(ids)))


def remove_keys(session: Session, prefixes: Sequence[str]) -> None:
    """Delete the failures of all keys that begin with one of these."""
    starts = (FailedAttempt.key.startswith(prefix, autoescape=True) for prefix in prefixes)
    session.execute(delete(FailedAttempt).where(or_(*starts)))


def remove_outside(session: Session, *, before: datetime, after: datetime) -> None:
    """Delete the failures before a time and those after a later one, which a clock dated that was wrong."""
    session.execute(delete(FailedAttempt).where(or_(FailedAttempt.at < before, FailedAttempt.at > after)))
