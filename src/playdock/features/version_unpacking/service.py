"""What unpacking would take, and starting it."""

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.archive_names import installer_files
from playdock.domain.games import queries as game_queries
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesGone,
    PlaceOccupied,
    UnpackSpaceMissing,
)
from playdock.features.library_files.rules import RESERVED_BYTES, ChangeKind, has_several_files
from playdock.features.library_files.service import LibraryFiles, PlannedChange
from playdock.features.version_import.service import storage_errors_translated
from playdock.features.version_unpacking import rules
from playdock.features.version_unpacking.errors import PackedVersionImported
from playdock.features.version_unpacking.schemas import PackedVersion, PackedVersionQuery
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Game
from playdock.storage.library_files import FilesNotMovable, LibraryFolder, trash_folder
from playdock.storage.unpacked_folders import UnpackedSize, unpacked_path, unpacked_size
from playdock.stored_file_changes import StoredFileChange


class Packed(Struct, frozen=True):
    """A version that is packed: its path in the folder of its library, its files, and what it has unpacked."""

    folder: LibraryFolder
    game: Game | None
    path: str
    names: list[str]
    unpacked: UnpackedSize

    @property
    def folder_name(self) -> str:
        return rules.unpacked_beside(self.path).rpartition("/")[2]

    @property
    def packed_size(self) -> int:
        parent = self.path.rpartition("/")[0]
        paths = [f"{parent}/{name}" if parent else name for name in self.names]
        return self.folder.size_of(paths, advance=lambda _: None)

    @property
    def free(self) -> int:
        return max(0, self.folder.free_bytes() - RESERVED_BYTES)


class VersionUnpacking(Struct, frozen=True):
    """Unpacks archives and installers that are not imported."""

    library_files: LibraryFiles

    def examine(self, actor: Actor, data: PackedVersion | PackedVersionQuery) -> Packed:
        """Return what unpacking a version would take.

        Raises:
            LibraryUnknown, LibraryNotManaged, LibraryInS3: Playdock does not change files there.
            GameNotListed, VersionNotListed, VersionUnusable, LibraryUnavailable: it cannot be read.
            PackedVersionImported, FilesAreLinked, FilesGone: it is not unpacked.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.IMPORT_VERSION)
        return self._examine(data)

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
            path = backend.location(data.game, data.version).name
            return Packed(folder, game, path, _names(folder, path), unpacked_size(tree))

    def start(self, actor: Actor, data: PackedVersion) -> str:
        """Start unpacking a version, and return the task's id.

        Raises the same errors as `examine`, and:
            PlaceOccupied, UnpackSpaceMissing: there is no place for the folder.
            FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.IMPORT_VERSION)
        packed = self._examine(data)
        if packed.folder.has(rules.unpacked_beside(packed.path)):
            raise PlaceOccupied(packed.folder_name)
        if packed.unpacked.size > packed.free:
            raise UnpackSpaceMissing(size=packed.unpacked.size, free=packed.free)
        change_id, name = new_id(), packed.path.rpartition("/")[2]
        paths = rules.moves(packed.names, packed.path, trash=trash_folder(change_id), unpacked=unpacked_path(change_id))
        game_id, title = rules.place_id(data.library, data.game), data.game
        if packed.game is not None:
            game_id, title = packed.game.id, packed.game.name
        change = StoredFileChange(paths=paths, target_library=data.library, title=title)
        told = Message("files-unpack", name=name, game=title)
        planned = PlannedChange(ChangeKind.UNPACK, game_id, data.library, told, change, takes_long=True)
        return self.library_files.begin(planned, change_id=change_id)


def _names(folder: LibraryFolder, path: str) -> list[str]:
    """Return the names of the files that a version consists of."""
    name = path.rpartition("/")[2]
    try:
        folder.require_movable(path)
        return installer_files(name, folder.names_beside(path)) if has_several_files(name) else [name]
    except FilesNotMovable:
        raise FilesAreLinked from None
    except FileNotFoundError:
        raise FilesGone from None
