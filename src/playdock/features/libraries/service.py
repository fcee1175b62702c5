"""Adding, changing and removing libraries."""

import os.path
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from msgspec import UNSET, Struct, field
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.locks import LockLevel, advisory_lock
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.rules import UNLIKE_NEWEST
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown
from playdock.domain.libraries import queries
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import LibraryBackends, base_dir_of, is_managed, rules_of
from playdock.domain.library_files import queries as file_queries
from playdock.features.libraries import rules
from playdock.features.libraries.errors import (
    LibraryFilesChanging,
    LibraryInUse,
    RemovalStarted,
    RemovalUnknown,
    TrashNotEmpty,
    UploadsUnfinished,
)
from playdock.features.libraries.schemas import FolderOptions, LibraryChanges, LibraryCreate, RulesRequest
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Library
from playdock.storage.library_policy import LocationForbidden, LocationUnusable
from playdock.storage.probes import ProbePool
from playdock.stored import LibraryOptions, LibraryRules, RemoveLibraryArguments, removal_subject
from playdock.stored_file_changes import StoredFileChange
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue

# A library whose disk hangs must not delay the start; it is checked when it is used.
_PROBE_SECONDS = 2.0
_NOT_RESPONDING = Message("storage-timeout")
REMOVE_LIBRARY = "remove:library"
# Long enough to notice a mistake and find the button.
_UNDO_TIME = timedelta(minutes=5)


class LibraryStatus(Struct, frozen=True):
    """A library, and whether its folder can currently be used."""

    library: Library
    working: bool


class Removal(Struct, frozen=True):
    """The task that removes a library with its games, and when it starts."""

    library_id: str
    task_id: str
    starts: datetime


