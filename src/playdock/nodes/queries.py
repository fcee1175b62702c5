"""All statements on nodes. The times are those of the clock that all nodes share."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from playdock.db.heartbeats import max_silence
from playdock.db.insertion import insert_into
from playdock.db.locks import LockLevel, advisory_lock, record_lock
from playdock.db.moments import shared_time
from playdock.kit.workers import is_dead
from playdock.models import Node
from playdock.sending.shares import MAX_CLAIM_SECONDS, Claim


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
    """Return the processes that are running, oldest first, as far as their heartbeats and this machine show."""
    alive = select(Node).where(_is_alive(session, at)).order_by(Node.name, Node.started, Node.id)
    return [each for each in session.scalars(alive) if not is_dead(each.id)]


def first_alive(session: Session, *, at: datetime) -> str | None:
    """Return the running process that registered first, which does what only one of them must do."""
    oldest = select(Node.id).where(_is_alive(session, at)).order_by(Node.started, Node.id)
    return session.scalars(oldest.limit(1)).first()


def lock_claims(session: Session) -> None:
    """Wait until no other process changes its claims, and keep all others from it in this transaction."""
    advisory_lock(session, LockLevel.NODE, "claims")


def claims_of_others(session: Session, node_id: str, *, at: datetime) -> Sequence[Mapping[str, Claim]]:
    """Return the claims of all other processes that serve downloads; those of a process that is silent are none."""
    recent = Node.heartbeat > shared_time(session, at, after=-timedelta(seconds=MAX_CLAIM_SECONDS))
    found = select(Node.id, Node.demand, recent).where(
        _is_alive(session, at), Node.id != node_id, Node.demand.is_not(None)
    )
    rows = [(demand if current else {}) for each, demand, current in session.execute(found) if not is_dead(each)]
    return [{subject: Claim(*claim) for subject, claim in claims.items()} for claims in rows]


def set_claims(session: Session, node_id: str, claims: Mapping[str, Claim], *, at: datetime) -> bool:
    """Write the claims of a process, and its heartbeat; False if it has no row."""
    demand = {subject: [round(claim.demand), claim.share] for subject, claim in claims.items()}
    changed = update(Node).where(Node.id == node_id).values(demand=demand, heartbeat=shared_time(session, at))
    return session.scalar(changed.returning(Node.id)) is not None


def _is_alive(session: Session, at: datetime) -> ColumnElement[bool]:
    silence = max_silence(embedded=session.get_bind().dialect.name == "sqlite")
    return Node.heartbeat > shared_time(session, at, after=-silence)
