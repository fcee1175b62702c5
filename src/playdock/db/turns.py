"""Turns: letting one transaction at a time decide about something."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session


def take_turn(session: Session, key: str) -> None:
    """Wait until no other transaction has this turn, and have it until this one ends.

    On SQLite writers take turns anyway, so there is nothing to wait for.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))
