"""All statements on what was moved from other servers."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_or_ignore
from playdock.models import MovedRow


def add(session: Session, server: str, kind: str, key: str, *, target: str, at: datetime) -> bool:
    """Record what was moved, in one statement; False if another process has recorded it."""
    values = {"server": server, "kind": kind, "source_key": key, "target": target, "created": at}
    statement = insert_or_ignore(session, MovedRow, values, returning=(MovedRow.source_key,))
    return session.scalar(statement) is not None


def targets(session: Session, server: str, kind: str) -> dict[str, str]:
    """Return what was moved of one kind: the ids here by those at the other server."""
    statement = select(MovedRow.source_key, MovedRow.target)
    found = session.execute(statement.where(MovedRow.server == server, MovedRow.kind == kind))
    return {row.source_key: row.target for row in found}


def recorded(session: Session, server: str, kind: str, keys: Collection[str]) -> set[str]:
    """Return those of some ids at the other server under which things of a kind were moved."""
    of_kind = (MovedRow.server == server) & (MovedRow.kind == kind)
    return set(session.scalars(select(MovedRow.source_key).where(of_kind, MovedRow.source_key.in_(keys))))


def remove(session: Session, server: str, kind: str, keys: Sequence[str]) -> None:
    session.execute(
        delete(MovedRow).where(MovedRow.server == server, MovedRow.kind == kind, MovedRow.source_key.in_(keys))
    )
