"""What unpacking would take, and starting it."""

from collections.abc import Sequence

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.layouts import DEFAULT_VERSION, Entry, holds_versions
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_path
from playdock.domain.library_files import queries as change_queries
from playdock.domain.library_files.rules import place_id
from playdock.features.library_files.changes import FileChanges
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesChanging,
    FilesGone,
    GameInOneLibrary,
    LibraryInS3,
    PackedVersionImported,
    PlaceOccupied,
    UnpackedNotVersion,
    UnpackSpaceMissing,
)
from playdock.features.library_files.rules import (
    RESERVED_BYTES,
    ChangeKind,
    PlannedChange,
    other_game_errors,
    unpacked_beside,
)
from playdock.features.uploads.rules import name_errors
from playdock.features.version_import.storage_errors import storage_errors_translated
from playdock.features.version_unpacking import rules
from playdock.features.version_unpacking.schemas import PackedVersion, PackedVersionQuery
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Game, Library
from playdock.storage.backends import entries_in
from playdock.storage.entries import Tree
from playdock.storage.installer_tree import InstallerTree
from playdock.storage.library_files import FilesNotMovable, LibraryFolder, trash_folder
from playdock.storage.locations import VersionLocation
from playdock.storage.unpacked_folders import UnpackedSize, packed_version, unpacked_path, unpacked_size
from playdock.stored_file_changes import MovedPath, PackedPlace, StoredFileChange


class Packed(Struct, frozen=True):
    """A version that is packed, what it has unpacked, and where it is unpacked.

    ``path`` is that of the archive or installer in the folder of its library, ``names`` are the files that it consists
    of, ``target`` is the path that the unpacked folder gets in ``folder``, and ``game`` is the imported game that the
    folder belongs to. ``packed_size`` are the bytes of the files, ``free`` those that are free for the folder.
    """

    game: Game | None
    path: str
    names: list[str]
    packed_size: int
    unpacked: UnpackedSize
    library: Library
    folder: LibraryFolder
    target: str
    free: int

    @property
    def folder_name(self) -> str:
        return self.target.rpartition("/")[2]


class VersionUnpacking(Struct, frozen=True):
    """Unpacks archives and installers that are not imported, in their library or into another one."""

    changes: FileChanges

    def examine(self, actor: Actor, data: PackedVersion | PackedVersionQuery) -> Packed:
        """Return what unpacking a version would take.

        Raises:
            LibraryUnknown, LibraryNotManaged, LibraryInS3, InvalidInput: Playdock cannot write there.
            GameNotListed, VersionNotListed, VersionUnusable, LibraryUnavailable: it cannot be read.
            PackedVersionImported, GameInOneLibrary, FilesAreLinked, FilesGone, UnpackedNotVersion: it is not unpacked.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.IMPORT_VERSION)
        return self._examine(data)

    def start(self, actor: Actor, data: PackedVersion) -> str:
        """Start unpacking a version, and return the task's id.

        Raises the same errors as `examine`, and:
            InvalidInput, PlaceOccupied, UnpackSpaceMissing: there is no place for the folder.
            FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.IMPORT_VERSION)
        packed = self._examine(data)
        is_elsewhere = packed.library.id != data.library
        # The folder of the game may have to be made, too.
        made = packed.target.split("/") if is_elsewhere else [packed.folder_name]
        if errors := [error for name in made for error in name_errors("version", name)]:
            raise InvalidInput(errors)
        self._require_free(packed)
        if packed.unpacked.needed > packed.free:
            raise UnpackSpaceMissing(size=packed.unpacked.needed, free=packed.free)
        change_id = new_id()
        plan = _elsewhere if is_elsewhere else _beside
        with self.changes.db.read() as session:
            # It was begun before the game was imported.
            if packed.game and change_queries.change_of_game(session, place_id(packed.library.id, packed.game.path)):
                raise FilesChanging
        return self.changes.begin(plan(data, packed, change_id), change_id=change_id)

    def _require_free(self, packed: Packed) -> None:
        """Raise PlaceOccupied if there is something, or an imported version, where the folder is to be."""
        game, _, name = packed.target.partition("/")
        is_file = packed.folder.has(game) and not packed.folder.has_folder(game)
        if is_file or packed.folder.has(packed.target):
            raise PlaceOccupied(packed.folder_name)
        if packed.game is None or packed.game.path != game:
            return
        with self.changes.db.read() as session:
            if game_queries.version_of_name(session, packed.game.id, name or DEFAULT_VERSION):
                raise PlaceOccupied(packed.folder_name)

    def _examine(self, data: PackedVersion | PackedVersionQuery) -> Packed:
        library = self.changes.managed(data.target or data.library)
        is_elsewhere = library.id != data.library
        source = self._readable(data.library) if is_elsewhere else library
        game = self._game_at(source, data.game)
        if game and game.path != data.game:
            raise PackedVersionImported
        self._require_unimported(game, data.version, is_elsewhere=is_elsewhere)
        if errors := list(rules.target_errors(BackendKind(source.backend), BackendKind(library.backend))):
            raise InvalidInput(errors)
        backend = self.changes.backends.with_layout(source, game.layout if game else None)
        folder = self.changes.folder_of(library)
        files = LibraryFolder(base_dir_path(source), folder.policy)
        with storage_errors_translated(backend):
            tree, location = packed_version(backend, data.game, data.version)
            path, unpacked = location.name, unpacked_size(tree, folder)
            place = backend.location(data.game, data.version).name
            is_folder = place != path
            target = place if is_folder and is_elsewhere else unpacked_beside(path)
            names = _names(tree, path) if is_elsewhere else _movable_names(files, tree, path)
            if is_elsewhere:
                game = self._game_at(library, target.partition("/")[0])
                if game and game.path != target.partition("/")[0]:
                    raise PlaceOccupied(game.name)
                _require_versions(game, target)
            if game is None and (is_folder or data.version != DEFAULT_VERSION):
                _require_version(library, folder, target, but=() if is_elsewhere else names)
            packed_size = sum((files.base / path).parent.joinpath(each).stat().st_size for each in names)
            free = max(0, folder.free_bytes() - RESERVED_BYTES)
        return Packed(game, path, names, packed_size, unpacked, library, folder, target, free)

    def _require_unimported(self, game: Game | None, version: str, *, is_elsewhere: bool) -> None:
        """Raise PackedVersionImported, or GameInOneLibrary if the folder would belong to another game."""
        if game is None:
            return
        with self.changes.db.read() as session:
            if game_queries.version_of_name(session, game.id, version):
                raise PackedVersionImported
        if is_elsewhere:
            raise GameInOneLibrary

    def _game_at(self, library: Library, path: str) -> Game | None:
        with self.changes.db.read() as session:
            game_id = folder_queries.owner_of_path(session, library.id, path)
            return game_queries.find_game(session, game_id) if game_id else None

    def _readable(self, library_id: str) -> Library:
        """Return a library on disk, which Playdock may only read. Raises LibraryUnknown and LibraryInS3."""
        with self.changes.db.read() as session:
            library = library_queries.find(session, library_id)
        if library is None:
            raise LibraryUnknown
        if library.backend == BackendKind.S3:
            raise LibraryInS3
        return library


