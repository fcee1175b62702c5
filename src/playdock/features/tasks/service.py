"""Watching, listing, cancelling and starting tasks."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.backups.errors import BackupFolderUnset
from playdock.db.database import Database
from playdock.features.bulk_import.service import ImportRuns
from playdock.features.tasks.errors import GroupNotStartable
from playdock.features.tasks.maintenance import BACKUP, WEEKLY, daily, new_task_for, startable
from playdock.kit.clock import Clock
from playdock.models import Node, Task, TaskLogEntry
from playdock.nodes import queries as node_queries
from playdock.settings import Settings
from playdock.tasks import queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskEnded, TaskUnknown

_MAX_LISTED_TASKS = 200


class WatchedTask(Struct, frozen=True):
    """A task with its log, oldest line first."""

    task: Task
    lines: Sequence[TaskLogEntry]


class TaskOverview(Struct, frozen=True):
    """The oldest active tasks and the newest ended ones, how many there are in all, and the last scheduled runs."""

    unfinished: Sequence[Task]
    unfinished_count: int
    finished: Sequence[Task]
    finished_count: int
    last_runs: Sequence[Task]
    daily: Sequence[str]
    weekly: Sequence[str]


class RunningNode(Struct, frozen=True):
    """A node with the processes of one release: the start of the oldest, and when one was last known to run."""

    name: str
    release: str
    processes: int
    started: datetime
    seen: datetime


class Tasks(Struct, frozen=True):
    """Operations on background tasks."""

    db: Database
    clock: Clock
    settings: Settings
    import_runs: ImportRuns
    notify_runner: Callable[[], None]

    def show(self, actor: Actor, task_id: str) -> WatchedTask:
        """Return a task with its log.

        Raises:
            TaskUnknown: There is no such task, or the caller has none of its rights.
        """
        with self.db.read() as session:
            task = queries.find(session, task_id)
            if task is None or not any(acl in actor.acls for acl in task.acls):
                raise TaskUnknown
            return WatchedTask(task, queries.lines(session, {task_id: 0}))

    def read_watched(self, positions: Mapping[str, int]) -> tuple[Mapping[str, Task], Sequence[TaskLogEntry]]:
        """Return tasks and their log lines after given ids, for the poller, which checks the permissions."""
        with self.db.read() as session:
            return queries.find_all(session, positions.keys()), queries.lines(session, positions)

    def overview(self, actor: Actor) -> TaskOverview:
        """Return the active tasks, those that ended lately, and the last run of each scheduled one."""
        actor.require(Permission.TASK_READ)
        with self.db.read() as session:
            active, ended = queries.counts(session)
            return TaskOverview(
                queries.unfinished(session, most=_MAX_LISTED_TASKS),
                active,
                queries.finished(session, most=_MAX_LISTED_TASKS),
                ended,
                queries.last_ended(session, startable(self.settings)),
                daily(self.settings),
                WEEKLY,
            )

    def nodes(self, actor: Actor) -> Sequence[RunningNode]:
        """Return the nodes that are running, by name."""
        actor.require(Permission.TASK_READ)
        now = self.clock()
        with self.db.read() as session:
            processes = node_queries.list_alive(session, at=now)
        # Processes with SQLite are on this machine, which has just been asked; they write few heartbeats.
        seen = now if self.db.embedded else None
        groups = groupby(sorted(processes, key=_node_and_release), _node_and_release)
        return [_running_node(name, release, list(members), seen=seen) for (name, release), members in groups]

    def cancel(self, actor: Actor, task_id: str) -> None:
        """Cancel a task, and what it has queued.

        Raises:
            TaskUnknown: there is none.
            TaskEnded: it is over.
        """
        actor.require(Permission.TASK_CANCEL)
        with self.db.write() as session:
            if not queries.cancel(session, task_id, at=self.clock()):
                if queries.find(session, task_id) is None:
                    raise TaskUnknown
                raise TaskEnded
            self.import_runs.cancel_queued(session, task_id)
        self.notify_runner()

    def start(self, actor: Actor, task_type: str) -> str:
        """Start a maintenance task now and return its id.

        Raises:
            GroupNotStartable: it is no maintenance.
            BackupFolderUnset: it is the backup, for which there is no folder.
            TaskAlreadyRunning: it is running.
        """
        actor.require(Permission.TASK_START)
        if task_type == BACKUP and not self.settings.backup_folder:
            raise BackupFolderUnset
        if task_type not in startable(self.settings):
            raise GroupNotStartable(list(startable(self.settings)))
        with self.db.write() as session:
            task_id = enqueue(session, new_task_for(task_type), at=self.clock())
        self.notify_runner()
        return task_id


def _node_and_release(process: Node) -> tuple[str, str]:
    return process.name, process.release


def _running_node(name: str, release: str, processes: Sequence[Node], *, seen: datetime | None) -> RunningNode:
    started = min(each.started for each in processes)
    return RunningNode(name, release, len(processes), started, seen or max(each.heartbeat for each in processes))
