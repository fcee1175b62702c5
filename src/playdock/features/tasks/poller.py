"""One poller per process: it reads the tasks that web sockets watch, and passes the result to all of them.

However many sockets are open, the watched tasks are read with one query for the tasks and one for their new log lines,
at most five times a second, and not at all while nothing is watched.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

import anyio
from anyio import to_thread
from msgspec import Struct, field

from playdock.auth.actor import Actor
from playdock.auth.resolver import CredentialResolver
from playdock.features.tasks.service import Tasks, WatchedTask
from playdock.models import Task, TaskLogEntry
from playdock.tasks.errors import TaskUnknown

# A progress bar that moves five times a second looks continuous.
_POLL_SECONDS = 0.2


class Snapshot(Struct, frozen=True):
    """The result of one poll. ``positions`` has the line ids after which each task was read."""

    positions: Mapping[str, int]
    tasks: Mapping[str, Task]
    lines: Sequence[TaskLogEntry]
    actors: Mapping[str, Actor | None]

    def covers(self, task_id: str, *, after: int) -> bool:
        """Return whether this poll read the task and all lines of its log after a line's id."""
        return task_id in self.positions and self.positions[task_id] <= after

    def task(self, actor: Actor, task_id: str, *, after: int) -> WatchedTask:
        """Return a task that this poll covers.

        Raises:
            TaskUnknown: There is no such task, or the actor has none of its rights.
        """
        task = self.tasks.get(task_id)
        if task is None or not any(acl in actor.acls for acl in task.acls):
            raise TaskUnknown
        return WatchedTask(task, [line for line in self.lines if line.task_id == task_id and line.id > after])


class Watcher(Struct, eq=False):
    """What one socket watches: the id of the last log line it has sent, by task."""

    secret: str
    positions: dict[str, int] = field(default_factory=dict)
    _snapshot: Snapshot | None = None
    _error: Exception | None = None
    _updated: anyio.Event = field(default_factory=anyio.Event)

    def publish(self, snapshot: Snapshot | None, error: Exception | None = None) -> None:
        """Replace the snapshot that has not been taken yet: a later one contains all that the socket has not sent."""
        self._snapshot, self._error = snapshot, error
        self._updated.set()

    async def next_snapshot(self) -> Snapshot:
        """Wait for a snapshot that has not been taken.

        Raises:
            Exception: The poll has failed; whatever it raised.
        """
        while self._snapshot is None and self._error is None:
            self._updated = anyio.Event()
            await self._updated.wait()
        snapshot, error = self._snapshot, self._error
        self._snapshot = None
        if snapshot is None:
            raise error or RuntimeError
        return snapshot


class TaskPoller(Struct, eq=False):
    """Polls the tasks that its watchers watch. It belongs to the event loop's thread."""

    tasks: Tasks
    credentials: CredentialResolver
    _watchers: set[Watcher] = field(default_factory=set)
    _wake: anyio.Event = field(default_factory=anyio.Event)
    _running: asyncio.Task[None] | None = None

    def watch(self, watcher: Watcher, task_id: str) -> None:
        """Watch a task from the beginning of its log; the next poll begins at once."""
        watcher.positions[task_id] = 0
        self._watchers.add(watcher)
        self._wake.set()
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name="task-poller")

    def remove(self, watcher: Watcher) -> None:
        """Remove a watcher whose socket is closed."""
        self._watchers.discard(watcher)

    async def _run(self) -> None:
        """Poll until nothing is watched. A failed poll fails all watchers: their clients connect again."""
        try:
            while watchers := self._watching():
                self._wake = anyio.Event()
                snapshot = await self._poll(watchers)
                for watcher in watchers:
                    watcher.publish(snapshot)
                with anyio.move_on_after(_POLL_SECONDS):
                    await self._wake.wait()
        except Exception as error:  # noqa: BLE001 - each socket raises it again, and is closed with it
            for watcher in self._watching():
                watcher.publish(None, error)
        finally:
            self._running = None

    def _watching(self) -> list[Watcher]:
        return [watcher for watcher in self._watchers if watcher.positions]

    async def _poll(self, watchers: Sequence[Watcher]) -> Snapshot:
        positions = _lowest(watchers)
        actors = {secret: await self.credentials.find(secret) for secret in {watcher.secret for watcher in watchers}}
        tasks, lines = await to_thread.run_sync(partial(self.tasks.read_watched, positions))
        return Snapshot(positions, tasks, lines, actors)


def _lowest(watchers: Sequence[Watcher]) -> dict[str, int]:
    """Return the watched tasks, each with the lowest position that a watcher has in its log."""
    positions: dict[str, int] = {}
    for watcher in watchers:
        for task_id, after in watcher.positions.items():
            positions[task_id] = min(after, positions.get(task_id, after))
    return positions
