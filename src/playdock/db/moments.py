"""The current time by the clock that all nodes share.

With clocks of their own, nodes whose clocks differ would take tasks from each other, or think that others are gone.
SQLite has no clock, and its processes run on one machine.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, DateTime, Interval, func, literal
from sqlalchemy.orm import Session

from playdock.models.base import UtcDateTime


def shared_time(
    session: Session | Connection, at: datetime, *, after: timedelta = timedelta()
) -> ColumnElement[datetime]:
    """Return the current time of the database, or a time after it; on SQLite that of this process, ``at``."""
    dialect = session.dialect if isinstance(session, Connection) else session.get_bind().dialect
    if dialect.name == "sqlite":
        return literal(at + after, UtcDateTime())
    return func.clock_timestamp(type_=DateTime(timezone=True)) + literal(after, Interval())
