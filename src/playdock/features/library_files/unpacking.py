"""The steps of a change that unpacks an archive or installer, besides moving files and changing rows."""

from collections.abc import Callable

from msgspec import Struct

from playdock.domain.libraries.service import LibraryBackends
from playdock.features.library_files.errors import UnpackSpaceMissing
from playdock.features.library_files.rules import RESERVED_BYTES, UNPACKING, packed_among
from playdock.models import FileChange, Library
from playdock.storage.backends import NotListed
from playdock.storage.entries import Tree
from playdock.storage.folder_operations import PlaceTaken
from playdock.storage.library_files import FilesMissing, LibraryFolder
from playdock.storage.locations import VersionLocation
from playdock.storage.moving_files import FilesMove
from playdock.storage.trees import open_tree
from playdock.storage.unpacked_folders import (
    begin_placing,
    packed_version,
    placing_path,
    undo_placing,
    unpack_version,
    unpacked_path,
    unpacked_size,
)
from playdock.stored_file_changes import PackedPlace, StoredFileChange
from playdock.tasks.context import TaskContext


class UnpackingSteps(Struct, frozen=True):
    """What a change unpacks into the folder of a library, from which it is moved to its place.

    An archive in the same library is moved into the trash, and tells by that how far the change is. One in another
    library stays; then something is recorded in the folder of the library before the unpacked folder is moved.
    """

    backends: LibraryBackends
    find_library: Callable[[str], Library]
    context: TaskContext
    row: FileChange
    change: StoredFileChange
    move: FilesMove

    @property
    def originals(self) -> list[str]:
        """What was there before the change: everything but what it has unpacked itself."""
        return [each.source for each in self.change.paths if each.source != unpacked_path(self.row.id)]

    def carry_out(self) -> None:
        """Unpack an archive or installer if the change is to do that, unless it has been done.

        Raises:
            PlaceTaken, FilesMissing, UnusableVersion, VersionChanged, UnpackSpaceMissing: it cannot be unpacked.
            TaskFailed: the library of the archive was removed.
            OSError: a disk fails or is full.
        """
        if self.row.kind not in UNPACKING:
            return
        packed, folder = self.change.packed, self.move.source
        if not folder.has(unpacked_path(self.row.id)):
            tree = self._elsewhere(packed) if packed else self._beside()
            if tree is not None:
                self._unpack(tree)
        if packed:
            begin_placing(folder, self.row.id, self._game)

    def finish(self) -> None:
        """Discard what was recorded, after the rows have been changed."""
        if self.change.packed:
            self.move.source.discard([placing_path(self.row.id)], self.row.id)
            self.move.source.erase_deleted()

    def undo(self) -> None:
        """Put an archive back. The folder is moved after it: before that, what has its name belongs to others."""
        folder, (*originals, unpacked) = self.move.source, self.move.paths
        is_placed = all(map(self.move.is_moved, originals))
        if self.change.packed:
            is_placed = folder.has(placing_path(self.row.id))
        if is_placed or self.move.is_copied():
            originals.append(unpacked)
        FilesMove(self.row.id, folder, self.move.target, originals).undo()
        # Without it, what has its name belongs to others again, also if this is interrupted.
        if self.change.packed:
            undo_placing(folder, self.row.id, self._game)
        folder.discard([unpacked.source], self.row.id)

    @property
    def _game(self) -> str:
        """The name of the folder in which the unpacked folder gets its place, none for the library's own."""
        return self.move.paths[-1].target.rpartition("/")[0]

    def _beside(self) -> Tree | None:
        """Return what is unpacked in its library, None if that has been done: it is still in its place until then."""
        folder = self.move.source
        if not all(folder.has(path) for path in self.originals):
            return None
        for path in self.originals:
            folder.require_movable(path)
        return open_tree(VersionLocation(folder.base, packed_among(self.originals), folder.policy))

    def _elsewhere(self, packed: PackedPlace) -> Tree | None:
        """Return what is unpacked from another library, None if that has been done and the folder is being placed."""
        if self.move.target.has(placing_path(self.row.id)):
            return None
        if any(self.move.target.has(each.target) for each in self.move.paths):
            raise PlaceTaken
        backend = self.backends.of(self.find_library(packed.library))
        try:
            return packed_version(backend, packed.game, packed.version)[0]
        except NotListed:
            backend.check()
            raise FilesMissing from None

    def _unpack(self, tree: Tree) -> None:
        folder = self.move.source
        size = unpacked_size(tree, folder)
        _require_room(folder, size.needed)

        def advance(done: int) -> None:
            # Others write to the disk, too.
            _require_room(folder, 0)
            self.context.advance(done, size.work)

        unpack_version(tree, folder, self.row.id, check=advance)


def _require_room(folder: LibraryFolder, size: int) -> None:
    free = folder.free_bytes() - RESERVED_BYTES
    if free < size:
        raise UnpackSpaceMissing(size=size, free=max(0, free))
