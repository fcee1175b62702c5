"""What unpacking would take, and starting it."""

from collections.abc import Sequence

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.layouts import DEFAULT_VERSION, Entry, holds_versions, only_installer
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.library_files import queries as change_queries
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesChanging,
    FilesGone,
    PackedVersionImported,
    PlaceOccupied,
    UnpackedNotVersion,
    UnpackSpaceMissing,
)
from playdock.features.library_files.rules import RESERVED_BYTES, ChangeKind, place_id, unpacked_beside
from playdock.features.library_files.service import LibraryFiles, PlannedChange
from playdock.features.uploads.rules import name_errors
from playdock.features.version_import.service import storage_errors_translated
from playdock.features.version_unpacking import rules
from playdock.features.version_unpacking.schemas import PackedVersion, PackedVersionQuery
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Game, Library
from playdock.storage.backends import entries_in
from playdock.storage.entries import Tree
from playdock.storage.folder_tree import FolderTree
from playdock.storage.installer_tree import InstallerTree
from playdock.storage.library_files import FilesNotMovable, LibraryFolder, trash_folder
from playdock.storage.locations import VersionLocation
from playdock.storage.trees import open_tree
from playdock.storage.unpacked_folders import UnpackedSize, unpacked_path, unpacked_size
from playdock.stored_file_changes import StoredFileChange


class Packed(Struct, frozen=True):
    """A version that is packed: its path in the folder of its library, its files, and what it has unpacked.

    ``packed_size`` are the bytes of its files, ``free`` those that are free for the folder.
    """

    folder: LibraryFolder
    game: Game | None
    path: str
    names: list[str]
    unpacked: UnpackedSize
    packed_size: int
    free: int

    @property
    def folder_name(self) -> str:
        return unpacked_beside(self.path).rpartition("/")[2]


class VersionUnpacking(Struct, frozen=True):
    """Unpacks archives and installers that are not imported."""

    library_files: LibraryFiles

    def examine(self, actor: Actor, data: PackedVersion | PackedVersionQuery) -> Packed:
        """Return what unpacking a version would take.

        Raises:
            LibraryUnknown, LibraryNotManaged, LibraryInS3: Playdock does not change files there.
            GameNotListed, VersionNotListed, VersionUnusable, LibraryUnavailable: it cannot be read.
            PackedVersionImported, FilesAreLinked, FilesGone, UnpackedNotVersion: it is not unpacked.
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
        if errors := list(name_errors("version", packed.folder_name)):
            raise InvalidInput(errors)
        if packed.folder.has(unpacked_beside(packed.path)):
            raise PlaceOccupied(packed.folder_name)
        if packed.unpacked.needed > packed.free:
            raise UnpackSpaceMissing(size=packed.unpacked.needed, free=packed.free)
        unknown_id = place_id(data.library, data.game)
        with self.library_files.db.read() as session:
            # It was begun before the game was imported.
            if packed.game and change_queries.change_of_game(session, unknown_id):
                raise FilesChanging
        change_id, name = new_id(), packed.path.rpartition("/")[2]
        paths = rules.moves(packed.names, packed.path, trash=trash_folder(change_id), unpacked=unpacked_path(change_id))
        game_id, title = (packed.game.id, packed.game.name) if packed.game else (unknown_id, data.game)
        change = StoredFileChange(paths=paths, target_library=data.library, title=title)
        told = Message("files-unpack", name=name, game=title)
        planned = PlannedChange(ChangeKind.UNPACK, game_id, data.library, told, change, takes_long=True)
        return self.library_files.begin(planned, change_id=change_id)

    def _examine(self, data: PackedVersion | PackedVersionQuery) -> Packed:
        library = self.library_files.managed(data.library)
        with self.library_files.db.read() as session:
            game_id = game_queries.game_of_path(session, library.id, data.game)
            game = game_queries.find_game(session, game_id) if game_id else None
            imported = game is not None and game_queries.version_of_name(session, game.id, data.version)
        if imported:
            raise PackedVersionImported
        backend = self.library_files.library_scans.backends.with_layout(library, game.layout if game else None)
        folder = self.library_files.folder_of(library)
        with storage_errors_translated(backend):
            tree = backend.open(data.game, data.version)
            location = backend.location(data.game, data.version)
            is_folder = isinstance(tree, FolderTree)
            if is_folder and (installer := only_installer(entries_in(location))):
                location = VersionLocation(location.base, f"{location.name}/{installer}", location.policy)
                tree = open_tree(location)
            path, unpacked = location.name, unpacked_size(tree)
            names = _movable_names(folder, tree, path)
            if game is None and (is_folder or data.version != DEFAULT_VERSION):
                _require_version(library, folder, path, names)
            parent = path.rpartition("/")[0]
            packed_size = folder.size_of([f"{parent}/{each}" if parent else each for each in names], advance=_ignore)
            free = max(0, folder.free_bytes() - RESERVED_BYTES)
        return Packed(folder, game, path, names, unpacked, packed_size, free)


def _ignore(_: int) -> None: ...


def _movable_names(folder: LibraryFolder, tree: Tree, path: str) -> list[str]:
    """Return the names of the files that a version consists of. Raises FilesAreLinked if one of them is a link."""
    parent, _, name = path.rpartition("/")
    names = [file.path for file in tree.names()] if isinstance(tree, InstallerTree) else [name]
    try:
        for each in names:
            folder.require_movable(f"{parent}/{each}" if parent else each)
    except FilesNotMovable:
        raise FilesAreLinked from None
    except FileNotFoundError:
        raise FilesGone from None
    return names


def _require_version(library: Library, folder: LibraryFolder, path: str, names: Sequence[str]) -> None:
    """Raise UnpackedNotVersion if a game's folder would be a version itself, with the folder instead of the files."""
    if library.backend != BackendKind.MIXED_FILESYSTEM:
        return
    game = path.rpartition("/")[0]
    unpacked = unpacked_beside(path).rpartition("/")[2]
    entries = [each for each in entries_in(VersionLocation(folder.base, game, folder.policy)) if each.name not in names]
    if not holds_versions(game, [*entries, Entry(unpacked, is_folder=True, is_version=True)]):
        raise UnpackedNotVersion(unpacked)
