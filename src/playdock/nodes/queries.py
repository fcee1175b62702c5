"""All statements on nodes. The times are those of the clock that all nodes share."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import Session

from playdock.db.heartbeats import max_silence
from playdock.db.insertion import insert_into
from playdock.db.locks import LockLevel, record_lock
from playdock.db.moments import shared_time
from playdock.kit.workers import is_dead
from playdock.models import Node


def renew(
    session: Session, node_id: str, *, name: str, release: str, serves: bool, started: datetime, at: datetime
) -> None:
    """Write the heartbeat of a process; its row is inserted if it has none, or none any more."""
    now = shared_time(session, at)
    insert = insert_into(session, Node).values(
        id=node_id, name=name, release=release, started=started, heartbeat=now, demand={} if serves else None
    )
    session.execute(insert.on_conflict_do_update(index_elements=[Node.id], set_={"heartbeat": now}))


def remove(session: Session, node_ids: Collection[str]) -> None:
    """Remove the rows of processes, except those that another transaction is just changing."""
    record_lock(session, LockLevel.NODE)
    found = select(Node.id).where(Node.id.in_(node_ids)).order_by(Node.id).with_for_update(skip_locked=True)
    session.execute(delete(Node).where(Node.id.in_(found.scalar_subquery())))


def gone(session: Session, *, at: datetime) -> Sequence[str]:
    """Return the processes that have written no heartbeat for too long, or have ended on this machine."""
    found = session.execute(select(Node.id, _is_alive(session, at))).all()
    return [node_id for node_id, alive in found if not alive or is_dead(node_id)]


def list_alive(session: Session, *, at: datetime) -> Sequence[Node]:
    """Return the processes that are running, as far as their heartbeats show, oldest first."""
    alive = select(Node).where(_is_alive(session, at)).order_by(Node.name, Node.started, Node.id)
    return session.scalars(alive).all()


def _is_alive(session: Session, at: datetime) -> ColumnElement[bool]:
    silence = max_silence(embedded=session.get_bind().dialect.name == "sqlite")
    return Node.heartbeat > shared_time(session, at, after=-silence)
