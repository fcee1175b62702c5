"""The tasks that carry out changes of files, and erase what is in the trash."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import structlog
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.orm import Session

from playdock import stored
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.domain.games import queries as game_queries
from playdock.domain.installations.errors import LayerMissing
from playdock.domain.installations.service import Installations, VersionRevision
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.domain.libraries.service import is_managed
from playdock.domain.library_files import queries
from playdock.features.bulk_import.service import ImportPlan
from playdock.features.editing.service import Editing
from playdock.features.library_files.changes import CHANGE_FILES, CLEAN_TRASH, FileChanges
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesGone,
    MoveSpaceMissing,
    PlaceOccupied,
)
from playdock.features.library_files.rules import RESERVED_BYTES, UNIMPORTED, UNPACKING, ChangeKind, name_at
from playdock.features.library_files.switching import Switch, remove_pictures
from playdock.features.library_files.trash import ERASE_TRASH
from playdock.features.library_files.unpacking import UnpackingSteps
from playdock.features.version_import.rules import NameOnDisk
from playdock.features.version_import.service import new_reimport
from playdock.kit.errors import PlaydockError
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.kit.storage_failures import writing
from playdock.models import FileChange, Library
from playdock.storage.backends import NotListed
from playdock.storage.comparing import compare
from playdock.storage.folder_operations import PlaceTaken
from playdock.storage.library_files import FilesMissing, FilesNotMovable, LibraryFolder, is_in_trash
from playdock.storage.library_policy import LocationUnusable
from playdock.storage.moving_files import FilesChanged, FilesMove
from playdock.stored import versions_subject
from playdock.stored_file_changes import ChangeFilesArguments, EraseTrashArguments, RestorableRows, StoredFileChange
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import Cancelled, RetryableFailure, TaskAlreadyRunning, TaskFailed
from playdock.tasks.new_task import NewTask

_log = structlog.get_logger()
# Tasks notice that they have been cancelled within a second. Those that do not may fail, which does no harm.
_READERS_SECONDS = 5.0
_POLL_SECONDS = 0.05


class ChangeExecutor(Struct, frozen=True):
    """Carries out changes of files that have been recorded, for tasks of this feature and of others."""

    changes: FileChanges
    editing: Editing
    import_plan: ImportPlan
    installations: Installations
    request_scan: Callable[[], bool]

    def carry_out(self, context: TaskContext, row: FileChange, *, settle: bool = False) -> None:
        """Complete a change; to ``settle`` it is to undo it unless its files have been moved."""
        Carrier(self, context, row).carry_out(settle=settle)


class ChangeFiles(Struct, frozen=True):
    """Carries out one change of files."""

    executor: ChangeExecutor
    task_type: str = CHANGE_FILES

    def run(self, context: TaskContext) -> None:
        arguments = context.arguments(ChangeFilesArguments)
        with context.db.read() as session:
            row = queries.find_change(session, arguments.change)
        if row is not None:
            self.executor.carry_out(context, row, settle=arguments.settle)


class EraseTrash(Struct, frozen=True):
    """Erases some of what is in the trash."""

    executor: ChangeExecutor
    task_type: str = ERASE_TRASH

    def run(self, context: TaskContext) -> None:
        items = context.arguments(EraseTrashArguments).items
        for number, item_id in enumerate(items):
            context.advance(number, len(items))
            erase(self.executor, context, item_id)


class CleanTrash(Struct, frozen=True):
    """Erases what has been in the trash for too long, and completes or undoes changes that were interrupted."""

    executor: ChangeExecutor
    task_type: str = CLEAN_TRASH

    def run(self, context: TaskContext) -> None:
        self._settle(context)
        before = context.clock() - self.executor.changes.kept
        with context.db.read() as session:
            expired = queries.items_before(session, before)
            libraries = library_queries.list_all(session)
        for number, item_id in enumerate(expired):
            context.advance(number, len(expired))
            with ignoring_failures(item_id):
                erase(self.executor, context, item_id)
        for library in filter(is_managed, libraries):
            context.check()
            with ignoring_failures(library.id):
                self._sweep(context, self.executor.changes.folder_of(library))

    def _settle(self, context: TaskContext) -> None:
        with context.db.read() as session:
            rows = queries.all_changes(session)
        for row in rows:
            with suppress(TaskAlreadyRunning):
                self.executor.changes.settle(row)

    def _sweep(self, context: TaskContext, folder: LibraryFolder) -> None:
        def is_known(change_id: str) -> bool:
            context.check()
            with context.db.read() as session:
                return queries.find_change(session, change_id) is not None

        folder.erase_deleted()
        folder.erase_unfinished_copies(but=is_known)


def erase(executor: ChangeExecutor, context: TaskContext, item_id: str) -> None:
    """Erase something in the trash, unless it is being restored. Its games's other changes wait for this."""
    with context.checkpoint() as session:
        item = queries.find_item(session, item_id)
        if item is None:
            return
        planned = executor.changes.planned_erasure(item)
        row = executor.changes.add(session, planned, new_id(), task_id=context.task.id)
        if row is None:
            row = queries.change_of_game(session, item.game_id)
            if row is None or row.task_id != context.task.id:
                return
    executor.carry_out(context, row)


