"""Every statement on tasks. What races is one statement: enqueueing, claiming, renewing, ending."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, case, delete, func, select, update
from sqlalchemy.orm import Session, aliased

from playdock.db.insertion import insert_new
from playdock.db.turns import take_turn
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.owners import host_of
from playdock.kit.secrets import new_id
from playdock.models import Task, TaskLine


def add(session: Session, draft: TaskDraft, *, at: datetime) -> str | None:
    """Enqueue a task and give its id; None if a living task works on its subject."""
    values = {
        "id": new_id(),
        "task_group": draft.group,
        "lane": draft.lane.value,
        "name": draft.name,
        "subject": draft.subject,
        "arguments": dict(draft.arguments),
        "acls": [acl.value for acl in draft.acls],
        "created": at,
        "due": at,
        "claims": 0,
        "crashes": 0,
        "retries": 0,
        "cancelled": False,
        "progress": 0.0,
        "success": False,
    }
    living = Task.ended.is_(None)
    statement = insert_new(session, Task, values, returning=(Task.id,), unique=Task.subject, where=living)
    added: str | None = session.scalar(statement)
    return added


def newest_on(session: Session, subject: str) -> str:
    """Give the id of the newest task on a subject: the living one, or one that has ended a moment ago."""
    newest_first = select(Task.id).where(Task.subject == subject).order_by(Task.created.desc())
    return session.scalars(newest_first.limit(1)).one()


def living_of(session: Session, group: str) -> Sequence[Task]:
    """Give the living tasks of a group."""
    return session.scalars(select(Task).where(Task.task_group == group, Task.ended.is_(None))).all()


def living_on(session: Session, subject: str) -> str | None:
    """Give the id of the living task that works on a subject."""
    return session.scalar(select(Task.id).where(Task.subject == subject, Task.ended.is_(None)))


def any_due(session: Session, lane: Lane, *, owner: str, at: datetime) -> bool:
    return session.scalar(select(Task.id).where(_claimable(lane, owner, at)).limit(1)) is not None


def claim(session: Session, lane: Lane, *, owner: str, at: datetime, until: datetime) -> Task | None:
    """Take the oldest task that is due and not leased; a heavy one only while the owner's host carries no other."""
    if lane is Lane.HEAVY:
        take_turn(session, f"heavy tasks of {host_of(owner)}")
    oldest = (
        select(Task.id)
        .where(_claimable(lane, owner, at))
        .order_by(Task.due, Task.created)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    return session.scalar(
        update(Task)
        .where(Task.id == oldest)
        .values(
            owner=owner,
            leased_until=until,
            claims=Task.claims + 1,
            crashes=Task.crashes + case((Task.owner.is_(None), 0), else_=1),
            started=func.coalesce(Task.started, at),
        )
        .returning(Task),
        execution_options={"synchronize_session": False},
    )


def renew(session: Session, task: Task, *, until: datetime, progress: float) -> bool | None:
    """Renew a lease and note the progress, which never falls.

    Gives whether the task has been cancelled, or None if the lease is another's.
    """
    return session.scalar(
        update(Task)
        .where(*_held(task))
        .values(leased_until=until, progress=case((Task.progress < progress, progress), else_=Task.progress))
        .returning(Task.cancelled)
    )


def hold(session: Session, task: Task) -> bool | None:
    """Keep the task's row for this transaction.

    Gives whether the task has been cancelled, or None if the lease is another's.
    """
    return session.scalar(update(Task).where(*_held(task)).values(owner=Task.owner).returning(Task.cancelled))


def forget_crashes(session: Session, task: Task) -> None:
    """Let the crashes up to now count no more, since a task that is held has got further."""
    session.execute(update(Task).where(*_held(task)).values(crashes=0))


def owners(session: Session) -> Sequence[str]:
    """Give everybody who carries a task."""
    statement = select(Task.owner).where(Task.owner.isnot(None), Task.ended.is_(None)).distinct()
    return [owner for owner in session.scalars(statement) if owner is not None]


def expire(session: Session, owners: Sequence[str], *, at: datetime) -> None:
    """Let the leases of some owners run out at once."""
    living = Task.owner.in_(owners) & Task.ended.is_(None)
    session.execute(update(Task).where(living).values(leased_until=at - timedelta(seconds=1)))


def end(session: Session, task: Task, *, at: datetime, values: dict[str, Any]) -> bool:
    """End a task that is still held, with its outcome."""
    statement = update(Task).where(*_held(task)).values(ended=at, owner=None, leased_until=None, **values)
    return session.scalar(statement.returning(Task.id)) is not None


def give_back(session: Session, task: Task, *, due: datetime, retries: int) -> None:
    """Let the task wait for a runner, from a given moment on."""
    values = {"owner": None, "leased_until": None, "due": due, "retries": retries}
    session.execute(update(Task).where(*_held(task)).values(values))


def cancel(session: Session, task_id: str, *, at: datetime) -> bool:
    """Ask a living task to stop; one that nobody carries ends here. False if no such task lives."""
    idle = Task.owner.is_(None) | (Task.leased_until < at)
    found = session.scalar(
        update(Task)
        .where(Task.id == task_id, Task.ended.is_(None))
        .values(
            cancelled=True,
            ended=case((idle, at), else_=Task.ended),
            error_title=case((idle, CANCELLED[0]), else_=Task.error_title),
            error_detail=case((idle, CANCELLED[1]), else_=Task.error_detail),
        )
        .returning(Task.id)
    )
    return found is not None


def cancel_on(session: Session, subject: str, *, at: datetime) -> None:
    """Ask all living tasks to stop whose subject begins so."""
    living = select(Task.id).where(Task.subject.startswith(subject, autoescape=True), Task.ended.is_(None))
    for task_id in session.scalars(living).all():
        cancel(session, task_id, at=at)


CANCELLED = ("Cancelled", "The task was cancelled. Start it again when you want to.")


def add_line(session: Session, task_id: str, *, at: datetime, level: str, message: str) -> None:
    session.add(TaskLine(task_id=task_id, at=at, level=level, message=message))


def find(session: Session, task_id: str) -> Task | None:
    """Find a task. PostgreSQL cannot be asked for text with U+0000, and no id has one."""
    return None if "\0" in task_id else session.get(Task, task_id)


def lines(session: Session, task_id: str, *, after: int = 0) -> Sequence[TaskLine]:
    """Give the log of a task, oldest first, from behind a line's id."""
    statement = select(TaskLine).where(TaskLine.task_id == task_id, TaskLine.id > after).order_by(TaskLine.id)
    return session.scalars(statement).all()


def unfinished(session: Session, *, most: int) -> Sequence[Task]:
    return session.scalars(select(Task).where(Task.ended.is_(None)).order_by(Task.created).limit(most)).all()


def finished(session: Session, *, most: int) -> Sequence[Task]:
    return session.scalars(select(Task).where(Task.ended.isnot(None)).order_by(Task.ended.desc()).limit(most)).all()


def last_created(session: Session, group: str) -> datetime | None:
    return session.scalar(select(func.max(Task.created)).where(Task.task_group == group))


def forget_ended(session: Session, *, before: datetime) -> int:
    """Delete tasks that ended before a moment, and give how many."""
    return len(session.scalars(delete(Task).where(Task.ended < before).returning(Task.id)).all())


def _claimable(lane: Lane, owner: str, at: datetime) -> ColumnElement[bool]:
    free = Task.owner.is_(None) | (Task.leased_until < at)
    waiting = (Task.lane == lane.value) & Task.ended.is_(None) & (Task.due <= at) & free
    return waiting & ~_heavy_carried(host_of(owner), at) if lane is Lane.HEAVY else waiting


def _heavy_carried(host: str, at: datetime) -> ColumnElement[bool]:
    """Tell whether a host is busy with a heavy task: each of them takes all its cores, whoever carries it."""
    carried = aliased(Task)
    here = carried.owner.startswith(f"{host}:", autoescape=True)
    leased = carried.ended.is_(None) & (carried.leased_until >= at)
    return select(carried.id).where(carried.lane == Lane.HEAVY.value, leased, here).exists()


def _held(task: Task) -> tuple[ColumnElement[bool], ...]:
    return (Task.id == task.id, Task.owner == task.owner, Task.claims == task.claims, Task.ended.is_(None))
