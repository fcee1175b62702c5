"""Changes of files: planning them, recording them, and starting the tasks that carry them out."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.permissions import Permission
from playdock.content.archive_names import files_of, has_several_files
from playdock.db.database import Database
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryNotManaged, LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import LibraryBackends, base_dir_path, is_managed
from playdock.domain.library_files import queries
from playdock.features.editing.errors import VersionIsBase
from playdock.features.editing.service import reject_running_imports
from playdock.features.library_files import rules
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesChanging,
    FilesGone,
    FilesInUse,
    LibraryInS3,
    PlaceOccupied,
    VersionIsWholeGame,
)
from playdock.features.library_files.rules import ChangeKind, PlannedChange
from playdock.features.library_files.switching import require_unowned
from playdock.features.uploads import queries as upload_queries
from playdock.features.version_import.service import IMPORT_VERSION, REIMPORT
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import FileChange, Game, Library, TrashItem, Version
from playdock.settings import Settings
from playdock.storage.library_files import FilesNotMovable, LibraryFolder, trash_folder
from playdock.stored import ImportVersionArguments, versions_subject
from playdock.stored_file_changes import ChangeFilesArguments, MovedPath, StoredFileChange
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue

CHANGE_FILES = "change:files"
# Types of their own, so that nodes of earlier releases leave them alone (decision 99).
DELETE_UNIMPORTED, UNPACK_ELSEWHERE = "delete:unimported", "unpack:elsewhere"
_TYPES = {ChangeKind.DELETE_UNIMPORTED: DELETE_UNIMPORTED, ChangeKind.UNPACK_ELSEWHERE: UNPACK_ELSEWHERE}
CLEAN_TRASH = "cleanup:trash"


class GamePlace(Struct, frozen=True):
    """A game, its library, and the folder of that."""

    game: Game
    library: Library
    folder: LibraryFolder

    @property
    def layout(self) -> BackendKind:
        """The layout of the game's folder."""
        return BackendKind(self.game.layout or self.library.backend)

    @property
    def is_flat(self) -> bool:
        return self.layout is BackendKind.FLAT_FILESYSTEM

    def folder_of(self, version: Version) -> str:
        """Return the path of the folder that contains a version; empty for that of the library."""
        return "" if version.beside else self.game.path


