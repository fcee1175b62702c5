"""All statements on tasks. Enqueueing, claiming, renewing and ending are one statement each, because they race.

``at`` is the time of this process. Leases are measured by the database's clock, which all nodes share.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, SQLColumnExpression, case, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from playdock import stored
from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, advisory_lock, record_lock
from playdock.db.moments import shared_time
from playdock.db.notifying import Channel, notify
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message, code_of, parameters_of
from playdock.kit.workers import node_of
from playdock.models import Task, TaskLogEntry
from playdock.tasks.new_task import NewTask, Queue

# Longer than any lease and any delay before a retry, of which the longest is 512 seconds: a time further ahead was set
# while the clock was wrong, and waiting for it could take years.
MAX_AHEAD = timedelta(minutes=10)
# SQLite refuses statements with more than 1,000 nested conditions.
_MAX_CONDITIONS = 400


def add(session: Session, new: NewTask, *, at: datetime) -> str | None:
    """Enqueue a task and return its id; None if an active task works on the same subject."""
    values = {
        "id": new_id(),
        "task_group": new.task_type,
        "queue": new.queue.value,
        "name": str(new.name),
        "name_code": code_of(new.name),
        "name_parameters": parameters_of(new.name),
        "subject": new.subject,
        "arguments": stored.encode(new.arguments),
        "acls": [acl.value for acl in new.acls],
        "created": at,
        "due": at + new.delay,
        "node": new.node,
        "attempt": 0,
        "crashes": 0,
        "retries": 0,
        "cancelled": False,
        "progress": 0.0,
        "success": False,
    }
    active = Task.ended.is_(None)
    statement = insert_or_ignore(session, Task, values, returning=(Task.id,), unique=Task.subject, where=active)
    added: str | None = session.scalar(statement)
    notify(session, Channel.TASKS)
    return added


def newest_on(session: Session, subject: str) -> str:
    """Return the id of the newest task on a subject: the active one, or one that has just ended."""
    newest_first = select(Task.id).where(Task.subject == subject).order_by(Task.created.desc())
    return session.scalars(newest_first.limit(1)).one()


def last_on(session: Session, subject: str) -> Task | None:
    """Return the newest task on a subject, None if there is none or it ended long ago."""
    return session.scalar(select(Task).where(Task.subject == subject).order_by(Task.created.desc()).limit(1))


def active_tasks(session: Session, task_type: str) -> Sequence[Task]:
    """Return the active tasks of a group."""
    statement = select(Task).where(Task.task_group == task_type, Task.ended.is_(None)).order_by(Task.id)
    return session.scalars(statement).all()


def active_task_on(session: Session, subject: str) -> str | None:
    """Return the id of the active task that works on a subject."""
    return session.scalar(select(Task.id).where(Task.subject == subject, Task.ended.is_(None)))


def active_subjects(session: Session) -> set[str]:
    """Return what active tasks work on."""
    return set(session.scalars(select(Task.subject).where(Task.ended.is_(None))))


def any_active(session: Session, task_types: Collection[str]) -> bool:
    """Return whether a task of some types is active."""
    active = select(Task.id).where(Task.ended.is_(None), Task.task_group.in_(task_types))
    return session.scalar(active.limit(1)) is not None


def any_active_on(session: Session, subject: str) -> bool:
    """Return whether a task is active whose subject has a prefix."""
    active = select(Task.id).where(Task.ended.is_(None), Task.subject.startswith(subject, autoescape=True))
    return session.scalar(active.limit(1)) is not None


def any_failed(session: Session, task_type: str, *, since: datetime) -> bool:
    """Return whether a task of a type has failed or was cancelled since a time."""
    failed = select(Task.id).where(Task.task_group == task_type, Task.ended >= since, Task.success.is_(False))
    return session.scalar(failed.limit(1)) is not None


def is_unresolved(session: Session, task_id: str) -> bool:
    """Return whether no task of the same type has done the same since a task has ended; False if that is deleted."""
    ended = session.get(Task, task_id)
    if ended is None or ended.ended is None:
        return ended is not None
    same = (Task.task_group == ended.task_group) & (Task.subject == ended.subject)
    later = select(Task.id).where(same, Task.success, Task.ended > ended.ended)
    return session.scalar(later.limit(1)) is None


def due_queues(session: Session, *, types: Collection[str], at: datetime) -> set[Queue]:
    """Return the queues with due tasks of some types that no runner has leased."""
    waiting = _waiting(session, at) & Task.task_group.in_(types)
    found = set(session.scalars(select(Task.queue).where(waiting).distinct()))
    return {queue for queue in Queue if queue.value in found}


def any_active_elsewhere(session: Session, worker_id: str) -> bool:
    """Return whether there are active tasks that a runner does not have: they wait, or others run them."""
    elsewhere = Task.worker_id.is_(None) | (Task.worker_id != worker_id)
    return session.scalar(select(Task.id).where(Task.ended.is_(None), elsewhere).limit(1)) is not None


def cancelled_among(session: Session, task_ids: Collection[str]) -> Sequence[str]:
    """Return which of some tasks have been cancelled."""
    return session.scalars(select(Task.id).where(Task.id.in_(task_ids), Task.cancelled)).all()


def any_due(
    session: Session, queue: Queue, *, types: Collection[str], worker_id: str, cpu_tasks: int, at: datetime
) -> bool:
    claimable = _claimable(session, queue, worker_id, cpu_tasks, at) & Task.task_group.in_(types)
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
        .where(_claimable(session, queue, worker_id, cpu_tasks, at), Task.task_group.in_(types))
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

    Gives whether the task has been cancelled, or None if the lease is another's.
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

    Gives whether the task has been cancelled, or None if the lease is another's.
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
    return exists().where(same, task.ended.is_(None), _is_leased(session, task, at))


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


def bring_forward(session: Session, task_id: str, *, at: datetime) -> bool:
    """Make a task due that waits for its time; False if it is running or has ended."""
    record_lock(session, LockLevel.TASK)
    waiting = update(Task).where(Task.id == task_id, Task.ended.is_(None), Task.worker_id.is_(None))
    found = session.scalar(waiting.values(due=at).returning(Task.id)) is not None
    notify(session, Channel.TASKS)
    return found


def cancel(session: Session, task_id: str, *, at: datetime) -> bool:
    """Cancel an active task; one that no runner has ends at once. False if there is no such task."""
    record_lock(session, LockLevel.TASK)
    idle = ~_is_leased(session, Task, at)
    found = session.scalar(
        update(Task)
        .where(Task.id == task_id, Task.ended.is_(None))
        .values(
            cancelled=True,
            ended=case((idle, at), else_=Task.ended),
            error_title=case((idle, CANCELLED[0]), else_=Task.error_title),
            error_detail=case((idle, str(CANCELLED[1])), else_=Task.error_detail),
            error_code=case((idle, CANCELLED[1].code), else_=Task.error_code),
        )
        .returning(Task.id)
    )
    notify(session, Channel.TASKS)
    return found is not None


def cancel_on(session: Session, subject: str, *, at: datetime) -> None:
    """Cancel all active tasks whose subject has a prefix."""
    active = select(Task.id).where(Task.subject.startswith(subject, autoescape=True), Task.ended.is_(None))
    active = active.order_by(Task.id)
    for task_id in session.scalars(active).all():
        cancel(session, task_id, at=at)


CANCELLED = ("Cancelled", Message("cancelled"))


def add_line(session: Session, task_id: str, *, at: datetime, level: str, message: Message) -> None:
    session.add(
        TaskLogEntry(
            task_id=task_id,
            at=at,
            level=level,
            message=str(message),
            code=code_of(message),
            parameters=parameters_of(message),
        )
    )


def find(session: Session, task_id: str) -> Task | None:
    """Find a task. PostgreSQL rejects text with U+0000, which no id contains."""
    return None if "\0" in task_id else session.get(Task, task_id)


def find_all(session: Session, task_ids: Collection[str]) -> dict[str, Task]:
    """Return the tasks with these ids, by id; unknown ids are left out."""
    known = [task_id for task_id in task_ids if "\0" not in task_id]
    return {task.id: task for task in session.scalars(select(Task).where(Task.id.in_(known)))}


def lines(session: Session, after: Mapping[str, int]) -> Sequence[TaskLogEntry]:
    """Return the log lines of tasks after given line ids, oldest first."""
    tasks: dict[int, list[str]] = {}
    for task_id, line_id in after.items():
        if "\0" not in task_id:
            tasks.setdefault(line_id, []).append(task_id)
    found: list[TaskLogEntry] = []
    newer = [TaskLogEntry.task_id.in_(ids) & (TaskLogEntry.id > line_id) for line_id, ids in tasks.items()]
    for start in range(0, len(newer), _MAX_CONDITIONS):
        some = or_(*newer[start : start + _MAX_CONDITIONS])
        found += session.scalars(select(TaskLogEntry).where(some).order_by(TaskLogEntry.id))
    return found


def unfinished(session: Session, *, most: int) -> Sequence[Task]:
    return session.scalars(select(Task).where(Task.ended.is_(None)).order_by(Task.created).limit(most)).all()


def finished(session: Session, *, most: int) -> Sequence[Task]:
    return session.scalars(select(Task).where(Task.ended.isnot(None)).order_by(Task.ended.desc()).limit(most)).all()


def counts(session: Session) -> tuple[int, int]:
    """Return the number of active tasks and of ended ones."""
    counted = select(func.count(), func.count(Task.ended))
    total, ended = session.execute(counted).one()
    return total - ended, ended


def last_ended(session: Session, task_types: Collection[str]) -> Sequence[Task]:
    """Return the task of each type that ended last, whatever its outcome."""
    newest_first = func.row_number().over(partition_by=Task.task_group, order_by=(Task.ended.desc(), Task.id))
    of_types = select(Task.id, newest_first.label("number")).where(
        Task.task_group.in_(task_types), Task.ended.isnot(None)
    )
    numbered = of_types.subquery()
    return session.scalars(select(Task).join(numbered, numbered.c.id == Task.id).where(numbered.c.number == 1)).all()


def last_created(session: Session, task_type: str) -> datetime | None:
    return session.scalar(select(func.max(Task.created)).where(Task.task_group == task_type))


def delete_ended(session: Session, *, before: datetime, but_newest_of: Collection[str] = ()) -> int:
    """Delete tasks that ended before a given time, except the newest of some types, and return their number."""
    other = aliased(Task)
    is_newest = ~exists().where(other.task_group == Task.task_group, other.created > Task.created)
    is_kept = Task.task_group.in_(but_newest_of) & is_newest
    return len(session.scalars(delete(Task).where(Task.ended < before, ~is_kept).returning(Task.id)).all())


def _claimable(session: Session, queue: Queue, worker_id: str, cpu_tasks: int, at: datetime) -> ColumnElement[bool]:
    node = node_of(worker_id)
    waiting = (Task.queue == queue.value) & _waiting(session, at) & (Task.node.is_(None) | (Task.node == node))
    return waiting & (_running_cpu_tasks(session, node, at) < cpu_tasks) if queue is Queue.CPU else waiting


def _waiting(session: Session, at: datetime) -> ColumnElement[bool]:
    # A task without a delay is due whatever the clock says, which may have been set back since the task was created.
    # One that is tried again waits by the clock of a node, which may be behind that of the one that has created it.
    is_due = (Task.due <= at) | (Task.due == Task.created) | (Task.due > at + MAX_AHEAD)
    return Task.ended.is_(None) & is_due & ~_is_leased(session, Task, at)


def _is_leased(session: Session, task: type[Task], at: datetime) -> ColumnElement[bool]:
    now, latest = shared_time(session, at), shared_time(session, at, after=MAX_AHEAD)
    return task.worker_id.isnot(None) & task.leased_until.between(now, latest)


def _running_cpu_tasks(session: Session, node: str, at: datetime) -> ScalarSelect[int]:
    """Return how many tasks of the CPU queue a node runs, in any process: each of them uses all cores."""
    running = aliased(Task)
    here = running.worker_id.startswith(f"{node}:", autoescape=True)
    active = running.ended.is_(None) & _is_leased(session, running, at)
    counted = select(func.count()).where(running.queue == Queue.CPU.value, active, here)
    return counted.scalar_subquery()


def _locked(task: Task) -> tuple[ColumnElement[bool], ...]:
    return (Task.id == task.id, Task.worker_id == task.worker_id, Task.attempt == task.attempt, Task.ended.is_(None))
