"""Work: what a running task's step is given."""

import threading
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.jobs import queries
from playdock.jobs.errors import Cancelled, LeaseLost, Stopping
from playdock.kit.clock import Clock
from playdock.models import Task

LEASE = timedelta(seconds=12)
_LOOK_SECONDS = 0.3


@dataclass(slots=True)
class Work:
    """A claimed task in the hands of its step.

    `check` and `advance` raise `Interrupted` when the step must stop; a step calls one of them often.
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

    @property
    def arguments(self) -> Mapping[str, Any]:
        return self.task.arguments

    def check(self) -> None:
        """Go on only while the task is ours and wanted.

        Raises:
            LeaseLost, Cancelled, Stopping: it is not.
        """
        if self.lost:
            raise LeaseLost
        if self.cancelled:
            raise Cancelled
        if self.stopping.is_set():
            raise Stopping

    def advance(self, done: float, total: float) -> None:
        """Tell how far the task is; the pulse writes it down."""
        self.progress = 100.0 * done / total if total else 100.0
        self.check()

    def wait_for(self, running: Collection[Future[Any]]) -> None:
        """Wait for what other threads do, and no longer than the task is ours and wanted."""
        while wait(running, timeout=_LOOK_SECONDS).not_done:
            self.check()

    def log(self, message: str, *, level: str = "info") -> None:
        """Add a line that people who watch the task see; it is left out if the task has gone on elsewhere."""
        with self.db.write() as session:
            if queries.hold(session, self.task) is not None:
                queries.add_line(session, self.task.id, at=self.clock(), level=level, message=message)

    @contextmanager
    def checkpoint(self) -> Iterator[Session]:
        """Open a transaction for something that the next runner shall not do again; crashes count anew from there."""
        with self._held() as session:
            queries.forget_crashes(session, self.task)
            yield session

    @contextmanager
    def complete(self) -> Iterator[Session]:
        """Open the last transaction: what it writes and the task's success appear together or not at all."""
        with self._held() as session:
            yield session
            queries.end(session, self.task, at=self.clock(), values={"success": True, "progress": 100.0})
        self.completed = True

    @contextmanager
    def _held(self) -> Iterator[Session]:
        """Open a transaction in which nobody else can take or cancel the task."""
        self.check()
        with self.db.write() as session:
            cancelled = queries.hold(session, self.task)
            if cancelled is None:
                raise LeaseLost
            self.cancelled = cancelled
            self.check()
            yield session

    def beat(self, *, renew: bool) -> None:
        """Write down progress and renew the lease; called by the runner's pulse, not by steps."""
        if not renew and self.progress == self._saved:
            return
        progress = self.progress
        with self.db.write() as session:
            cancelled = queries.renew(session, self.task, until=self.clock() + LEASE, progress=progress)
        self._saved = progress
        self.lost = cancelled is None and not self.completed
        self.cancelled = bool(cancelled)
