"""Moving files in and between the folders of managed libraries, in steps that can be repeated after an interruption.

The service's own folder in a library, which nothing lists, has these parts: `trash` with what was deleted, by the id of
the change; `moving` with what is being copied from another disk; and `deleted` with what may be erased at any time.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from msgspec import Struct

from playdock.storage.folder_operations import closing, exists, folder_in, make_folders, remove_tree, rename
from playdock.storage.library_policy import LibraryPolicy, LocationUnusable
from playdock.storage.locations import VersionLocation

_OWN = ".playdock"
_TRASH, _DELETED = f"{_OWN}/trash", f"{_OWN}/deleted"
MOVING = f"{_OWN}/moving"

Advance = Callable[[int], None]
"""It is called often with the number of bytes that have been handled since the last call, and may raise an error."""


class FilesMissing(Exception):
    """A file or folder is neither where it was nor where it is moved to."""


class FilesNotMovable(Exception):
    """A file or folder is a link, or contains something that is no file, folder or link."""


class LibraryFolder(Struct, frozen=True):
    """The folder of a library that the service writes to."""

    base: Path
    policy: LibraryPolicy

    def has(self, path: str) -> bool:
        """Return whether there is something at a path. Raises OSError if the library cannot be read."""
        with self.opened():
            try:
                with self.parent_of(path) as (folder, name):
                    return exists(folder, name)
            except (FileNotFoundError, NotADirectoryError):
                return False

    def has_folder(self, path: str) -> bool:
        """Return whether there is a folder at a path, perhaps reached through a link in the library."""
        try:
            with closing(VersionLocation(self.base, path, self.policy).open()) as descriptor:
                return S_ISDIR(os.fstat(descriptor).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def is_there(self) -> bool:
        """Return whether the folder is surely the library's, and not an empty place for a disk that is away."""
        try:
            return self.has(_OWN)
        except (LocationUnusable, OSError):
            return False

    def require_present(self) -> None:
        """Raise OSError if the library's folder is empty, as the mount point of a disk that is not mounted is."""
        with self.opened() as base, os.scandir(base) as found:
            if next(found, None) is None:
                raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))

    def require_movable(self, path: str) -> None:
        """Raise FilesNotMovable if something is no file or folder, and FileNotFoundError if there is nothing."""
        with self.parent_of(path) as (folder, name):
            require_movable(folder, name)

    def size_of(self, paths: Sequence[str], *, advance: Advance) -> int:
        """Return how many bytes some files and folders have. Raises FilesNotMovable if one of them is a link."""
        total = 0
        for path in paths:
            with self.parent_of(path) as (folder, name):
                for size in _sizes(folder, name):
                    advance(0)
                    total += size
        return total

    def names_beside(self, path: str) -> list[str]:
        """Return the names of all files in the folder of a path."""
        with self.parent_of(path) as (folder, _), os.scandir(folder) as found:
            return [entry.name for entry in found if entry.is_file(follow_symlinks=False)]

    def free_bytes(self) -> int:
        return shutil.disk_usage(self.base).free

    def discard(self, paths: Sequence[str], change_id: str) -> None:
        """Put files and folders where they are erased by `erase_deleted`. Those that are not there are skipped."""
        with self.opened() as base:
            make_folders(base, f"{_DELETED}/{change_id}")
            with folder_in(base, f"{_DELETED}/{change_id}") as target:
                number = len(os.listdir(target))  # noqa: PTH208 - a descriptor
                for path in paths:
                    with suppress(FileNotFoundError, NotADirectoryError), self.parent_of(path) as (folder, name):
                        rename(folder, name, target, str(number))
                        number += 1
                        os.fsync(folder)
                os.fsync(target)

    def erase_deleted(self) -> None:
        """Erase what was discarded. What cannot be erased now is left for the next time."""
        self._erase(_DELETED, lambda _: True)

    def erase_unfinished_copies(self, *, but: Callable[[str], bool]) -> None:
        """Erase what was copied for changes that do not exist any more. ``but`` says whether a change exists."""
        self._erase(MOVING, lambda name: not but(name.partition(".")[0]))

    def _erase(self, path: str, is_obsolete: Callable[[str], bool]) -> None:
        with suppress(OSError), self.opened() as base, folder_in(base, path) as folder:
            for name in os.listdir(folder):  # noqa: PTH208 - a descriptor
                if is_obsolete(name):
                    remove_tree(folder, name)

    @contextmanager
    def opened(self) -> Iterator[int]:
        with closing(VersionLocation(self.base, "", self.policy).open()) as descriptor:
            yield descriptor

    @contextmanager
    def parent_of(self, path: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder that contains a path. Below the service's own folder, nothing is reached through a link."""
        parent, _, name = path.rpartition("/")
        if parent.partition("/")[0] != _OWN:
            with closing(VersionLocation(self.base, parent, self.policy).open()) as folder:
                yield folder, name
            return
        with self.opened() as base:
            if create:
                make_folders(base, parent)
            with folder_in(base, parent) as folder:
                yield folder, name


def trash_folder(change_id: str) -> str:
    """Return the path of the folder with what a change deletes."""
    return f"{_TRASH}/{change_id}"


def is_in_trash(path: str) -> bool:
    """Return whether a path is in the folder with what a change deletes."""
    return path.startswith(f"{_TRASH}/")


def require_movable(folder: int, name: str) -> os.stat_result:
    """Return the status of an entry. Raises FilesNotMovable if it is a link or a device: others rely on where it is."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not S_ISDIR(status.st_mode) and not S_ISREG(status.st_mode):
        raise FilesNotMovable
    return status


def _sizes(folder: int, name: str) -> Iterator[int]:
    status = require_movable(folder, name)
    if not S_ISDIR(status.st_mode):
        yield status.st_size
        return
    with folder_in(folder, name) as top:
        for _, _, files, parent in os.fwalk(dir_fd=top):
            for each in files:
                # It was removed after it had been listed.
                with suppress(FileNotFoundError):
                    yield os.stat(each, dir_fd=parent, follow_symlinks=False).st_size
