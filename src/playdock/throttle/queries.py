"""Statements on failed attempts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, advisory_lock
from playdock.models import FailedAttempt


def lock(session: Session, keys: Sequence[str]) -> None:
    """Lock keys for this transaction, in a fixed order, so that transactions count one after the other."""
    for key in sorted(keys):
        advisory_lock(session, LockLevel.FAILED_ATTEMPTS, key)


def newest(session: Session, key: str, *, after: datetime, limit: int) -> Sequence[datetime]:
    """Return the times of the last ``limit`` failures of a key after a time, newest first."""
    statement = (
        select(FailedAttempt.at)
        .where(FailedAttempt.key == key, FailedAttempt.at > after)
        .order_by(FailedAttempt.at.desc())
        .limit(limit)
    )
    return session.scalars(statement).all()


def add(session: Session, keys: Sequence[str], *, at: datetime) -> None:
    session.add_all(FailedAttempt(key=key, at=at) for key in keys)


def delete_attempts(session: Session, *, before: datetime) -> None:
    session.execute(delete(FailedAttempt).where(FailedAttempt.at < before))
