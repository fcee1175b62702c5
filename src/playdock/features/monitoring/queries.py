"""All statements of monitoring."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from playdock.models import PatchSet, Task


class ActiveTasks(NamedTuple):
    """The active tasks of one type in one queue.

    ``due`` is when the first of the waiting ones was due, ``started`` when the first of the running ones was started.
    """

    queue: str
    task_type: str
    total: int
    running: int
    due: datetime | None
    started: datetime | None


def active_tasks(session: Session) -> Sequence[ActiveTasks]:
    """Return the numbers of active tasks by queue and type."""
    # Only the runner of a running task is recorded.
    due = func.min(case((Task.worker_id.is_(None), Task.due)))
    started = func.min(case((Task.worker_id.isnot(None), Task.started)))
    statement = (
        select(Task.queue, Task.task_type, func.count(), func.count(Task.worker_id), due, started)
        .where(Task.ended.is_(None))
        .group_by(Task.queue, Task.task_type)
    )
    return [ActiveTasks(*row) for row in session.execute(statement)]


def patch_bytes(session: Session) -> int:
    """Return the size of all patches."""
    # PostgreSQL returns sums of bigint as decimals.
    return int(session.scalar(select(func.sum(PatchSet.size))) or 0)
