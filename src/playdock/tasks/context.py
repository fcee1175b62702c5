"""The context of a running task: its arguments, its progress, and transactions that are valid only under its lease."""

import threading
from collections.abc import Collection, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock import stored
from playdock.db.database import Database
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.models import Task
from playdock.tasks import lease_queries, queries
from playdock.tasks.errors import Cancelled, LeaseLost, Stopping

_Arguments = TypeVar("_Arguments", bound=stored.TaskArguments)
# Four renewals (`runner.py`) may be late before another runner takes the task over.
LEASE = timedelta(seconds=12)
# How long a task that waits for other threads may take to notice that it must stop.
_CHECK_SECONDS = 0.3


class TaskContext(Struct):
    """A claimed task.

    `check` and `advance` raise `Interrupted` when the task must stop; a task handler calls one of them often.
    """

    task: Task
    db: Database
    clock: Clock
    stopping: threading.Event
    progress: float = 0.0
    cancelled: bool = False
    lost: bool = False
    completed: bool = False
    _saved: float = field(default=-1.0)

    def arguments(self, struct: type[_Arguments]) -> _Arguments:
        """Return what the task was enqueued with."""
        return stored.decode(self.task.arguments, struct)

    def check(self) -> None:
        """Raise an error if the task must stop.

        Raises:
            LeaseLost, Cancelled, Stopping: The reason why it must stop.
        """
        if self.lost:
            raise LeaseLost
        if self.cancelled:
            raise Cancelled
        if self.stopping.is_set():
            raise Stopping

    def advance(self, done: float, total: float) -> None:
        """Set the progress, which the runner's heartbeat stores, and raise an error as `check` does."""
        self.progress = 100.0 * done / total if total else 100.0
        self.check()

    def wait_for(self, running: Collection[Future[Any]]) -> None:
        """Wait for other threads, and raise an error as `check` does while waiting."""
        while wait(running, timeout=_CHECK_SECONDS).not_done:
            self.check()

    def log(self, message: Message, *, level: str = "info") -> None:
        """Add an entry to the task's log, unless another runner has the task."""
        with self.db.write() as session:
            if lease_queries.lock(session, self.task) is not None:
                queries.add_line(session, self.task.id, at=self.clock(), level=level, message=message)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Open a transaction for a step that is repeated after an interruption."""
        with self._locked() as session:
            yield session

    @contextmanager
    def checkpoint(self) -> Iterator[Session]:
        """Open a transaction for a step that is not repeated after an interruption; it resets the count of crashes."""
        with self._locked() as session:
            lease_queries.reset_crashes(session, self.task)
            yield session

    @contextmanager
    def complete(self) -> Iterator[Session]:
        """Open the last transaction, which commits its changes together with the task's success."""
        with self._locked() as session:
            yield session
            lease_queries.end(session, self.task, at=self.clock(), values={"success": True, "progress": 100.0})
        self.completed = True

    @contextmanager
    def _locked(self) -> Iterator[Session]:
        """Open a transaction in which no other one can claim or cancel the task."""
        self.check()
        with self.db.write() as session:
            cancelled = lease_queries.lock(session, self.task)
            if cancelled is None:
                raise LeaseLost
            self.cancelled = cancelled
            self.check()
            yield session

    def renew_lease(self, *, renew: bool) -> None:
        """Store the progress and renew the lease. The runner's heartbeat calls this."""
        if not renew and self.progress == self._saved:
            return
        progress = self.progress
        with self.db.write() as session:
            cancelled = lease_queries.renew(session, self.task, at=self.clock(), lease=LEASE, progress=progress)
        self._saved = progress
        self.lost = cancelled is None and not self.completed
        # A cancellation is final, and the runner may have learned of it after the row was read.
        self.cancelled = self.cancelled or bool(cancelled)
