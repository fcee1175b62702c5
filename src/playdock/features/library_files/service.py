"""Beginning changes of files."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from msgspec import UNSET, Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.archive_names import files_of, has_several_files
from playdock.db.database import Database
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryNotManaged, LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_path, is_managed
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
    VersionNotRenamable,
)
from playdock.features.library_files.rules import ChangeKind, PlannedChange
from playdock.features.library_files.schemas import GameFolderChange, VersionPlaceChange
from playdock.features.library_files.switching import require_unowned
from playdock.features.library_scans.service import LibraryScans
from playdock.features.uploads import queries as upload_queries
from playdock.features.version_import.service import REIMPORT
from playdock.features.version_import.service import TASK_TYPE as IMPORT
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import FileChange, Game, Library, TrashItem, Version
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


class LibraryFiles(Struct, frozen=True):
    """Operations on the files of managed libraries. Each of them returns the id of the task that carries it out."""

    library_scans: LibraryScans

    @property
    def db(self) -> Database:
        return self.library_scans.db

    @property
    def clock(self) -> Clock:
        return self.library_scans.clock

    @property
    def kept(self) -> timedelta:
        """How long something is kept in the trash."""
        return timedelta(days=self.library_scans.settings.trash_days)

    def change_folder(self, actor: Actor, game_id: str, data: GameFolderChange) -> str:
        """Rename the folder of a game, or move it to another managed library.

        Raises:
            GameUnknown, LibraryUnknown, LibraryNotManaged, LibraryInS3, InvalidInput: it cannot be moved there.
            PlaceOccupied, FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.GAME_UPDATE)
        place = self._place_of(game_id)
        target = place.library if data.library is UNSET else self.managed(data.library)
        old, new = place.game.path, place.game.path if data.path is UNSET else data.path
        errors = list(rules.game_name_errors(new, old=old, backend=place.layout)) if data.path is not UNSET else []
        if errors or (target.id == place.library.id and new == old):
            raise InvalidInput(errors or rules.unchanged())
        if target.backend != place.library.backend:
            raise InvalidInput(rules.other_layout())
        if new != old and has_several_files(old):
            raise VersionNotRenamable
        names = self._names_of(place) if target.id != place.library.id else self.names_in(place.folder, "", old)
        paths = tuple(MovedPath(name, new if name == old else name) for name in names)
        folder = self.folder_of(target)
        self.require_free(folder, paths)
        change = StoredFileChange(paths=paths, target_library=target.id)
        name = Message("files-move-game", game=place.game.name, path=new, library=target.name)
        return self.begin(
            PlannedChange(ChangeKind.MOVE_GAME, game_id, place.library.id, name, change, target.id != place.library.id)
        )

    def change_version(self, actor: Actor, version_id: str, data: VersionPlaceChange) -> str:
        """Rename the folder or archive of a version, or move it to another game.

        Raises:
            VersionUnknown, GameUnknown, LibraryNotManaged, LibraryInS3, InvalidInput, VersionNotRenamable,
                VersionIsWholeGame, VersionIsBase: it cannot be renamed, or moved there.
            PlaceOccupied, FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.VERSION_UPDATE)
        version, place = self.place_of_version(version_id)
        name = version.name if data.name is UNSET else data.name
        target = place if data.game is UNSET else self._place_of(data.game)
        is_moved = target.game.id != place.game.id
        if name != version.name or not is_moved:
            _require_renamable(version, place, name)
        if is_moved:
            self._require_movable(version, place, target)
        folder = place.folder_of(version)
        names = self.names_in(place.folder, folder, version.name)
        paths = rules.renamed(
            names,
            folder=folder,
            new_folder=target.game.path if is_moved else folder,
            new_name=name if name != version.name else "",
        )
        self.require_free(target.folder, paths)
        change = StoredFileChange(
            paths=paths,
            target_library=target.library.id,
            version=version_id,
            target_game=target.game.id if is_moved else "",
        )
        told = Message("files-rename-version", game=place.game.name, version=version.name, name=name)
        if is_moved:
            told = Message("files-move-version", game=place.game.name, version=version.name, other=target.game.name)
        kind = ChangeKind.MOVE_VERSION if is_moved else ChangeKind.RENAME_VERSION
        takes_long = target.library.id != place.library.id
        return self.begin(PlannedChange(kind, place.game.id, place.library.id, told, change, takes_long))

    def _require_movable(self, version: Version, place: GamePlace, target: GamePlace) -> None:
        """Raise VersionIsWholeGame, FilesGone, InvalidInput or VersionIsBase if another game cannot have a version."""
        if place.is_flat and not version.beside:
            raise VersionIsWholeGame
        if not target.folder.has(target.game.path):
            raise FilesGone
        if errors := list(rules.other_game_errors(delta=version.delta, flat=target.is_flat)):
            raise InvalidInput(errors)
        with self.db.read() as session:
            if deltas := game_queries.deltas_over(session, version.id):
                raise VersionIsBase(deltas)

    def delete_game(self, actor: Actor, game_id: str, typed: str) -> str:
        """Delete a game and put its files into the trash.

        Raises:
            GameUnknown, LibraryNotManaged, LibraryInS3, InvalidInput: its files must not be deleted.
            FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.GAME_DELETE)
        if errors := rules.confirmation_errors(typed, name=self._place_of(game_id).game.name):
            raise InvalidInput(errors)
        change_id = new_id()
        return self.begin(self.planned_game_deletion(game_id, change_id), change_id=change_id)

    def planned_game_deletion(self, game_id: str, change_id: str) -> PlannedChange:
        """Return the change that deletes a game. Raises as `delete_game` does."""
        place = self._place_of(game_id)
        paths = rules.renamed(self._names_of(place), folder="", new_folder=trash_folder(change_id))
        change = StoredFileChange(paths=paths, target_library=place.library.id)
        told = Message("files-delete-game", game=place.game.name)
        return PlannedChange(ChangeKind.DELETE_GAME, game_id, place.library.id, told, change)

    def delete_version(self, actor: Actor, version_id: str, typed: str) -> str:
        """Delete a version and put its files into the trash.

        Raises:
            VersionUnknown, LibraryNotManaged, LibraryInS3, InvalidInput, VersionIsWholeGame, VersionIsBase: its files
                must not be deleted.
            FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.VERSION_DELETE)
        version, place = self.place_of_version(version_id)
        if errors := rules.confirmation_errors(typed, name=version.name):
            raise InvalidInput(errors)
        change_id = new_id()
        return self.begin(self.planned_deletion(version, place, change_id), change_id=change_id)

    def planned_deletion(self, version: Version, place: GamePlace, change_id: str) -> PlannedChange:
        """Return the change that deletes a version. Raises as `delete_version` does."""
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
        told = Message("files-delete-version", game=place.game.name, version=version.name)
        return PlannedChange(ChangeKind.DELETE_VERSION, place.game.id, place.library.id, told, change)

    def planned_erasure(self, item: TrashItem) -> PlannedChange:
        """Return the change that erases something in the trash."""
        change = StoredFileChange(
            paths=(MovedPath(trash_folder(item.id), ""),), target_library=item.library_id, item=item.id
        )
        return PlannedChange(ChangeKind.ERASE, item.game_id, item.library_id, Message("files-erase"), change)

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
                change.task_id = enqueue(session, _task_of(change, planned.name, queue=queue), at=self.clock())
                queries.set_task(session, change.id, change.task_id)
            leftover = None if change else queries.earlier_change(session, planned.game_id, planned.change.target_game)
        if change is None:
            if leftover is not None:
                self.settle(leftover)
            raise FilesChanging
        self.library_scans.import_plan.notify_runner()
        return change.task_id

    def settle(self, change: FileChange) -> None:
        """Complete or undo a change that was interrupted, unless its task is active."""
        with self.db.write() as session:
            task_id = enqueue(session, _task_of(change, Message("files-settle"), settle=True), at=self.clock())
            queries.set_task(session, change.id, task_id)
        self.library_scans.import_plan.notify_runner()

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
        tasks = task_queries.active_tasks(session, IMPORT)
        imports = [stored.decode(task.arguments, ImportVersionArguments) for task in tasks]
        uploads = upload_queries.unplaced(session, planned.library_id)
        used = {each.game for each in uploads} | {each.name for each in imports if each.beside}
        if not folders.isdisjoint(used):
            raise FilesInUse
        subjects = tuple(versions_subject(each) for each in (planned.game_id, planned.change.target_game) if each)
        for task_type in (IMPORT, REIMPORT):
            if any(task.subject.startswith(subjects) for task in task_queries.active_tasks(session, task_type)):
                raise FilesInUse

    def folder_of(self, library: Library) -> LibraryFolder:
        """Return the folder of a library that the service may write to; for tasks too.

        Raises:
            LibraryNotManaged, LibraryInS3: the service must not write there.
            LocationForbidden: the settings no longer allow it.
        """
        if library.backend == BackendKind.S3:
            raise LibraryInS3
        if not is_managed(library):
            raise LibraryNotManaged
        policy = self.library_scans.backends.policy
        policy.require_writable_place(base_dir_path(library))
        return LibraryFolder(base_dir_path(library), policy)

    def managed(self, library_id: str) -> Library:
        """Return a library that the service may write to; for tasks too. Raises LibraryUnknown, and as `folder_of`."""
        with self.db.read() as session:
            library = library_queries.find(session, library_id)
        if library is None:
            raise LibraryUnknown
        self.folder_of(library)
        return library

    def _place_of(self, game_id: str) -> GamePlace:
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
        return version, self._place_of(version.game_id)

    def _names_of(self, place: GamePlace) -> list[str]:
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
        """Return the names of the files or folders that a game or version consists of; for other features too.

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


def _require_renamable(version: Version, place: GamePlace, name: str) -> None:
    """Raise VersionNotRenamable or InvalidInput if a version cannot get a name."""
    if (place.is_flat and not version.beside) or has_several_files(version.name):
        raise VersionNotRenamable
    if errors := list(rules.version_name_errors(name, old=version.name)):
        raise InvalidInput(errors)
    if name == version.name:
        raise InvalidInput(rules.unchanged())


def _task_of(change: FileChange, name: Message, *, queue: Queue = Queue.DEFAULT, settle: bool = False) -> NewTask:
    return NewTask(
        task_type=_TYPES.get(ChangeKind(change.kind), CHANGE_FILES),
        name=name,
        subject=f"files:{change.id}",
        queue=queue,
        acls=(Permission.LIBRARY_WRITE, Permission.TASK_READ),
        arguments=ChangeFilesArguments(change=change.id, settle=settle),
    )
