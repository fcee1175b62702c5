"""The runner: a thread that looks for due tasks, one per queue that runs them, and one that renews their leases."""

import os
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.db.notifying import Channel
from playdock.kit.clock import Clock
from playdock.kit.messages import Message, code_of, parameters_of
from playdock.kit.workers import default_node, is_dead, new_worker_id
from playdock.models import Task
from playdock.tasks import lease_queries, queries, rules
from playdock.tasks.context import LEASE, TaskContext
from playdock.tasks.errors import Cancelled, Interrupted, LeaseLost, Postponed, TaskFailed
from playdock.tasks.new_task import Queue
from playdock.tasks.registry import TaskRegistry
from playdock.tasks.task_signal import TaskSignal

_log = structlog.get_logger()

# How often tasks are looked for that nobody signals: those of other processes on SQLite, those that become due, and
# those of runners that are gone.
_POLL_SECONDS = 1.0
# While the database notifies of tasks, and none waits or runs elsewhere: in case a notification is lost.
_SAFETY_POLL_SECONDS = 10.0
# How often progress is stored and a cancellation noticed.
_HEARTBEAT_SECONDS = 0.3
# A quarter of the lease (`context.py`), so that one failed renewal loses nothing.
_RENEW_SECONDS = 3.0
# How late scheduled maintenance may start.
_TICK_SECONDS = 60.0
# Tasks check at least this often whether they must stop; those that do not are continued by the next runner.
_STOP_SECONDS = 2.5
# Keeps a database that is unreachable from filling the log.
_DELAY_AFTER_FAILURE_SECONDS = 2.0
# Not higher: a thread that waits for a core while it holds the interpreter's lock delays the whole service.
_LOW_PRIORITY_NICENESS = 5
_MAX_NICENESS = 19