class FileChanges(Struct, frozen=True):
    """Changes of files of managed libraries."""

    db: Database
    clock: Clock
    settings: Settings
    backends: LibraryBackends
    notify_runner: Callable[[], None]

    @property
    def kept(self) -> timedelta:
        """How long something is kept in the trash."""
        return timedelta(days=self.settings.trash_days)

    def begin(self, planned: PlannedChange, *, change_id: str = "") -> str:
        """Record a change, and start the task that carries it out.

        Raises:
            FilesInUse, TaskAlreadyRunning: the files are used by something else.
            FilesChanging: an earlier change was interrupted, which is completed or undone now.
        """
        with self.db.write() as session:
            change = self.add(session, planned, change_id or new_id())
            if change is not None:
                queue = Queue.LOW if planned.takes_long else Queue.DEFAULT
                change.task_id = enqueue(session, _task_of(change, planned.task_name, queue=queue), at=self.clock())
                queries.set_task(session, change.id, change.task_id)
            leftover = None if change else queries.earlier_change(session, planned.game_id, planned.change.target_game)
        if change is None:
            if leftover is not None:
                self.settle(leftover)
            raise FilesChanging
        self.notify_runner()
        return change.task_id

    def settle(self, change: FileChange) -> None:
        """Complete or undo a change that was interrupted, unless its task is active."""
        with self.db.write() as session:
            task_id = enqueue(session, _task_of(change, Message("files-settle"), settle=True), at=self.clock())
            queries.set_task(session, change.id, task_id)
        self.notify_runner()

    def add(self, session: Session, planned: PlannedChange, change_id: str, *, task_id: str = "") -> FileChange | None:
        """Record a change; None if there is an earlier one of its games. Raises LibraryUnknown and FilesInUse."""
        change = FileChange(
            id=change_id,
            kind=planned.kind.value,
            library_id=planned.library_id,
            game_id=planned.game_id,
            change=stored.encode(planned.change),
            switched=False,
            created=self.clock(),
            task_id=task_id,
        )
        libraries = sorted({planned.library_id, planned.change.target_library})
        if not all(library_queries.lock(session, each) for each in libraries):
            raise LibraryUnknown
        games = planned.game_id, planned.change.target_game
        if queries.earlier_change(session, *games) or not queries.add_change(session, change):
            return None
        if planned.kind is not ChangeKind.ERASE:
            self._require_unused(session, planned)
        return change

    def _require_unused(self, session: Session, planned: PlannedChange) -> None:
        require_unowned(session, planned)
        folders = {path.partition("/")[0] for each in planned.change.paths for path in (each.source, each.target)}
        tasks = task_queries.active_tasks(session, IMPORT_VERSION)
        imports = [stored.decode(task.arguments, ImportVersionArguments) for task in tasks]
        uploads = upload_queries.unplaced(session, planned.library_id)
        used = {each.game for each in uploads} | {each.name for each in imports if each.beside}
        if not folders.isdisjoint(used):
            raise FilesInUse
        subjects = tuple(versions_subject(each) for each in (planned.game_id, planned.change.target_game) if each)
        for task_type in (IMPORT_VERSION, REIMPORT):
            if any(task.subject.startswith(subjects) for task in task_queries.active_tasks(session, task_type)):
                raise FilesInUse

    def planned_game_deletion(self, game_id: str, change_id: str) -> PlannedChange:
        """Return the change that deletes a game. Raises as `LibraryFiles.delete_game` does."""
        place = self.place_of(game_id)
        paths = rules.renamed(self.names_of(place), folder="", new_folder=trash_folder(change_id))
        change = StoredFileChange(paths=paths, target_library=place.library.id)
        task_name = Message("files-delete-game", game=place.game.name)
        return PlannedChange(ChangeKind.DELETE_GAME, game_id, place.library.id, task_name, change)

    def planned_deletion(self, version: Version, place: GamePlace, change_id: str) -> PlannedChange:
        """Return the change that deletes a version. Raises as `LibraryFiles.delete_version` does."""
        if place.is_flat and not version.beside:
            raise VersionIsWholeGame
        with self.db.read() as session:
            if deltas := game_queries.deltas_over(session, version.id):
                raise VersionIsBase(deltas)
            reject_running_imports(session, version)
        folder = place.folder_of(version)
        names = self.names_in(place.folder, folder, version.name)
        paths = rules.renamed(names, folder=folder, new_folder=trash_folder(change_id))
        change = StoredFileChange(paths=paths, target_library=place.library.id, version=version.id)
        task_name = Message("files-delete-version", game=place.game.name, version=version.name)
        return PlannedChange(ChangeKind.DELETE_VERSION, place.game.id, place.library.id, task_name, change)

    def planned_erasure(self, item: TrashItem) -> PlannedChange:
        """Return the change that erases something in the trash."""
        change = StoredFileChange(
            paths=(MovedPath(trash_folder(item.id), ""),), target_library=item.library_id, item=item.id
        )
        return PlannedChange(ChangeKind.ERASE, item.game_id, item.library_id, Message("files-erase"), change)

    def managed(self, library_id: str) -> Library:
        """Return a library that the service may write to. Raises LibraryUnknown, and as `folder_of`."""
        with self.db.read() as session:
            library = library_queries.find(session, library_id)
        if library is None:
            raise LibraryUnknown
        self.folder_of(library)
        return library

    def folder_of(self, library: Library) -> LibraryFolder:
        """Return the folder of a library that the service may write to.

        Raises:
            LibraryNotManaged, LibraryInS3: the service must not write there.
            LocationForbidden: the settings no longer allow it.
        """
        if library.backend == BackendKind.S3:
            raise LibraryInS3
        if not is_managed(library):
            raise LibraryNotManaged
        policy = self.backends.policy
        policy.require_writable_place(base_dir_path(library))
        return LibraryFolder(base_dir_path(library), policy)

    def place_of(self, game_id: str) -> GamePlace:
        """Return the place of a game. Raises GameUnknown, and as `folder_of`."""
        with self.db.read() as session:
            found = game_queries.find_library_of(session, game_id)
        if found is None:
            raise GameUnknown
        return GamePlace(*found, self.folder_of(found[1]))

    def place_of_version(self, version_id: str) -> tuple[Version, GamePlace]:
        """Return a version and the place of its game. Raises VersionUnknown, and as `folder_of`."""
        with self.db.read() as session:
            version = game_queries.find_version(session, version_id)
        if version is None:
            raise VersionUnknown
        return version, self.place_of(version.game_id)

    def names_of(self, place: GamePlace) -> list[str]:
        """Return the names of the files and folders of a game and of the versions beside it that are there.

        Raises:
            FilesGone, FilesAreLinked: nothing is there, or it is reached through links.
        """
        with self.db.read() as session:
            versions = game_queries.versions_of(session, place.game.id)
        names: list[str] = []
        for each in (place.game.path, *(version.name for version in versions if version.beside)):
            with suppress(FilesGone):
                names += self.names_in(place.folder, "", each)
        if not names:
            raise FilesGone
        return names

    def names_in(self, library: LibraryFolder, folder: str, name: str) -> list[str]:
        """Return the names of the files or folders that a game or version consists of.

        Raises:
            FilesGone, FilesAreLinked: they are not there, or are reached through links.
        """
        path = f"{folder}/{name}" if folder else name
        try:
            library.require_movable(path)
            return files_of(name, library.names_beside(path)) if has_several_files(name) else [name]
        except FilesNotMovable:
            raise FilesAreLinked from None
        except FileNotFoundError:
            raise FilesGone from None

    def require_free(self, folder: LibraryFolder, paths: Sequence[MovedPath]) -> None:
        """Raise PlaceOccupied if there is something where files are to be moved."""
        for each in paths:
            if folder.has(each.target):
                raise PlaceOccupied(each.target.rpartition("/")[2])


def _task_of(change: FileChange, name: Message, *, queue: Queue = Queue.DEFAULT, settle: bool = False) -> NewTask:
    return NewTask(
        task_type=_TYPES.get(ChangeKind(change.kind), CHANGE_FILES),
        name=name,
        subject=f"files:{change.id}",
        queue=queue,
        acls=(Permission.LIBRARY_WRITE, Permission.TASK_READ),
        arguments=ChangeFilesArguments(change=change.id, settle=settle),
    )