@contextmanager
def ignoring_failures(subject: str) -> Iterator[None]:
    """Log why something could not be cleaned up; it is tried again on the next day."""
    try:
        yield
    except (PlaydockError, OSError, LocationUnusable, TaskFailed, RetryableFailure) as error:
        _log.warning("the trash could not be cleaned up", subject=subject, reason=str(error))


class Carrier(Struct, frozen=True):
    """Carries out a change that has been recorded, from where it was interrupted.

    The files are moved first, which can be repeated. One transaction then changes the rows and forgets the change. If
    that is no longer possible, the files are moved back.
    """

    executor: ChangeExecutor
    context: TaskContext
    row: FileChange

    @property
    def change(self) -> StoredFileChange:
        return stored.decode(self.row.change, StoredFileChange)

    def carry_out(self, *, settle: bool = False) -> None:
        """Complete the change; to ``settle`` it is to undo it unless its files have been moved."""
        try:
            with writing():
                self._carry_out(settle=settle)
        except FileNotFoundError:
            raise RetryableFailure("Library unavailable", Message("no-such-folder")) from None
        except LocationUnusable as reason:
            raise RetryableFailure("Library unavailable", reason.message) from None

    def _carry_out(self, *, settle: bool) -> None:
        if self.row.kind == ChangeKind.ERASE:
            self._erase()
            return
        source, target = self._library(self.row.library_id), self._library(self.change.target_library)
        move = FilesMove(self.row.id, self._folder(source), self._folder(target), self.change.paths)
        backends = self.executor.changes.backends
        unpacking = UnpackingSteps(backends, self._library, self.context, self.row, self.change, move)
        if self.row.switched:
            self._finish(move)
            return
        if settle and not move.is_placed() and all(move.source.has(each) for each in unpacking.originals):
            self._undo(move, unpacking)
            return
        try:
            self._stop_readers()
            unpacking.carry_out()
            self._move(move)
            self._switch(move, target)
        except (Cancelled, TaskFailed):
            self._undo(move, unpacking)
            raise
        except (PlaceTaken, FilesMissing, FilesNotMovable, FilesChanged, UnusableVersion, PlaydockError) as error:
            self._undo(move, unpacking)
            raise _failure(error, move) from None
        except VersionChanged as reason:
            raise RetryableFailure("Version changed", reason.message) from None
        unpacking.finish()
        self.executor.request_scan()

    def _stop_readers(self) -> None:
        """Cancel what reads the files, such as the creation of patches, and wait until it has ended: it would fail."""
        subject, deadline = versions_subject(self.row.game_id), time.monotonic() + _READERS_SECONDS
        with self.context.checkpoint() as session:
            task_queries.cancel_below(session, subject, at=self.context.clock())
        while self._is_read(subject) and time.monotonic() < deadline:
            self.context.check()
            time.sleep(_POLL_SECONDS)

    def _is_read(self, subject: str) -> bool:
        with self.context.db.read() as session:
            return task_queries.any_active_below(session, subject)

    def _move(self, move: FilesMove) -> None:
        total, done = 0, 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            self.context.advance(done, total)

        if move.source.base != move.target.base and not move.is_placed() and not move.is_copied():
            total = move.source.size_of([each.source for each in move.paths], advance=advance)
            free = move.target.free_bytes() - RESERVED_BYTES
            if total > free and not move.is_on_one_disk():
                raise MoveSpaceMissing(size=total, free=max(0, free))
        move.carry_out(advance)

    def _switch(self, move: FilesMove, target: Library) -> None:
        counted = [each.target for each in move.paths if is_in_trash(each.target)]
        size = move.target.size_of(counted, advance=lambda _: self.context.check())
        switch = Switch(self.executor.editing, self.row, self.change, size)
        changed = self._with_other_times(target) if move.is_copied() else ()
        with self.context.checkpoint() as session:
            switch.apply(session, at=self.context.clock())
            self._discard_plan(session)
            for new_task in changed:
                with suppress(TaskAlreadyRunning):
                    enqueue(session, new_task, at=self.context.clock())
            if move.is_copied():
                queries.set_switched(session, self.row.id)
            else:
                queries.remove_change(session, self.row.id)
        if move.is_copied():
            self._finish(move)

    def _discard_plan(self, session: Session) -> None:
        """Discard what is proposed for games that are not imported, of which something was unpacked or deleted."""
        if self.row.kind not in UNIMPORTED:
            return
        import_plan, at = self.executor.import_plan, self.context.clock()
        paths = [path for each in self.change.paths for path in (each.source, each.target)]
        games = {path.partition("/")[0]: at for path in paths}
        import_plan.discard_outdated(session, self.change.target_library, games)
        if packed := self.change.packed:
            import_plan.discard_outdated(session, packed.library, {packed.game: at})

    def _with_other_times(self, target: Library) -> list[NewTask]:
        """Return the tasks that re-import the versions whose copies have other times, as on some disks."""
        if self.row.kind not in (ChangeKind.MOVE_GAME, ChangeKind.MOVE_VERSION):
            return []
        moved_id = self.change.version
        with self.context.db.read() as session:
            game = game_queries.find_game(session, self.change.target_game or self.row.game_id)
            versions = game_queries.versions_of(session, self.row.game_id)
        if game is None:
            return []
        moved = {each.source: each.target for each in self.change.paths}
        files, tasks = self.executor.changes.backends.files_of(game, target), []
        files = files if moved_id else replace(files, path=moved.get(game.path, game.path))
        for version in versions:
            if moved_id not in (None, version.id):
                continue
            name = name_at(self.change.paths[0].target, before=version.name) if moved_id else version.name
            with suppress(LayerMissing, NotListed, UnusableVersion, FileNotFoundError):
                layer = self.executor.installations.layer(VersionRevision.of(version))
                tree = files.open_listed(NameOnDisk(name, beside=version.beside and not moved_id))
                if not compare(tree, layer).same_times:
                    tasks.append(new_reimport(game, version, name=name))
        return tasks

    def _finish(self, move: FilesMove) -> None:
        """Delete the originals of what was copied, and forget the change."""
        move.finish()
        with self.context.db.write() as session:
            queries.remove_change(session, self.row.id)
        move.source.erase_deleted()

    def _undo(self, move: FilesMove, unpacking: UnpackingSteps) -> None:
        if self.row.kind in UNPACKING:
            unpacking.undo()
        else:
            move.undo()
        with self.context.db.write() as session:
            queries.remove_change(session, self.row.id)
        move.target.erase_deleted()

    def _erase(self) -> None:
        folder = self._folder(self._library(self.row.library_id))
        folder.discard([each.source for each in self.change.paths], self.row.id)
        with self.context.checkpoint() as session:
            item = queries.find_item(session, self.change.item)
            obsolete = remove_pictures(session, stored.decode(item.removal, RestorableRows)) if item else []
            queries.remove_item(session, self.change.item)
            queries.remove_change(session, self.row.id)
        self.executor.editing.game_metadata.artwork.discard(obsolete)
        folder.erase_deleted()

    def _library(self, library_id: str) -> Library:
        with self.context.db.read() as session:
            library = library_queries.find(session, library_id)
        if library is None:
            raise TaskFailed("Library removed", LibraryUnknown().message())
        return library

    def _folder(self, library: Library) -> LibraryFolder:
        return self.executor.changes.folder_of(library)


def _failure(error: Exception, move: FilesMove) -> TaskFailed:
    """Return why the task of a change fails, for people."""
    known: PlaydockError
    if isinstance(error, PlaydockError):
        known = error
    elif isinstance(error, UnusableVersion):
        return TaskFailed("Archive unusable", error.message)
    elif isinstance(error, PlaceTaken):
        known = PlaceOccupied(move.paths[-1].target.rpartition("/")[2])
    elif isinstance(error, FilesNotMovable):
        known = FilesAreLinked()
    else:
        known = FilesGone()
    return TaskFailed(known.title(), known.message())