def _beside(data: PackedVersion, packed: Packed, change_id: str) -> PlannedChange:
    """Return the change that unpacks an archive in its library, and puts it into the trash."""
    paths = rules.moves(packed.names, packed.path, trash=trash_folder(change_id), unpacked=unpacked_path(change_id))
    game_id, title = _owner(packed, data.game)
    change = StoredFileChange(paths=paths, target_library=data.library, title=title)
    task_name = Message("files-unpack", name=packed.path.rpartition("/")[2], game=title)
    return PlannedChange(ChangeKind.UNPACK, game_id, data.library, task_name, change, takes_long=True)


def _elsewhere(data: PackedVersion, packed: Packed, change_id: str) -> PlannedChange:
    """Return the change that unpacks an archive into another library, and lets its own library ignore it."""
    library, (game_id, title) = packed.library, _owner(packed, packed.target.partition("/")[0])
    place = PackedPlace(library=data.library, game=data.game, version=data.version)
    paths = (MovedPath(unpacked_path(change_id), packed.target),)
    change = StoredFileChange(paths=paths, target_library=library.id, title=title, packed=place)
    name = packed.path.rpartition("/")[2]
    task_name = Message("files-unpack-elsewhere", name=name, game=title, library=library.name)
    return PlannedChange(ChangeKind.UNPACK_ELSEWHERE, game_id, library.id, task_name, change, takes_long=True)


def _owner(packed: Packed, folder: str) -> tuple[str, str]:
    """Return the id and the name of the game that the unpacked folder belongs to, which may not be imported."""
    return (packed.game.id, packed.game.name) if packed.game else (place_id(packed.library.id, folder), folder)


def _names(tree: Tree, path: str) -> list[str]:
    return [file.path for file in tree.names()] if isinstance(tree, InstallerTree) else [path.rpartition("/")[2]]


def _movable_names(folder: LibraryFolder, tree: Tree, path: str) -> list[str]:
    """Return the names of the files that a version consists of. Raises FilesAreLinked if one of them is a link."""
    parent, names = path.rpartition("/")[0], _names(tree, path)
    try:
        for each in names:
            folder.require_movable(f"{parent}/{each}" if parent else each)
    except FilesNotMovable:
        raise FilesAreLinked from None
    except FileNotFoundError:
        raise FilesGone from None
    return names


def _require_versions(game: Game | None, target: str) -> None:
    """Raise InvalidInput if a folder is put into that of a game without folders for versions."""
    is_flat = game is not None and "/" in target and game.layout == BackendKind.FLAT_FILESYSTEM
    if errors := list(other_game_errors(delta=False, flat=is_flat)):
        raise InvalidInput(errors)


def _require_version(library: Library, folder: LibraryFolder, target: str, *, but: Sequence[str]) -> None:
    """Raise UnpackedNotVersion if a game's folder with a new one, instead of some files, would be a version itself."""
    place, _, name = target.rpartition("/")
    if library.backend != BackendKind.MIXED_FILESYSTEM or not place:
        return
    beside = entries_in(VersionLocation(folder.base, place, folder.policy)) if folder.has(place) else []
    entries = [each for each in beside if each.name not in but]
    if not holds_versions(place, [*entries, Entry(name, is_folder=True, is_version=True)]):
        raise UnpackedNotVersion(name)