class Runner:
    """Runs tasks until it is stopped. Any number of runners may share a database."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        registry: TaskRegistry,
        *,
        signal: TaskSignal,
        on_tick: Callable[[], None],
        on_failure: Callable[[Session, Task, Message], None] = lambda _session, _task, _reason: None,
        worker_id: str = "",
        cpu_tasks: int = 1,
    ) -> None:
        self._db = db
        self._clock = clock
        self._registry = registry
        self._signal = signal
        self._on_tick = on_tick
        self._on_failure = on_failure
        self._worker_id = worker_id or new_worker_id(default_node())
        self._cpu_tasks = cpu_tasks
        self._notifications = db.listen(Channel.TASKS, signal.notify)
        self._stopping = threading.Event()
        self._contexts: dict[str, TaskContext] = {}
        self._due = {queue: threading.Event() for queue in Queue}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        self._log_failure("tasks of dead runners could not be taken over", self._take_over)
        self._threads = [
            threading.Thread(target=self._heartbeat, name="tasks-heartbeat", daemon=True),
            threading.Thread(target=self._poll, name="tasks-poll", daemon=True),
        ]
        for queue in Queue:
            for _ in range(self._cpu_tasks if queue is Queue.CPU else 1):
                name = f"tasks-{queue.value}"
                self._threads.append(threading.Thread(target=self._run_all, args=[queue], name=name, daemon=True))
        for thread in self._threads:
            thread.start()
        self._notifications.start()

    def stop(self) -> None:
        """Stop within a few seconds, and release the tasks that are running."""
        self._stopping.set()
        self._signal.notify()
        for due in self._due.values():
            due.set()
        deadline = time.monotonic() + _STOP_SECONDS
        self._notifications.stop()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _take_over(self) -> None:
        """Expire the leases of runners that died on this machine, instead of waiting for that."""
        with self._db.read() as session:
            dead = [worker_id for worker_id in lease_queries.worker_ids(session) if is_dead(worker_id)]
        if dead:
            with self._db.write() as session:
                lease_queries.expire(session, dead, at=self._clock())

    def _poll(self) -> None:
        """Look for due tasks of all queues with one query, and wake the threads of their queues."""
        while not self._stopping.is_set():
            quiet = self._log_failure("due tasks could not be looked up", self._wake_queues)
            self._signal.wait(seconds=_SAFETY_POLL_SECONDS if quiet else _POLL_SECONDS)

    def _wake_queues(self) -> bool:
        """Wake the queues of due tasks and stop cancelled ones; return whether notifications suffice from here on."""
        # Notifications that arrive from here on wake this thread again.
        notified = self._notifications.connected
        running = dict(self._contexts)
        with self._db.read() as session:
            due = lease_queries.due_queues(session, types=self._registry.task_types, at=self._clock())
            quiet = notified and not queries.any_active_elsewhere(session, self._worker_id)
            cancelled = queries.cancelled_among(session, running) if running else ()
        for queue in due:
            self._due[queue].set()
        for task_id in cancelled:
            running[task_id].cancelled = True
        return quiet

    def _run_all(self, queue: Queue) -> None:
        if queue in (Queue.PATCHES, Queue.LOW, Queue.BACKGROUND):
            _lower_priority()
        while not self._stopping.is_set():
            self._due[queue].wait()
            self._due[queue].clear()
            self._run_due(queue)

    def _run_due(self, queue: Queue) -> None:
        running = True
        while running and not self._stopping.is_set():
            running = self._log_failure("tasks could not be claimed", partial(self._run_next, queue))

    def _log_failure(self, event: str, call: Callable[[], object]) -> bool:
        """Call a function, and log an exception instead of ending the thread that all later tasks depend on."""
        try:
            return bool(call())
        except Exception as error:  # noqa: BLE001 - the reason just given
            _log.error(event, exc_info=error)
            self._stopping.wait(_DELAY_AFTER_FAILURE_SECONDS)
            return False

    def _run_next(self, queue: Queue) -> bool:
        task = self._claim(queue)
        if task is not None:
            self._run(task)
        return task is not None

    def _claim(self, queue: Queue) -> Task | None:
        """Claim a task of a type that this release knows, so that those of a newer one wait for its runners."""
        now, types = self._clock(), self._registry.task_types
        worker_id, cpu_tasks = self._worker_id, self._cpu_tasks
        with self._db.read() as session:
            if not lease_queries.any_due(session, queue, types=types, worker_id=worker_id, cpu_tasks=cpu_tasks, at=now):
                return None
        with self._db.write() as session:
            return lease_queries.claim(
                session, queue, types=types, worker_id=worker_id, at=now, lease=LEASE, cpu_tasks=cpu_tasks
            )

    def _run(self, task: Task) -> None:
        context = TaskContext(
            task, self._db, self._clock, self._stopping, progress=task.progress, cancelled=task.cancelled
        )
        self._contexts[task.id] = context
        try:
            self._step(task, context)
        except LeaseLost:
            _log.warning("another runner has the task", task=task.id)
        except Cancelled:
            self._end(context, title=queries.CANCELLED_TITLE, detail=queries.CANCELLED_DETAIL)
        except Postponed as wait:
            self._release(context, due=wait.due, retries=task.retries)
        except Interrupted:
            self._release(context, due=task.due, retries=task.retries)
        except Exception as error:  # noqa: BLE001 - any exception of a handler becomes the outcome of its task
            self._handle_failure(context, error)
        finally:
            del self._contexts[task.id]

    def _step(self, task: Task, context: TaskContext) -> None:
        context.check()
        if task.crashes > rules.MAX_CRASHES:
            self._end(context, title="Given up", detail=Message("given-up", count=task.crashes))
            return
        self._registry[task.task_type].run(context)
        if not context.completed:
            with context.complete():
                pass

    def _handle_failure(self, context: TaskContext, error: Exception) -> None:
        """Retry or end a failed task. While the service stops, resources of the task may have been closed already."""
        if self._stopping.is_set():
            self._release(context, due=context.task.due, retries=context.task.retries)
            return
        action = rules.classify_failure(error)
        trace = None if isinstance(error, TaskFailed) else error
        fields = {"task": context.task.id, "group": context.task.task_type, "reason": action.detail}
        _log.warning("task failed", **fields, exc_info=trace)
        if action.retryable and context.task.retries < rules.MAX_RETRIES:
            pause = rules.delay_before_retry(context.task.retries)
            context.log(Message("retrying", reason=action.detail, seconds=pause.seconds), level="warn")
            self._release(context, due=self._clock() + pause, retries=context.task.retries + 1)
            return
        self._end(context, title=action.title, detail=action.detail)

    def _end(self, context: TaskContext, *, title: str, detail: Message) -> None:
        now = self._clock()
        with self._db.write() as session:
            values = {
                "error_title": title,
                "error_detail": str(detail),
                "error_code": code_of(detail),
                "error_parameters": parameters_of(detail),
            }
            if lease_queries.end(session, context.task, at=now, values=values):
                queries.add_line(session, context.task.id, at=now, level="error", message=detail)
                if title != queries.CANCELLED_TITLE:
                    self._on_failure(session, context.task, detail)

    def _release(self, context: TaskContext, *, due: datetime, retries: int) -> None:
        with self._db.write() as session:
            lease_queries.release(session, context.task, due=due, retries=retries)

    def _heartbeat(self) -> None:
        renewed = ticked = time.monotonic()
        while not self._stopping.wait(_HEARTBEAT_SECONDS):
            now = time.monotonic()
            renew = now - renewed >= _RENEW_SECONDS
            renewed = now if renew else renewed
            for context in list(self._contexts.values()):
                self._log_failure("a lease could not be renewed", partial(context.renew_lease, renew=renew))
            if now - ticked >= _TICK_SECONDS:
                ticked = now
                self._log_failure("the schedule could not be checked", self._on_tick)


def _lower_priority() -> None:
    """Lower the priority of this thread below that of the process. Only Linux has priorities of threads."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        # A service that runs with a higher niceness already may not choose a lower one.
        niceness = os.getpriority(os.PRIO_PROCESS, thread) + _LOW_PRIORITY_NICENESS
        os.setpriority(os.PRIO_PROCESS, thread, min(niceness, _MAX_NICENESS))
