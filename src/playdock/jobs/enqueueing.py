"""Enqueueing: a task comes to be in the transaction of whoever decides on it."""

from datetime import datetime

from sqlalchemy.orm import Session

from playdock.jobs import queries
from playdock.jobs.drafts import TaskDraft
from playdock.jobs.errors import TaskAlreadyRunning


def enqueue(session: Session, draft: TaskDraft, *, at: datetime) -> str:
    """Enqueue a task and give its id.

    Raises:
        TaskAlreadyRunning: a living task works on the same subject.
    """
    task_id = queries.add(session, draft, at=at)
    if task_id is None:
        raise TaskAlreadyRunning(queries.newest_on(session, draft.subject))
    return task_id
