"""Watching, listing, cancelling and starting tasks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.tasks.errors import GroupNotStartable
from playdock.features.tasks.maintenance import STARTABLE, draft_of
from playdock.jobs import queries
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskEnded, TaskUnknown
from playdock.kit.clock import Clock
from playdock.models import Task, TaskLine

_MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class WatchedTask:
    """A task with its log, or what is new of it."""

    task: Task
    lines: Sequence[TaskLine]

    @property
    def last_line(self) -> int:
        return self.lines[-1].id if self.lines else 0


@dataclass(frozen=True, slots=True)
class Tasks:
    """Background tasks as people see them."""

    db: Database
    clock: Clock
    wake: Callable[[], None]

    def watch(self, actor: Actor, task_id: str, *, after: int = 0) -> WatchedTask:
        """Show a task with its log, from behind a line.

        Raises:
            TaskUnknown: there is none, or the caller has none of its rights.
        """
        with self.db.read() as session:
            task = queries.find(session, task_id)
            if task is None or not any(acl in actor.acls for acl in task.acls):
                raise TaskUnknown
            return WatchedTask(task, queries.lines(session, task_id, after=after))

    def unfinished(self, actor: Actor) -> Sequence[Task]:
        actor.require(Acl.TASK_READ)
        with self.db.read() as session:
            return queries.unfinished(session, most=_MOST_LISTED)

    def finished(self, actor: Actor) -> Sequence[Task]:
        actor.require(Acl.TASK_READ)
        with self.db.read() as session:
            return queries.finished(session, most=_MOST_LISTED)

    def cancel(self, actor: Actor, task_id: str) -> None:
        """Ask a task to stop.

        Raises:
            TaskUnknown: there is none.
            TaskEnded: it is over.
        """
        actor.require(Acl.TASK_CANCEL)
        with self.db.write() as session:
            if queries.cancel(session, task_id, at=self.clock()):
                return
            if queries.find(session, task_id) is None:
                raise TaskUnknown
            raise TaskEnded

    def start(self, actor: Actor, group: str) -> str:
        """Run a maintenance now and give the task's id.

        Raises:
            GroupNotStartable: it is no maintenance.
            TaskAlreadyRunning: it is running.
        """
        actor.require(Acl.TASK_START)
        if group not in STARTABLE:
            raise GroupNotStartable(list(STARTABLE))
        with self.db.write() as session:
            task_id = enqueue(session, draft_of(group), at=self.clock())
        self.wake()
        return task_id
