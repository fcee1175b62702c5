"""Statements on tasks: enqueueing, cancelling, and lists of them. Runners use those of `lease_queries`.

Enqueueing and cancelling are one statement each, because they race. ``at`` is the time of this process.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import case, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from playdock import stored
from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, record_lock
from playdock.db.notifying import Channel, notify
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message, code_of, parameters_of
from playdock.models import Task, TaskLogEntry
from playdock.tasks.lease_queries import is_leased
from playdock.tasks.new_task import NewTask

# SQLite refuses statements with more than 1,000 nested conditions.
_MAX_CONDITIONS = 400
CANCELLED_TITLE = "Cancelled"
CANCELLED_DETAIL = Message("cancelled")


def add(session: Session, new: NewTask, *, at: datetime) -> str | None:
    """Enqueue a task and return its id; None if an active task works on the same subject."""
    values = {
        "id": new_id(),
        "task_type": new.task_type,
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
    """Return the active tasks of a type."""
    statement = select(Task).where(Task.task_type == task_type, Task.ended.is_(None)).order_by(Task.id)
    return session.scalars(statement).all()


def active_task_on(session: Session, subject: str) -> str | None:
    """Return the id of the active task that works on a subject."""
    return session.scalar(select(Task.id).where(Task.subject == subject, Task.ended.is_(None)))


def active_subjects(session: Session) -> set[str]:
    """Return what active tasks work on."""
    return set(session.scalars(select(Task.subject).where(Task.ended.is_(None))))


def any_active(session: Session, task_types: Collection[str]) -> bool:
    """Return whether a task of some types is active."""
    active = select(Task.id).where(Task.ended.is_(None), Task.task_type.in_(task_types))
    return session.scalar(active.limit(1)) is not None


def any_active_below(session: Session, prefix: str) -> bool:
    """Return whether a task is active whose subject begins so."""
    active = select(Task.id).where(Task.ended.is_(None), Task.subject.startswith(prefix, autoescape=True))
    return session.scalar(active.limit(1)) is not None


def any_failed(session: Session, task_type: str, *, since: datetime) -> bool:
    """Return whether a task of a type has failed or was cancelled since a time."""
    failed = select(Task.id).where(Task.task_type == task_type, Task.ended >= since, Task.success.is_(False))
    return session.scalar(failed.limit(1)) is not None


def is_unresolved(session: Session, task_id: str) -> bool:
    """Return whether no task of the same type has done the same since a task has ended; False if that is deleted."""
    ended = session.get(Task, task_id)
    if ended is None or ended.ended is None:
        return ended is not None
    same = (Task.task_type == ended.task_type) & (Task.subject == ended.subject)
    later = select(Task.id).where(same, Task.success, Task.ended > ended.ended)
    return session.scalar(later.limit(1)) is None


def any_active_elsewhere(session: Session, worker_id: str) -> bool:
    """Return whether there are active tasks that a runner does not have: they wait, or others run them."""
    elsewhere = Task.worker_id.is_(None) | (Task.worker_id != worker_id)
    return session.scalar(select(Task.id).where(Task.ended.is_(None), elsewhere).limit(1)) is not None


def cancelled_among(session: Session, task_ids: Collection[str]) -> Sequence[str]:
    """Return which of some tasks have been cancelled."""
    return session.scalars(select(Task.id).where(Task.id.in_(task_ids), Task.cancelled)).all()


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
    idle = ~is_leased(session, Task, at)
    found = session.scalar(
        update(Task)
        .where(Task.id == task_id, Task.ended.is_(None))
        .values(
            cancelled=True,
            ended=case((idle, at), else_=Task.ended),
            error_title=case((idle, CANCELLED_TITLE), else_=Task.error_title),
            error_detail=case((idle, str(CANCELLED_DETAIL)), else_=Task.error_detail),
            error_code=case((idle, CANCELLED_DETAIL.code), else_=Task.error_code),
        )
        .returning(Task.id)
    )
    notify(session, Channel.TASKS)
    return found is not None


def cancel_below(session: Session, prefix: str, *, at: datetime) -> None:
    """Cancel all active tasks whose subjects begin so."""
    active = select(Task.id).where(Task.subject.startswith(prefix, autoescape=True), Task.ended.is_(None))
    active = active.order_by(Task.id)
    for task_id in session.scalars(active).all():
        cancel(session, task_id, at=at)


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
    newest_first = func.row_number().over(partition_by=Task.task_type, order_by=(Task.ended.desc(), Task.id))
    of_types = select(Task.id, newest_first.label("number")).where(
        Task.task_type.in_(task_types), Task.ended.isnot(None)
    )
    numbered = of_types.subquery()
    return session.scalars(select(Task).join(numbered, numbered.c.id == Task.id).where(numbered.c.number == 1)).all()


def last_created(session: Session, task_type: str) -> datetime | None:
    return session.scalar(select(func.max(Task.created)).where(Task.task_type == task_type))


def delete_ended(session: Session, *, before: datetime, but_newest_of: Collection[str] = ()) -> int:
    """Delete tasks that ended before a given time, except the newest of some types, and return their number."""
    other = aliased(Task)
    is_newest = ~exists().where(other.task_type == Task.task_type, other.created > Task.created)
    is_kept = Task.task_type.in_(but_newest_of) & is_newest
    return len(session.scalars(delete(Task).where(Task.ended < before, ~is_kept).returning(Task.id)).all())
