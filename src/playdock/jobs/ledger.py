"""Enqueueing: a task comes to be in the transaction of whoever decides on it."""

from datetime import datetime

from sqlalchemy.orm import Session

from playdock.jobs import queries
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.jobs.orders import Order


def enqueue(session: Session, order: Order, *, at: datetime) -> str:
    """Enqueue a task and give its id.

    Raises:
        TaskAlreadyRunning: a living task works on the same subject.
    """
    task_id = queries.add(session, order, at=at)
    if task_id is None:
        raise TaskAlreadyRunning(queries.newest_on(session, order.subject))
    return task_id
