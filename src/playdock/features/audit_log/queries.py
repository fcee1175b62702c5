"""Statements that read the audit log."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import ColumnElement, Text, cast, func, or_, select
from sqlalchemy.orm import Session

from playdock.models import AuditEntry

_SEARCHED = (
    AuditEntry.username,
    AuditEntry.subject,
    AuditEntry.operation,
    AuditEntry.address,
    AuditEntry.subject_id,
    AuditEntry.request_id,
)


class Wanted(Struct, frozen=True):
    """Which entries are wanted: with all words of a text, of one operation, at or after one time, before another."""

    text: str = ""
    operation: str = ""
    since: datetime | None = None
    until: datetime | None = None


def page(session: Session, wanted: Wanted, *, before: int | None, limit: int) -> Sequence[AuditEntry]:
    """Return the newest matching entries, those with ids below ``before`` if it is given."""
    statement = select(AuditEntry).where(*_conditions(wanted)).order_by(AuditEntry.id.desc()).limit(limit)
    return session.scalars(statement if before is None else statement.where(AuditEntry.id < before)).all()


def count(session: Session, wanted: Wanted) -> int:
    statement = select(func.count()).select_from(AuditEntry).where(*_conditions(wanted))
    return session.scalar(statement) or 0


def operations(session: Session) -> Sequence[str]:
    """Return the names of all recorded operations, sorted."""
    return session.scalars(select(AuditEntry.operation).distinct().order_by(AuditEntry.operation)).all()


def _conditions(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    if wanted.operation:
        yield AuditEntry.operation == wanted.operation
    if wanted.since:
        yield AuditEntry.at >= wanted.since
    if wanted.until:
        yield AuditEntry.at < wanted.until
    details = cast(AuditEntry.details, Text)
    for word in wanted.text.split():
        # Details are stored as JSON, in which other characters than those of ASCII are escaped.
        escaped = json.dumps(word)[1:-1]
        yield or_(
            *(column.icontains(word, autoescape=True) for column in _SEARCHED),
            details.icontains(escaped, autoescape=True),
        )
