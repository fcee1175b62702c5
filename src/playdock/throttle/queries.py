"""Statements on failures."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from playdock.models import Failure


def hold(session: Session, keys: Sequence[str]) -> None:
    """Let one transaction at a time count against a key. Where writers take turns anyway, there is nothing to hold."""
    if session.get_bind().dialect.name == "postgresql":
        for key in sorted(keys):
            session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))


def newest(session: Session, key: str, *, after: datetime, most: int) -> Sequence[datetime]:
    """Give the moments of the newest failures against a key, newest first."""
    statement = select(Failure.at).where(Failure.key == key, Failure.at > after).order_by(Failure.at.desc()).limit(most)
    return session.scalars(statement).all()


def add(session: Session, keys: Sequence[str], *, at: datetime) -> None:
    session.add_all(Failure(key=key, at=at) for key in keys)


def forget(session: Session, *, before: datetime) -> None:
    session.execute(delete(Failure).where(Failure.at < before))
