"""Enqueueing a task, in the transaction of the caller."""

from datetime import datetime

from sqlalchemy.orm import Session

from playdock.tasks import queries
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask


def enqueue(session: Session, new: NewTask, *, at: datetime) -> str:
    """Enqueue a task and return its id.

    Raises:
        TaskAlreadyRunning: An active task works on the same subject.
    """
    task_id = queries.add(session, new, at=at)
    if task_id is None:
        raise TaskAlreadyRunning(queries.newest_on(session, new.subject))
    return task_id