class Libraries(Struct, frozen=True):
    """Operations on libraries; ``discard_plan`` deletes what the plan says of the folders of one."""

    db: Database
    clock: Clock
    backends: LibraryBackends
    discard_plan: Callable[[Session, str], None]
    probes: ProbePool[Message | None] = field(default_factory=ProbePool)

    def list_all(self, actor: Actor) -> list[LibraryStatus]:
        """Return all libraries, and whether each can currently be used."""
        actor.require(Permission.SOURCES_READ)
        return [self._status(row) for row in self._all()]

    def is_available(self, actor: Actor, game_id: str) -> bool:
        """Return whether the library of a game can currently be read; not if it does not respond in time.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            found = game_queries.find_library_of(session, game_id)
        if found is None:
            raise GameUnknown
        library = found[1]
        probe = partial(self.backends.fault_of, library, has_games=True)
        faults = self.probes.probe({base_dir_of(library): probe}, seconds=_PROBE_SECONDS)
        return faults.get(base_dir_of(library), _NOT_RESPONDING) is None

    def forbidden(self) -> Iterator[tuple[str, Message]]:
        """Yield the name of each library that must not be where it is, and why; for the server's command line only."""
        rows = self._all()
        probes = {base_dir_of(row): partial(self._objection, row) for row in rows}
        found = ProbePool[Message | None]().probe(probes, seconds=_PROBE_SECONDS)
        for row in rows:
            if reason := found.get(base_dir_of(row)):
                yield row.name, reason

    def add(self, actor: Actor, data: LibraryCreate) -> Library:
        """Add a library.

        Raises:
            InvalidInput: its folder cannot be read, contains the service's data, is that of another library or overlaps
                with a managed one, with the reason.
        """
        actor.require(Permission.SOURCES_NEW)
        return self.establish(data)

    def establish(self, data: LibraryCreate) -> Library:
        """Add a library without an actor; for the server's command line only."""
        row = self.prepare(data)
        with self.db.write() as session:
            queries.add(session, row)
        return row

    def prepare(self, data: LibraryCreate) -> Library:
        """Return a library to add.

        Raises:
            InvalidInput: its folder cannot be read, contains the service's data, is that of another library or overlaps
                with a managed one, with the reason.
        """
        row = self._new_library(data)
        self._require_usable(row, is_new=True)
        return row

    def establish_first(self, base_dir: str) -> Library | None:
        """Add the library specified in the settings if there are no libraries.

        Raises:
            LocationUnusable: its folder cannot be read, with the reason.
        """
        if self._all():
            return None
        options = FolderOptions(base_dir=str(Path(base_dir).absolute()))
        row = self._new_library(LibraryCreate(name="Library", backend=BackendKind.FILESYSTEM, options=options))
        self.backends.of(row).check()
        with self.db.write() as session:
            advisory_lock(session, LockLevel.FIRST_LIBRARY)
            if queries.list_all(session):
                return None
            queries.add(session, row)
        return row

    def change(self, actor: Actor, changes: LibraryChanges) -> LibraryStatus:
        """Change a library's name, folder, layout or rules, and return it.

        Raises:
            LibraryUnknown: no library has this id.
            InvalidInput: the new folder cannot be read, contains the service's data, is that of another library or
                overlaps with a managed one, with the reason, or the backend is no layout of folders.
            UploadsUnfinished: the old folder has incomplete uploads.
            LibraryFilesChanging: files in the old folder are being renamed, moved or deleted.
        """
        actor.require(Permission.SOURCES_UPDATE)
        with self.db.read() as session:
            row = queries.find(session, changes.id)
        if row is None:
            raise LibraryUnknown
        values: dict[str, Any] = {} if changes.name is UNSET else {"name": changes.name}
        previous, was_managed = base_dir_of(row), is_managed(row)
        if isinstance(changes.backend, BackendKind):
            if not rules.is_layout_of(BackendKind(row.backend), changes.backend):
                raise InvalidInput([FieldError("backend", Message("library-backend-fixed"))])
            values["backend"] = row.backend = changes.backend.value
        if isinstance(changes.options, FolderOptions):
            values["options"] = row.options = _options(changes.options, default=previous)
            self._require_usable(row, is_new=(base_dir_of(row), is_managed(row)) != (previous, was_managed))
        if isinstance(changes.rules, RulesRequest):
            values["rules"] = _rules(changes.rules)
        if not values:
            return self._status(row)
        with self.db.write() as session:
            queries.lock(session, changes.id)
            if base_dir_of(row) != previous:
                self._require_unused(session, changes.id)
            if "backend" in values:
                self._change_layout(session, row)
            _forget_reasons(session, row, changes)
            changed = queries.change(session, changes.id, values)
        if changed is None:
            raise LibraryUnknown
        return self._status(changed)

    def _require_unused(self, session: Session, library_id: str) -> None:
        if queries.has_uploads(session, library_id):
            raise UploadsUnfinished
        for each in file_queries.all_changes(session):
            if library_id in {each.library_id, stored.decode(each.change, StoredFileChange).target_library}:
                raise LibraryFilesChanging

    def _change_layout(self, session: Session, row: Library) -> None:
        """Keep the layout of imported games, before that of their library becomes the one of ``row``."""
        before = queries.find(session, row.id)
        if before is not None and before.backend != row.backend:
            game_queries.change_layout(session, row.id, before=before.backend, after=row.backend)
            self.discard_plan(session, row.id)

    def remove(self, actor: Actor, library_id: str) -> None:
        """Remove a library without imported games.

        Raises:
            LibraryUnknown: no library has this id.
            LibraryInUse: games have been imported from it.
            UploadsUnfinished: what is being uploaded to it would never be deleted.
            TrashNotEmpty: something can still be restored to it.
        """
        actor.require(Permission.SOURCES_DELETE)
        with self.db.write() as session:
            if not queries.lock(session, library_id):
                raise LibraryUnknown
            if queries.has_games(session, library_id):
                raise LibraryInUse
            if queries.has_uploads(session, library_id):
                raise UploadsUnfinished
            if file_queries.is_library_used(session, library_id):
                raise TrashNotEmpty
            queries.remove(session, library_id)

    def start_removal(self, actor: Actor, library_id: str) -> Removal:
        """Remove a library with its games after a delay, during which this can be undone.

        Raises:
            LibraryUnknown: no library has this id.
            UploadsUnfinished: what is being uploaded to it would never be deleted.
            TaskAlreadyRunning: it is removed already.
            TrashNotEmpty: something can still be restored to it.
        """
        actor.require(Permission.SOURCES_DELETE)
        actor.require(Permission.GAME_DELETE)
        now = self.clock()
        with self.db.write() as session:
            library = queries.find(session, library_id)
            if library is None:
                raise LibraryUnknown
            if queries.has_uploads(session, library_id):
                raise UploadsUnfinished
            if file_queries.is_library_used(session, library_id):
                raise TrashNotEmpty
            task_id = enqueue(session, _removal_of(library), at=now)
        return Removal(library_id, task_id, now + _UNDO_TIME)

    def removals(self, actor: Actor) -> list[Removal]:
        """Return the libraries that are removed with their games, or are about to be."""
        actor.require(Permission.SOURCES_READ)
        with self.db.read() as session:
            return [
                Removal(stored.decode(task.arguments, RemoveLibraryArguments).library, task.id, task.due)
                for task in task_queries.active_tasks(session, REMOVE_LIBRARY)
            ]

    def undo_removal(self, actor: Actor, library_id: str) -> None:
        """Keep a library and its games.

        Raises:
            RemovalUnknown: it is not about to be removed.
            RemovalStarted: its games are being removed already.
        """
        actor.require(Permission.SOURCES_DELETE)
        with self.db.write() as session:
            task_id = task_queries.active_task_on(session, removal_subject(library_id))
            if task_id is None or not task_queries.cancel(session, task_id, at=self.clock()):
                raise RemovalUnknown
            task = task_queries.find(session, task_id)
            # The cancellation is rolled back.
            if task is None or task.started is not None:
                raise RemovalStarted

    def _all(self) -> Sequence[Library]:
        with self.db.read() as session:
            return queries.list_all(session)

    def _objection(self, row: Library) -> Message | None:
        try:
            self.backends.of(row).check()
        except LocationForbidden as reason:
            return reason.message
        except LocationUnusable:
            return None
        return None

    def _status(self, row: Library) -> LibraryStatus:
        with self.db.read() as session:
            has_games = queries.has_games(session, row.id)
        return LibraryStatus(row, self.backends.fault_of(row, has_games=has_games) is None)

    def _require_usable(self, row: Library, *, is_new: bool) -> None:
        """Refuse a place that cannot be used. With earlier releases, libraries could have the same folder."""
        if fault := rules.fault_of_place(BackendKind(row.backend), base_dir_of(row)):
            raise InvalidInput([FieldError("options.baseDir", fault)])
        if is_new:
            self._require_apart(row)
        try:
            if is_managed(row):
                self.backends.prepare_managed(row)
            self.backends.of(row).check()
        except LocationUnusable as reason:
            raise InvalidInput([FieldError("options.baseDir", reason.message)]) from None

    def _require_apart(self, row: Library) -> None:
        """Refuse the folder of another library, and one that overlaps with it if either is managed.

        Only ``row``'s own is read.
        """
        if BackendKind(row.backend) is BackendKind.S3:
            return
        places = {_folder_of(row), PurePath(Path(base_dir_of(row)).resolve())}
        for other in self._all():
            if other.id == row.id or BackendKind(other.backend) is BackendKind.S3:
                continue
            if is_managed(row) or is_managed(other):
                if any(_overlap(place, _folder_of(other)) for place in places):
                    raise InvalidInput([FieldError("options.baseDir", Message("library-overlaps", library=other.name))])
            elif _folder_of(other) in places:
                raise InvalidInput([FieldError("options.baseDir", Message("library-twice", library=other.name))])

    def _new_library(self, data: LibraryCreate) -> Library:
        library_id, own = new_id(), self.backends.policy.own
        return Library(
            id=library_id,
            name=data.name,
            backend=data.backend.value,
            options=_options(data.options, default=str(own.absolute() / library_id) if own else ""),
            rules=_rules(data.rules),
            created=self.clock(),
        )


