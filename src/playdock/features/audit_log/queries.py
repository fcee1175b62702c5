"""Statements that read the audit log."""

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, func, or_, select
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


def page(session: Session, text: str, operation: str, *, before: int | None, limit: int) -> Sequence[AuditEntry]:
    """Return the newest matching entries, those with ids below ``before`` if it is given."""
    statement = select(AuditEntry).where(*_conditions(text, operation)).order_by(AuditEntry.id.desc()).limit(limit)
    return session.scalars(statement if before is None else statement.where(AuditEntry.id < before)).all()


def count(session: Session, text: str, operation: str) -> int:
    statement = select(func.count()).select_from(AuditEntry).where(*_conditions(text, operation))
    return session.scalar(statement) or 0


def operations(session: Session) -> Sequence[str]:
    """Return the names of all recorded operations, sorted."""
    return session.scalars(select(AuditEntry.operation).distinct().order_by(AuditEntry.operation)).all()


def _conditions(text: str, operation: str) -> Iterator[ColumnElement[bool]]:
    if operation:
        yield AuditEntry.operation == operation
    for word in text.split():
        yield or_(*(column.icontains(word, autoescape=True) for column in _SEARCHED))
