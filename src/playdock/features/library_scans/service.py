"""Requesting scans, and undoing what the rules of libraries have imported."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.bulk_import.service import ImportPlan
from playdock.features.editing.service import Editing
from playdock.features.library_scans import rules
from playdock.features.library_scans.errors import AutomaticImportUndone, AutomaticImportUnknown
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.models import FoundVersion, Game, Library
from playdock.nodes import queries as node_queries
from playdock.settings import Settings
from playdock.stored import TaskArguments
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

SCAN = "scan:libraries"
# As many as fit on a page.
_MAX_SHOWN = 100


def new_scan() -> NewTask:
    """Return the task that scans all libraries."""
    return NewTask(
        task_type=SCAN,
        name=Message("scan-libraries"),
        subject=SCAN,
        queue=Queue.LOW,
        acls=(Permission.TASK_READ,),
        arguments=TaskArguments(),
    )


class AutomaticImport(Struct, frozen=True):
    """A version that was imported because of a rule, and its game if that still exists."""

    found: FoundVersion
    library: Library
    game: Game | None


class LibraryScans(Struct, frozen=True):
    """Operations on scans and on what they imported."""

    settings: Settings
    import_plan: ImportPlan
    editing: Editing

    @property
    def db(self) -> Database:
        return self.import_plan.db

    @property
    def clock(self) -> Clock:
        return self.import_plan.clock

    @property
    def backends(self) -> LibraryBackends:
        return self.import_plan.backends

    def request(self) -> bool:
        """Scan all libraries now; for the watcher only. False if a scan is running, which may not notice everything."""
        now = self.clock()
        with self.db.write() as session:
            try:
                enqueue(session, new_scan(), at=now)
            except TaskAlreadyRunning as running:
                if not task_queries.bring_forward(session, running.task_id, at=now):
                    return False
        self.import_plan.notify_runner()
        return True

    def first_process(self) -> str | None:
        """Return the worker id of the process that watches; for the watcher only."""
        with self.db.read() as session:
            return node_queries.first_alive(session, at=self.clock())

    def libraries(self) -> Sequence[Library]:
        """Return all libraries; for the watcher only."""
        with self.db.read() as session:
            return library_queries.list_all(session)

    def any_waiting(self) -> bool:
        """Return whether rules have to be applied to a version, once its folder is planned; for tasks only."""
        with self.db.read() as session:
            libraries = library_queries.list_all(session)
            return any(found_queries.undecided(session, library.id) for library in libraries)

    def provider_deadline(self) -> datetime | None:
        """Return when a person is asked next about a new folder that waits for providers; for tasks only."""
        with self.db.read() as session:
            seen = found_queries.waiting_since(session, after=rules.not_asked_since(self.clock()))
        return rules.asked_at(seen) if seen else None

    def imported(self, actor: Actor) -> list[AutomaticImport]:
        """Return the versions that were imported because of rules, newest first."""
        actor.require(Permission.IMPORT_VERSION)
        with self.db.read() as session:
            rows = found_queries.imported_by_rules(session, most=_MAX_SHOWN)
            tasks = task_queries.find_all(session, [found.task_id for found, _ in rows if found.task_id])
            failed = {task_id for task_id, task in tasks.items() if task.ended and not task.success}
            kept = [(found, library) for found, library in rows if found.task_id not in failed]
            games = folder_queries.games_of_paths(session, [(found.library_id, found.path) for found, _ in kept])
        return [AutomaticImport(found, library, games.get((found.library_id, found.path))) for found, library in kept]

    def undo(self, actor: Actor, row_id: str) -> None:
        """Cancel the import of a version that was imported because of a rule, or delete it. Its files remain.

        Raises:
            AutomaticImportUnknown, AutomaticImportUndone: there is nothing to undo.
            VersionIsBase, TaskAlreadyRunning: the version is needed now.
        """
        actor.require(Permission.VERSION_DELETE)
        with self.db.write() as session:
            found = found_queries.find(session, row_id)
            if found is None or found.task_id is None:
                raise AutomaticImportUnknown
            if found.undone is not None:
                raise AutomaticImportUndone
            # From here on its import can no longer complete.
            task_queries.cancel(session, found.task_id, at=self.clock())
        with self.db.read() as session:
            version_id = folder_queries.version_at(session, found.library_id, found.path, found.version)
        if version_id is not None:
            self.editing.delete_version(actor, version_id)
        with self.db.write() as session:
            found_queries.undo(session, row_id, at=self.clock())
        self.import_plan.notify_runner()