def _folder_of(library: Library) -> PurePath:
    return PurePath(os.path.normpath(base_dir_of(library)))


def _overlap(folder: PurePath, other: PurePath) -> bool:
    return folder.is_relative_to(other) or other.is_relative_to(folder)


def _options(options: FolderOptions, *, default: str) -> dict[str, Any]:
    """Return options to store. A managed library without a folder gets the default one."""
    base_dir = options.base_dir or (default if options.managed else "")
    if not base_dir:
        raise InvalidInput([FieldError("options.baseDir", Message("library-folder-required"))])
    return stored.encode(LibraryOptions(base_dir=base_dir, managed=options.managed))


def _removal_of(library: Library) -> NewTask:
    return NewTask(
        task_type=REMOVE_LIBRARY,
        name=Message("remove-library", library=library.name),
        subject=removal_subject(library.id),
        queue=Queue.DEFAULT,
        acls=(Permission.SOURCES_DELETE, Permission.TASK_READ),
        arguments=RemoveLibraryArguments(library=library.id),
        delay=_UNDO_TIME,
    )


def _forget_reasons(session: Session, row: Library, changes: LibraryChanges) -> None:
    """Forget why the rules have not imported versions, if they import none any more."""
    is_over = isinstance(changes.rules, RulesRequest) and not changes.rules.import_versions
    if is_over and rules_of(row).import_versions:
        reasons = found_queries.left_out_as(session, row.id, UNLIKE_NEWEST)
        found_queries.forget_reasons(session, reasons.values())


def _rules(rules: RulesRequest) -> dict[str, Any]:
    return stored.encode(
        LibraryRules(import_games=rules.import_games, import_versions=rules.import_versions, ignore=tuple(rules.ignore))
    )
