"""A version that is a folder.

Every folder is opened from the one above it and no link is followed on the way, so that nobody who can write into a
version can make the server read outside of it, not even by exchanging a folder for a link at the right moment.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Self

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.names import check_links, check_names, refusal, shown
from playdock.storage.entries import Entry, Listed, changed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK a pipe that took the place of a file would hold the thread for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ESPIPE)
_FORBIDDEN = (errno.EACCES, errno.EPERM)


class FolderSource:
    """The bytes of a file in a folder."""

    def __init__(self, reader: "FolderReader", entry: Entry, *, offset: int) -> None:
        self._reader, self._entry, self._offset = reader, entry, offset
        self.start = offset
        self._descriptor = reader.descriptor(entry.path)

    def readinto(self, buffer: memoryview) -> int:
        try:
            count = os.preadv(self._descriptor, [buffer], self._offset)
        except OSError as error:
            self._reader.explain(error, self._entry.path)
            raise
        self._offset += count
        if not count or self._offset > self._entry.size:
            _check_unchanged(self._descriptor, self._entry, length=self._offset)
        return count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


class FolderReader:
    """Opens files from the folder they are in, which stays open until one in another folder is asked for."""

    def __init__(self, root: Path) -> None:
        self._path = root
        try:
            self._root = os.open(root, _FOLDER)
        except PermissionError as error:
            raise _unreadable("The version's folder") from error
        self._folder, self._descriptor = "", self._root

    def enter(self, folder: str) -> int:
        """Give a descriptor of the folder, which is good until another one is entered."""
        if folder != self._folder:
            descriptor = self._walk(folder)
            self._leave()
            self._folder, self._descriptor = folder, descriptor
        return self._descriptor

    def open(self, entry: Entry, *, offset: int = 0) -> FolderSource:
        return FolderSource(self, entry, offset=offset)

    def read(self, entry: Entry) -> bytes:
        descriptor = self.descriptor(entry.path)
        try:
            data = os.read(descriptor, entry.size + 1)
            _check_unchanged(descriptor, entry, length=len(data))
        except OSError as error:
            self.explain(error, entry.path)
            raise
        finally:
            os.close(descriptor)
        return data

    def descriptor(self, path: str) -> int:
        """Open a file; the descriptor is the caller's to close."""
        folder, _, name = path.rpartition("/")
        if folder != self._folder:
            self.enter(folder)
        try:
            return os.open(name, _FILE, dir_fd=self._descriptor)
        except OSError as error:
            self.explain(error, path)
            raise

    def explain(self, error: OSError, path: str) -> None:
        """Raise what a failure of the system means for the version; return if it is a matter of the disk."""
        if error.errno in _FORBIDDEN:
            raise _unreadable(shown(path) if path else "The version's folder") from error
        if error.errno in _GONE and self._path.exists():
            raise changed(path) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._leave()
        os.close(self._root)

    def _walk(self, folder: str) -> int:
        here = self._root
        try:
            for part in folder.split("/") if folder else ():
                above, here = here, os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
                self._close(above)
        except OSError as error:
            self._close(here)
            self.explain(error, folder)
            raise
        return here

    def _leave(self) -> None:
        self._close(self._descriptor)
        self._folder, self._descriptor = "", self._root

    def _close(self, descriptor: int) -> None:
        if descriptor != self._root:
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class FolderTree:
    """The tree of a folder, which itself may be reached through links. Folders that it is `without` are not listed."""

    root: Path
    without: frozenset[str] = frozenset()

    def entries(self) -> list[Entry]:
        found: list[Entry] = []
        ahead = [""]
        with FolderReader(self.root) as reader:
            for folder in self._folders(ahead):
                try:
                    _list(folder, reader=reader, found=found, ahead=ahead)
                except OSError as error:
                    reader.explain(error, folder)
                    raise
        # str compares by code points, which is how their UTF-8 bytes compare.
        found.sort(key=attrgetter("path"))
        check_names(entry.path for entry in found)
        check_links({entry.path: entry.target for entry in found if entry.target is not None})
        return found

    def names(self) -> Iterator[Listed]:
        ahead = [""]
        with FolderReader(self.root) as reader:
            for folder in self._folders(ahead):
                with suppress(UnusableVersion, VersionChanged, PermissionError):
                    yield from _glance(folder, reader=reader, ahead=ahead)

    def has(self, path: str) -> bool:
        if refusal(path):
            return False
        folder, _, name = path.rpartition("/")
        with FolderReader(self.root) as reader:
            try:
                mode = os.stat(name, dir_fd=reader.enter(folder), follow_symlinks=False).st_mode
            except (FileNotFoundError, VersionChanged):
                return False
            except PermissionError as error:
                raise _unreadable(shown(path)) from error
        return stat.S_ISREG(mode) or stat.S_ISLNK(mode)

    def head(self, path: str, *, length: int) -> bytes:
        with self._opened(path) as descriptor:
            return os.read(descriptor, length)

    def entry(self, path: str) -> Entry:
        with self._opened(path) as descriptor:
            status = os.fstat(descriptor)
        return Entry(path, status.st_size, status.st_mode & 0o777, status.st_mtime_ns)

    def reader(self) -> FolderReader:
        return FolderReader(self.root)

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        if refusal(path):
            raise changed(path)
        with FolderReader(self.root) as reader:
            descriptor = reader.descriptor(path)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _irregular(path)
            yield descriptor
        finally:
            os.close(descriptor)

    def _folders(self, ahead: list[str]) -> Iterator[str]:
        """Take folders as long as there are any ahead, which those that are taken add to."""
        while ahead:
            if (folder := ahead.pop()) not in self.without:
                yield folder


def _list(folder: str, *, reader: FolderReader, found: list[Entry], ahead: list[str]) -> None:
    prefix = folder and folder + "/"
    descriptor = reader.enter(folder)
    with os.scandir(descriptor) as items:
        for item in items:
            path = prefix + item.name
            status = item.stat(follow_symlinks=False)
            mode = status.st_mode
            if stat.S_ISREG(mode):
                found.append(Entry(path, status.st_size, mode & 0o777, status.st_mtime_ns))
            elif stat.S_ISDIR(mode):
                ahead.append(path)
            elif stat.S_ISLNK(mode):
                target = os.readlink(item.name, dir_fd=descriptor)
                found.append(Entry(path, 0, 0o777, status.st_mtime_ns, target))
            else:
                raise _irregular(path)


def _glance(folder: str, *, reader: FolderReader, ahead: list[str]) -> Iterator[Listed]:
    prefix = folder and folder + "/"
    with os.scandir(reader.enter(folder)) as items:
        for item in items:
            path = prefix + item.name
            if refusal(path):
                continue
            if item.is_dir(follow_symlinks=False):
                ahead.append(path)
            elif item.is_file(follow_symlinks=False):
                yield Listed(path, item.stat(follow_symlinks=False).st_mode & 0o777)


def _irregular(path: str) -> UnusableVersion:
    return UnusableVersion(f"{shown(path)} is not a file but a device, a pipe or a socket. Remove it.")


def _check_unchanged(descriptor: int, entry: Entry, *, length: int) -> None:
    status = os.fstat(descriptor)
    same = status.st_mtime_ns == entry.mtime_ns and status.st_size == entry.size == length
    if not same or not stat.S_ISREG(status.st_mode):
        raise changed(entry.path)


def _unreadable(what: str) -> UnusableVersion:
    return UnusableVersion(f"{what} cannot be read. Give the user that Playdock runs as the right to read it.")
