"""Statements of the runners of tasks: they claim tasks, renew their leases, and end or release them.

Each is one statement, because runners race. ``at`` is the time of this process. Leases are measured by the database's
clock, which all nodes share.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, SQLColumnExpression, case, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from playdock.db.locks import LockLevel, advisory_lock, record_lock
from playdock.db.moments import shared_time
from playdock.db.notifying import Channel, notify
from playdock.kit.workers import node_of
from playdock.models import Task
from playdock.tasks.new_task import Queue

# Longer than any lease and any delay before a retry, of which the longest is 512 seconds: a time further ahead was set
# while the clock was wrong, and waiting for it could take years.
MAX_AHEAD = timedelta(minutes=10)


def due_queues(session: Session, *, types: Collection[str], at: datetime) -> set[Queue]:
    """Return the queues with due tasks of some types that no runner has leased."""
    waiting = _waiting(session, at) & Task.task_type.in_(types)
    found = set(session.scalars(select(Task.queue).where(waiting).distinct()))
    return {queue for queue in Queue if queue.value in found}


def any_due(
    session: Session, queue: Queue, *, types: Collection[str], worker_id: str, cpu_tasks: int, at: datetime
) -> bool:
    claimable = _claimable(session, queue, worker_id, cpu_tasks, at) & Task.task_type.in_(types)
    return session.scalar(select(Task.id).where(claimable).limit(1)) is not None


def claim(
    session: Session,
    queue: Queue,
    *,
    types: Collection[str],
    worker_id: str,
    at: datetime,
    lease: timedelta,
    cpu_tasks: int = 1,
) -> Task | None:
    """Claim the oldest due task of some types that is not leased.

    One of the CPU queue is claimed only if its node runs fewer than allowed.
    """
    if queue is Queue.CPU:
        advisory_lock(session, LockLevel.CPU_TASKS, node_of(worker_id))
    record_lock(session, LockLevel.TASK)
    oldest = (
        select(Task.id)
        .where(_claimable(session, queue, worker_id, cpu_tasks, at), Task.task_type.in_(types))
        .order_by(Task.due, Task.created)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    return session.scalar(
        update(Task)
        .where(Task.id == oldest)
        .values(
            worker_id=worker_id,
            leased_until=shared_time(session, at, after=lease),
            attempt=Task.attempt + 1,
            crashes=Task.crashes + case((Task.worker_id.is_(None), 0), else_=1),
            started=func.coalesce(Task.started, at),
        )
        .returning(Task),
        execution_options={"synchronize_session": False},
    )


def renew(session: Session, task: Task, *, at: datetime, lease: timedelta, progress: float) -> bool | None:
    """Renew a lease and store the progress, which never decreases.

    If another transaction has locked the row, perhaps the last one of this task, it is left as it is instead of
    delaying the leases of other tasks: `claim` skips it too.

    Return whether the task has been cancelled, or None if the lease is another's.
    """
    record_lock(session, LockLevel.TASK)
    unlocked = select(Task.id).where(*_locked(task)).with_for_update(skip_locked=True).scalar_subquery()
    renewed = session.scalar(
        update(Task)
        .where(Task.id == unlocked)
        .values(
            leased_until=shared_time(session, at, after=lease),
            progress=case((Task.progress < progress, progress), else_=Task.progress),
        )
        .returning(Task.cancelled),
        execution_options={"synchronize_session": False},
    )
    return session.scalar(select(Task.cancelled).where(*_locked(task))) if renewed is None else renewed


def lock(session: Session, task: Task) -> bool | None:
    """Keep the task's row for this transaction.

    Return whether the task has been cancelled, or None if the lease is another's.
    """
    record_lock(session, LockLevel.TASK)
    return session.scalar(update(Task).where(*_locked(task)).values(worker_id=Task.worker_id).returning(Task.cancelled))


def reset_crashes(session: Session, task: Task) -> None:
    """Reset the count of crashes, because the task has made progress."""
    session.execute(update(Task).where(*_locked(task)).values(crashes=0))


def is_running(
    session: Session,
    task_id: SQLColumnExpression[str | None],
    attempt: SQLColumnExpression[int | None],
    *,
    at: datetime,
) -> ColumnElement[bool]:
    """Return the condition that an attempt of a task has not ended, as far as its lease shows."""
    task = aliased(Task)
    same = (task.id == task_id) & (task.attempt == attempt)
    return exists().where(same, task.ended.is_(None), is_leased(session, task, at))


def worker_ids(session: Session) -> Sequence[str]:
    """Return the ids of all workers that have a task."""
    statement = select(Task.worker_id).where(Task.worker_id.isnot(None), Task.ended.is_(None)).distinct()
    return [worker_id for worker_id in session.scalars(statement) if worker_id is not None]


def expire(session: Session, worker_ids: Sequence[str], *, at: datetime) -> None:
    """Expire the leases of workers."""
    active = Task.worker_id.in_(worker_ids) & Task.ended.is_(None)
    session.execute(
        update(Task).where(active).values(leased_until=shared_time(session, at, after=-timedelta(seconds=1)))
    )


def end(session: Session, task: Task, *, at: datetime, values: dict[str, Any]) -> bool:
    """End a task with its outcome; False if another runner has it."""
    statement = update(Task).where(*_locked(task)).values(ended=at, worker_id=None, leased_until=None, **values)
    return session.scalar(statement.returning(Task.id)) is not None


def release(session: Session, task: Task, *, due: datetime, retries: int) -> None:
    """Release a task, which is due at a given time."""
    values = {"worker_id": None, "leased_until": None, "due": due, "retries": retries}
    session.execute(update(Task).where(*_locked(task)).values(values))
    notify(session, Channel.TASKS)


def is_leased(session: Session, task: type[Task], at: datetime) -> ColumnElement[bool]:
    """Return the condition that a runner has a task, as far as its lease shows."""
    now, latest = shared_time(session, at), shared_time(session, at, after=MAX_AHEAD)
    return task.worker_id.isnot(None) & task.leased_until.between(now, latest)


def _claimable(session: Session, queue: Queue, worker_id: str, cpu_tasks: int, at: datetime) -> ColumnElement[bool]:
    node = node_of(worker_id)
    waiting = (Task.queue == queue.value) & _waiting(session, at) & (Task.node.is_(None) | (Task.node == node))
    return waiting & (_running_cpu_tasks(session, node, at) < cpu_tasks) if queue is Queue.CPU else waiting


def _waiting(session: Session, at: datetime) -> ColumnElement[bool]:
    # A task without a delay is due whatever the clock says, which may have been set back since the task was created.
    # One that is tried again waits by the clock of a node, which may be behind that of the one that has created it.
    is_due = (Task.due <= at) | (Task.due == Task.created) | (Task.due > at + MAX_AHEAD)
    return Task.ended.is_(None) & is_due & ~is_leased(session, Task, at)


def _running_cpu_tasks(session: Session, node: str, at: datetime) -> ScalarSelect[int]:
    """Return how many tasks of the CPU queue a node runs, in any process: each of them uses all cores."""
    running = aliased(Task)
    here = running.worker_id.startswith(f"{node}:", autoescape=True)
    active = running.ended.is_(None) & is_leased(session, running, at)
    counted = select(func.count()).where(running.queue == Queue.CPU.value, active, here)
    return counted.scalar_subquery()


def _locked(task: Task) -> tuple[ColumnElement[bool], ...]:
    return (Task.id == task.id, Task.worker_id == task.worker_id, Task.attempt == task.attempt, Task.ended.is_(None))
