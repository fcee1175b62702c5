"""The runner: a thread a lane that claims tasks and carries them, and a pulse that keeps their leases alive."""

import os
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import structlog

from playdock.db.database import Database
from playdock.jobs import queries, rules
from playdock.jobs.drafts import Lane
from playdock.jobs.errors import Cancelled, Interrupted, LeaseLost, TaskFailed
from playdock.jobs.kinds import Kinds
from playdock.jobs.notifier import Notifier
from playdock.jobs.owners import is_dead, new_owner
from playdock.jobs.work import LEASE, Work
from playdock.kit.clock import Clock
from playdock.models import Task

_log = structlog.get_logger()

_POLL_SECONDS = 1.0
_PULSE_SECONDS = 0.3
_RENEW_SECONDS = 3.0
_TICK_SECONDS = 60.0
_STOP_SECONDS = 3.5
_PAUSE_AFTER_FAULT = 2.0
# No more: whoever waits for the processor with the interpreter's lock in hand holds up the whole service.
_SPARE_NICENESS = 5


class Runner:
    """Carries tasks until it is stopped. Any number of runners may share a database."""

    def __init__(
        self, db: Database, clock: Clock, kinds: Kinds, *, notifier: Notifier, on_tick: Callable[[], None]
    ) -> None:
        self._db = db
        self._clock = clock
        self._kinds = kinds
        self._notifier = notifier
        self._on_tick = on_tick
        self._owner = new_owner()
        self._stopping = threading.Event()
        self._works: dict[str, Work] = {}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        self._survive("tasks of dead runners cannot be taken over", self._take_over)
        self._threads = [threading.Thread(target=self._pulse, name="tasks-pulse", daemon=True)]
        for lane in Lane:
            name = f"tasks-{lane.value}"
            self._threads.append(threading.Thread(target=self._carry_all, args=[lane], name=name, daemon=True))
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Give back what is being carried and end, within a few seconds."""
        self._stopping.set()
        self._notifier.notify()
        deadline = time.monotonic() + _STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _take_over(self) -> None:
        """Let the leases of runners run out that died on this machine, instead of waiting for that."""
        with self._db.read() as session:
            dead = [owner for owner in queries.owners(session) if is_dead(owner)]
        if dead:
            with self._db.write() as session:
                queries.expire(session, dead, at=self._clock())

    def _carry_all(self, lane: Lane) -> None:
        if lane in (Lane.SPARE, Lane.IDLE):
            _step_back()
        while not self._stopping.is_set():
            carried = self._survive("tasks cannot be reached", partial(self._carry_next, lane))
            if not carried:
                self._notifier.wait(lane, seconds=_POLL_SECONDS)

    def _survive(self, fault: str, call: Callable[[], object]) -> bool:
        """Call something whose failure must not end the thread that all later tasks depend on."""
        try:
            return bool(call())
        except Exception as error:  # noqa: BLE001 - the reason just given
            _log.error(fault, exc_info=error)
            self._stopping.wait(_PAUSE_AFTER_FAULT)
            return False

    def _carry_next(self, lane: Lane) -> bool:
        task = self._claim(lane)
        if task is not None:
            self._carry(task)
        return task is not None

    def _claim(self, lane: Lane) -> Task | None:
        now = self._clock()
        with self._db.read() as session:
            if not queries.any_due(session, lane, owner=self._owner, at=now):
                return None
        with self._db.write() as session:
            return queries.claim(session, lane, owner=self._owner, at=now, until=now + LEASE)

    def _carry(self, task: Task) -> None:
        work = Work(task, self._db, self._clock, self._stopping, progress=task.progress, cancelled=task.cancelled)
        self._works[task.id] = work
        try:
            self._step(task, work)
        except LeaseLost:
            _log.warning("task went on elsewhere", task=task.id)
        except Cancelled:
            self._end(work, title=queries.CANCELLED[0], detail=queries.CANCELLED[1])
        except Interrupted:
            self._give_back(work, pause=timedelta(), retries=task.retries)
        except Exception as error:  # noqa: BLE001 - whatever a step raises must become the task's outcome
            self._judge(work, error)
        finally:
            del self._works[task.id]

    def _step(self, task: Task, work: Work) -> None:
        work.check()
        if task.crashes > rules.MOST_CRASHES:
            detail = f"The service stopped {task.crashes} times at the same point. Look at the server's log and memory."
            self._end(work, title="Given up", detail=detail)
            return
        self._kinds[task.task_group].run(work)
        if not work.completed:
            with work.complete():
                pass

    def _judge(self, work: Work, error: Exception) -> None:
        """Decide what an exception means. While the service stops, what the task was using may be closed already."""
        if self._stopping.is_set():
            self._give_back(work, pause=timedelta(), retries=work.task.retries)
            return
        verdict = rules.judge(error)
        trace = None if isinstance(error, TaskFailed) else error
        told = {"task": work.task.id, "group": work.task.task_group, "reason": verdict.detail}
        _log.warning("task failed", **told, exc_info=trace)
        if verdict.passes and work.task.retries < rules.MOST_RETRIES:
            pause = rules.pause_before_retry(work.task.retries)
            work.log(f"{verdict.detail} Trying again in {pause.seconds} seconds.", level="warn")
            self._give_back(work, pause=pause, retries=work.task.retries + 1)
            return
        self._end(work, title=verdict.title, detail=verdict.detail)

    def _end(self, work: Work, *, title: str, detail: str) -> None:
        now = self._clock()
        with self._db.write() as session:
            if queries.end(session, work.task, at=now, values={"error_title": title, "error_detail": detail}):
                queries.add_line(session, work.task.id, at=now, level="error", message=detail)

    def _give_back(self, work: Work, *, pause: timedelta, retries: int) -> None:
        with self._db.write() as session:
            queries.give_back(session, work.task, due=self._clock() + pause, retries=retries)

    def _pulse(self) -> None:
        renewed = ticked = time.monotonic()
        while not self._stopping.wait(_PULSE_SECONDS):
            now = time.monotonic()
            renew = now - renewed >= _RENEW_SECONDS
            renewed = now if renew else renewed
            for work in list(self._works.values()):
                self._survive("a lease could not be renewed", partial(work.beat, renew=renew))
            if now - ticked >= _TICK_SECONDS:
                ticked = now
                self._survive("the schedule could not be looked at", self._on_tick)


def _step_back() -> None:
    """Let others have the processor before this thread. Only Linux has priorities of threads."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _SPARE_NICENESS)
