"""A shop of tasks: a database, runners to start on it, and kinds of tasks made of functions."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playdock.auth.acls import Acl
from playdock.db.database import Database
from playdock.jobs import queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.kinds import Kinds
from playdock.jobs.notifier import Notifier
from playdock.jobs.runner import Runner
from playdock.jobs.work import LEASE, Work
from playdock.models import Task
from world import FakeClock

PATIENCE = 30.0


@dataclass(frozen=True)
class Step:
    """A kind of task made of a function."""

    call: Callable[[Work], object]
    group: str = "test"

    def run(self, work: Work) -> None:
        self.call(work)


@dataclass
class Shop:
    """A database with tasks, and the runners that were started on it."""

    db: Database
    clock: FakeClock = field(default_factory=FakeClock)
    notifier: Notifier = field(default_factory=Notifier)
    runners: list[Runner] = field(default_factory=list)

    def order(self, subject: str = "thing", *, group: str = "test", lane: Lane = Lane.LIGHT) -> str:
        order = TaskDraft(group=group, name="A task", subject=subject, lane=lane, acls=(Acl.TASK_READ,), arguments={})
        with self.db.write() as session:
            task_id = enqueue(session, order, at=self.clock())
        self.notifier.notify()
        return task_id

    def runner(self, *steps: Step) -> Runner:
        runner = Runner(self.db, self.clock, Kinds(steps), notifier=self.notifier, on_tick=lambda: None)
        self.runners.append(runner)
        runner.start()
        return runner

    def claim(self, *, owner: str = "another") -> Task:
        """Take the next task as a runner that is not here."""
        task = self.try_to_claim(owner=owner)
        assert task is not None
        return task

    def try_to_claim(self, *, owner: str, lane: Lane = Lane.LIGHT) -> Task | None:
        now = self.clock()
        with self.db.write() as session:
            return queries.claim(session, lane, owner=owner, at=now, until=now + LEASE)

    def work(self, task: Task) -> Work:
        return Work(task, self.db, self.clock, threading.Event())

    def cancel(self, task_id: str) -> bool:
        with self.db.write() as session:
            return queries.cancel(session, task_id, at=self.clock())

    def look(self, task_id: str) -> Task:
        with self.db.read() as session:
            task = queries.find(session, task_id)
        assert task is not None
        return task

    def log(self, task_id: str) -> list[str]:
        with self.db.read() as session:
            return [line.message for line in queries.lines(session, task_id)]

    def wait(self, task_id: str, condition: Callable[[Task], object]) -> Task:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            task = self.look(task_id)
            if condition(task):
                return task
            time.sleep(0.005)
        raise AssertionError(f"It did not come to that: {vars(task)}")

    def end(self, task_id: str) -> Task:
        return self.wait(task_id, lambda task: task.ended)


def fail(error: Exception) -> Callable[[Work], None]:
    def step(_work: Work) -> None:
        raise error

    return step


def until_cancelled(work: Work) -> None:
    while True:
        work.check()
        time.sleep(0.005)
