"""Statements on failures."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.db.turns import take_turn
from playdock.models import Failure


def hold(session: Session, keys: Sequence[str]) -> None:
    """Let one transaction at a time count against a key."""
    for key in sorted(keys):
        take_turn(session, key)


def newest(session: Session, key: str, *, after: datetime, most: int) -> Sequence[datetime]:
    """Give the moments of the newest failures against a key, newest first."""
    statement = select(Failure.at).where(Failure.key == key, Failure.at > after).order_by(Failure.at.desc()).limit(most)
    return session.scalars(statement).all()


def add(session: Session, keys: Sequence[str], *, at: datetime) -> None:
    session.add_all(Failure(key=key, at=at) for key in keys)


def forget(session: Session, *, before: datetime) -> None:
    session.execute(delete(Failure).where(Failure.at < before))
