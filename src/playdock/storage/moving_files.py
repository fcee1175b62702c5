"""Moving files and folders to other places, in the same library or in another one, perhaps on another disk.

Every step can be repeated: a process may be killed at any moment, and another one continues. On the same disk, each
path is renamed. Otherwise all of them are copied beside the new place first; the originals are kept until the caller
has recorded the move.
"""

import errno
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from stat import S_IMODE, S_ISDIR, S_ISLNK

from msgspec import Struct

from playdock.storage.folder_operations import closing, exists, folder_in, make_folders, rename, sync_file_system
from playdock.storage.library_files import MOVING, Advance, FilesMissing, LibraryFolder, require_movable
from playdock.storage.locations import FOLDER
from playdock.stored_file_changes import MovedPath

# What is being copied, and what has been copied completely.
_PART, _WHOLE = ".part", ".whole"
_PIECE_BYTES = 8 * 1024 * 1024
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FilesChanged(Exception):
    """A file was changed while it was copied."""


class FilesMove(Struct, frozen=True):
    """What is moved from one library to another, or within one."""

    change_id: str
    source: LibraryFolder
    target: LibraryFolder
    paths: Sequence[MovedPath]

    def is_placed(self) -> bool:
        """Return whether everything is where it is moved to, so that the move can only be completed or undone."""
        if not all(self.target.has(each.target) for each in self.paths):
            return False
        if self.is_copied():
            return not any(self.target.has(f"{self._copies}/{number}") for number in range(len(self.paths)))
        return not any(self.source.has(each.source) for each in self.paths)

    def is_copied(self) -> bool:
        """Return whether there is a complete copy, because the new place is on another disk."""
        return self.target.has(self._copies)

    def is_on_one_disk(self) -> bool:
        """Return whether both libraries are probably on one disk, so that nothing has to be copied."""
        with self.source.opened() as source, self.target.opened() as target:
            return os.fstat(source).st_dev == os.fstat(target).st_dev

    def carry_out(self, advance: Advance) -> None:
        """Move everything, or what an interrupted call has left; copied originals remain until `finish`.

        Raises:
            PlaceTaken, FilesMissing, FilesNotMovable, FilesChanged: it cannot be moved.
            OSError: a disk fails or is full.
        """
        if not self.is_copied():
            try:
                for each in self.paths:
                    self._rename(each)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                self._copy(advance)
            else:
                return
        self._place_copies()

    def undo(self) -> None:
        """Move everything back that has been moved. Call this if the move cannot be recorded."""
        if self.is_copied():
            # What is still beside its new place was not moved there: if there is something, it belongs to others.
            placed = [
                each.target
                for number, each in enumerate(self.paths)
                if not self.target.has(f"{self._copies}/{number}") and self.source.has(each.source)
            ]
            self.target.discard(placed, self.change_id)
            self._remove_copies()
            return
        # The last one first, so that those before it tell what an interrupted call has left.
        back = [MovedPath(each.target, each.source) for each in reversed(self.paths) if self.is_moved(each)]
        FilesMove(self.change_id, self.target, self.source, back).carry_out(lambda _: None)

    def finish(self) -> None:
        """Discard the originals of what was copied, once the move has been recorded."""
        if self.is_copied():
            self.source.discard([each.source for each in self.paths], self.change_id)
            self._remove_copies()

    @property
    def _copies(self) -> str:
        """The path of the folder with the complete copy, in which each path has its number as name."""
        return f"{MOVING}/{self.change_id}{_WHOLE}"

    def is_moved(self, path: MovedPath) -> bool:
        """Return whether a path is where it is moved to, and not where it was."""
        return self.target.has(path.target) and not self.source.has(path.source)

    def _rename(self, path: MovedPath) -> None:
        if not self.source.has(path.source):
            if self.target.has(path.target):
                return
            self.source.require_present()
            raise FilesMissing
        with self.source.parent_of(path.source) as (folder, name):
            require_movable(folder, name)
            with self.target.parent_of(path.target, create=True) as (new_folder, new_name):
                rename(folder, name, new_folder, new_name)
                os.fsync(new_folder)
            os.fsync(folder)

    def _copy(self, advance: Advance) -> None:
        part = f"{self.change_id}{_PART}"
        with self.target.opened() as base:
            make_folders(base, MOVING)
            with folder_in(base, MOVING) as moving:
                shutil.rmtree(part, ignore_errors=True, dir_fd=moving)
                os.mkdir(part, dir_fd=moving)
                try:
                    with folder_in(moving, part) as target:
                        for number, each in enumerate(self.paths):
                            with self.source.parent_of(each.source) as (folder, name):
                                _copy_entry(folder, name, target, str(number), advance)
                        sync_file_system(target)
                    rename(moving, part, moving, f"{self.change_id}{_WHOLE}")
                    os.fsync(moving)
                except BaseException:
                    # A full disk is a problem for others too.
                    shutil.rmtree(part, ignore_errors=True, dir_fd=moving)
                    raise

    def _place_copies(self) -> None:
        with self.target.opened() as base, folder_in(base, self._copies) as copies:
            for number, each in enumerate(self.paths):
                if exists(copies, str(number)):
                    with self.target.parent_of(each.target, create=True) as (folder, name):
                        rename(copies, str(number), folder, name)
                        os.fsync(folder)
            os.fsync(copies)

    def _remove_copies(self) -> None:
        with self.target.opened() as base, folder_in(base, MOVING) as moving:
            shutil.rmtree(f"{self.change_id}{_WHOLE}", dir_fd=moving)


def _copy_entry(folder: int, name: str, target: int, new_name: str, advance: Advance) -> None:
    """Copy a file or folder with its modes and times. Links in folders are copied as links."""
    status = require_movable(folder, name)
    if not S_ISDIR(status.st_mode):
        _copy_file(folder, name, target, new_name, advance)
        return
    os.mkdir(new_name, dir_fd=target)
    with folder_in(folder, name) as source, folder_in(target, new_name) as copy:
        for each in sorted(os.listdir(source)):  # noqa: PTH208 - a descriptor
            if S_ISLNK(os.stat(each, dir_fd=source, follow_symlinks=False).st_mode):
                os.symlink(os.readlink(each, dir_fd=source), each, dir_fd=copy)
            else:
                _copy_entry(source, each, copy, each, advance)
    with suppress(PermissionError), closing(os.open(new_name, FOLDER | os.O_NOFOLLOW, dir_fd=target)) as copy:
        os.fchmod(copy, S_IMODE(status.st_mode))
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def _copy_file(folder: int, name: str, target: int, new_name: str, advance: Advance) -> None:
    with (
        closing(os.open(name, _OLD_FILE, dir_fd=folder)) as source,
        closing(os.open(new_name, _NEW_FILE, 0o666, dir_fd=target)) as copy,
    ):
        before = os.fstat(source)
        while piece := os.read(source, _PIECE_BYTES):
            view = memoryview(piece)
            while view:
                view = view[os.write(copy, view) :]
            advance(len(piece))
        after, copied = os.fstat(source), os.fstat(copy)
        if (after.st_size, after.st_mtime_ns) != (copied.st_size, before.st_mtime_ns):
            raise FilesChanged
        with suppress(PermissionError):
            os.fchmod(copy, S_IMODE(before.st_mode))
        os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))
