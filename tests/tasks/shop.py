"""A shop of tasks: a database, runners to start on it, and kinds of tasks made of functions."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import select

from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.kit.messages import Message
from playdock.models import Task
from playdock.stored import TaskArguments
from playdock.tasks import lease_queries, queries
from playdock.tasks.context import LEASE, TaskContext
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from playdock.tasks.registry import TaskRegistry
from playdock.tasks.runner import Runner
from playdock.tasks.task_signal import TaskSignal
from world import FakeClock

PATIENCE = 120.0


@dataclass(frozen=True)
class Step:
    """A kind of task made of a function."""

    call: Callable[[TaskContext], object]
    task_type: str = "test"

    def run(self, context: TaskContext) -> None:
        self.call(context)


@dataclass
class TaskHarness:
    """A database with tasks, and the runners that were started on it."""

    db: Database
    clock: FakeClock = field(default_factory=FakeClock)
    signal: TaskSignal = field(default_factory=TaskSignal)
    runners: list[Runner] = field(default_factory=list)

    def order(
        self,
        subject: str = "thing",
        *,
        task_type: str = "test",
        queue: Queue = Queue.DEFAULT,
        delay: timedelta = timedelta(),
        node: str | None = None,
    ) -> str:
        order = NewTask(
            task_type=task_type,
            name=Message.worded("task", "A task"),
            subject=subject,
            queue=queue,
            acls=(Permission.TASK_READ,),
            arguments=TaskArguments(),
            node=node,
            delay=delay,
        )
        with self.db.write() as session:
            task_id = enqueue(session, order, at=self.clock())
        self.signal.notify()
        return task_id

    def runner(self, *steps: Step) -> Runner:
        runner = Runner(self.db, self.clock, TaskRegistry(steps), signal=self.signal, on_tick=lambda: None)
        self.runners.append(runner)
        runner.start()
        return runner

    def claim(self, *, worker_id: str = "another") -> Task:
        """Take the next task as a runner that is not here."""
        task = self.try_to_claim(worker_id=worker_id)
        assert task is not None
        return task

    def try_to_claim(self, *, worker_id: str, queue: Queue = Queue.DEFAULT, cpu_tasks: int = 1) -> Task | None:
        with self.db.write() as session:
            return lease_queries.claim(
                session,
                queue,
                types=["test"],
                worker_id=worker_id,
                at=self.clock(),
                lease=LEASE,
                cpu_tasks=cpu_tasks,
            )

    def let_leases_expire(self) -> None:
        """Move the end of all leases into the past, as time does."""
        with self.db.write() as session:
            for task in session.scalars(select(Task).where(Task.leased_until.is_not(None))):
                assert task.leased_until is not None
                task.leased_until -= LEASE + timedelta(seconds=1)

    def context(self, task: Task) -> TaskContext:
        return TaskContext(task, self.db, self.clock, threading.Event())

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
            return [line.message for line in queries.lines(session, {task_id: 0})]

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


def fail(error: Exception) -> Callable[[TaskContext], None]:
    def step(_work: TaskContext) -> None:
        raise error

    return step


def until_cancelled(context: TaskContext) -> None:
    while True:
        context.check()
        time.sleep(0.005)
