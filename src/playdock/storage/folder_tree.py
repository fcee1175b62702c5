"""Versions that are folders.

Every folder is opened relative to its parent and without following links. A user who can write to a version therefore
cannot make the server read outside of it, not even by replacing a folder with a link between two calls.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Self

from msgspec import Struct

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.names import NameCheck, check_links, printable, unsafe_reason
from playdock.content.packed_list import collect
from playdock.kit.messages import Message
from playdock.storage.descriptors import closed_on_error
from playdock.storage.entries import Check, ListedFile, TreeEntry, changed
from playdock.storage.library_policy import identity_of
from playdock.storage.locations import FILE, FOLDER, VersionLocation, open_beneath

_FILE = FILE | os.O_NOFOLLOW
# What opening or reading fails with after another program has removed or replaced a file.
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ESPIPE)
_FORBIDDEN = (errno.EACCES, errno.EPERM)


class FolderSource:
    """The bytes of a file in a folder."""

    def __init__(self, reader: "FolderReader", entry: TreeEntry, *, offset: int) -> None:
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
    """Opens files relative to their folder, which is kept open until a file in another folder is opened.

    ``root`` is a descriptor of the version's folder, which this closes.
    """

    def __init__(self, root: int, location: VersionLocation) -> None:
        self._root, self._location = root, location
        self._folder, self._descriptor = "", root
        self._private = location.policy.private_entries()

    @classmethod
    def opened(cls, location: VersionLocation) -> Self:
        """Open the version's folder. Raises as `VersionLocation.open`, UnusableVersion if it is not readable."""
        try:
            return cls(location.open(), location)
        except PermissionError as error:
            raise _unreadable("") from error

    def enter(self, folder: str) -> int:
        """Return a descriptor of the folder, which is valid until another folder is entered."""
        if folder != self._folder:
            descriptor = self._open_folder(folder)
            self._leave()
            self._folder, self._descriptor = folder, descriptor
        return self._descriptor

    def require_public(self, path: str, status: os.stat_result) -> None:
        """Raise UnusableVersion for a file or folder with the service's own data."""
        if self._private and identity_of(status) in self._private:
            raise UnusableVersion(Message("file-private", path=printable(path)))

    def open(self, entry: TreeEntry, *, offset: int = 0) -> FolderSource:
        return FolderSource(self, entry, offset=offset)

    def read(self, entry: TreeEntry) -> bytes:
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
        """Open a file and return its descriptor, which the caller must close."""
        folder, _, name = path.rpartition("/")
        descriptor = self.enter(folder)
        try:
            return os.open(name, _FILE, dir_fd=descriptor)
        except OSError as error:
            self.explain(error, path)
            raise

    def explain(self, error: OSError, path: str) -> None:
        """Raise UnusableVersion or VersionChanged if that is the cause of a system error; return if the disk failed."""
        if error.errno in _FORBIDDEN:
            raise _unreadable(path) from error
        if error.errno in _GONE and self._location.path.exists():
            raise changed(path) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._leave()
        os.close(self._root)

    def _open_folder(self, folder: str) -> int:
        if not folder:
            return self._root
        try:
            descriptor = open_beneath(self._root, folder, FOLDER)
        except OSError as error:
            self.explain(error, folder)
            raise
        with closed_on_error(descriptor):
            self.require_public(folder, os.fstat(descriptor))
        return descriptor

    def _leave(self) -> None:
        if self._descriptor != self._root:
            os.close(self._descriptor)
        self._folder, self._descriptor = "", self._root


class FolderTree(Struct, frozen=True):
    """The tree of a folder. Links in it are not followed; folders in ``without`` are not listed."""

    location: VersionLocation
    without: frozenset[str] = frozenset()

    def entries(self) -> Sequence[TreeEntry]:
        return collect(self._checked(), TreeEntry, weigh=lambda entry: len(entry.path))

    def _checked(self) -> Iterator[TreeEntry]:
        links: dict[str, str] = {}
        names = NameCheck()
        for entry in self._sorted():
            names.add(entry.path)
            if entry.target is not None:
                links[entry.path] = entry.target
            yield entry
        check_links(links)

    def _sorted(self) -> Iterator[TreeEntry]:
        """Yield the entries of the whole tree in the order of their paths, keeping one list per folder on the way."""
        with self.reader() as reader:
            # The next one is the last. A string is a folder, which is sorted like the beginning of its files' paths.
            pending: list[TreeEntry | str] = [""]
            while pending:
                item = pending.pop()
                if isinstance(item, TreeEntry):
                    yield item
                elif item not in self.without:
                    try:
                        found = list(_list(item, reader=reader))
                    except OSError as error:
                        reader.explain(error, item)
                        raise
                    # Strings compare by code points, which is the order of their UTF-8 bytes.
                    found.sort(key=_sort_key, reverse=True)
                    pending += found

    def names(self) -> Iterator[ListedFile]:
        pending = [""]
        with self.reader() as reader:
            for folder in self._folders(pending):
                with suppress(UnusableVersion, VersionChanged, PermissionError):
                    yield from _list_names(folder, reader=reader, pending=pending)

    def has(self, path: str) -> bool:
        if unsafe_reason(path):
            return False
        folder, _, name = path.rpartition("/")
        with self.reader() as reader:
            try:
                mode = os.stat(name, dir_fd=reader.enter(folder), follow_symlinks=False).st_mode
            except (FileNotFoundError, VersionChanged):
                return False
            except PermissionError as error:
                raise _unreadable(path) from error
        return stat.S_ISREG(mode) or stat.S_ISLNK(mode)

    def head(self, path: str, *, length: int) -> bytes:
        with self._opened(path) as descriptor:
            return os.read(descriptor, length)

    def entry(self, path: str) -> TreeEntry:
        with self._opened(path) as descriptor:
            status = os.fstat(descriptor)
        return TreeEntry(path, status.st_size, status.st_mode & 0o777, status.st_mtime_ns)

    def prepare(self, check: Check, *, again: bool = False) -> int:  # noqa: ARG002 - files are read one by one
        return 0

    def reader(self) -> FolderReader:
        return FolderReader.opened(self.location)

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        if unsafe_reason(path):
            raise changed(path)
        with self.reader() as reader:
            descriptor = reader.descriptor(path)
        try:
            status = os.fstat(descriptor)
            reader.require_public(path, status)
            if not stat.S_ISREG(status.st_mode):
                raise _irregular(path)
            yield descriptor
        finally:
            os.close(descriptor)

    def _folders(self, pending: list[str]) -> Iterator[str]:
        """Yield pending folders until there are none. The caller adds subfolders to the list while iterating."""
        while pending:
            if (folder := pending.pop()) not in self.without:
                yield folder


def _sort_key(item: TreeEntry | str) -> str:
    return item.path if isinstance(item, TreeEntry) else item + "/"


def _list(folder: str, *, reader: FolderReader) -> Iterator[TreeEntry | str]:
    """Yield the files and links in a folder, and the paths of its subfolders."""
    prefix = folder and folder + "/"
    descriptor = reader.enter(folder)
    with os.scandir(descriptor) as items:
        for item in items:
            path = prefix + item.name
            status = item.stat(follow_symlinks=False)
            mode = status.st_mode
            reader.require_public(path, status)
            if stat.S_ISREG(mode):
                yield TreeEntry(path, status.st_size, mode & 0o777, status.st_mtime_ns)
            elif stat.S_ISDIR(mode):
                yield path
            elif stat.S_ISLNK(mode):
                target = os.readlink(item.name, dir_fd=descriptor)
                yield TreeEntry(path, 0, 0o777, status.st_mtime_ns, target)
            else:
                raise _irregular(path)


def _list_names(folder: str, *, reader: FolderReader, pending: list[str]) -> Iterator[ListedFile]:
    prefix = folder and folder + "/"
    with os.scandir(reader.enter(folder)) as items:
        for item in items:
            path = prefix + item.name
            if unsafe_reason(path):
                continue
            if item.is_dir(follow_symlinks=False):
                pending.append(path)
            elif item.is_file(follow_symlinks=False):
                yield ListedFile(path, item.stat(follow_symlinks=False).st_mode & 0o777)


def _irregular(path: str) -> UnusableVersion:
    return UnusableVersion(Message("file-irregular", path=printable(path)))


def _check_unchanged(descriptor: int, entry: TreeEntry, *, length: int) -> None:
    status = os.fstat(descriptor)
    same = status.st_mtime_ns == entry.mtime_ns and status.st_size == entry.size == length
    if not same or not stat.S_ISREG(status.st_mode):
        raise changed(entry.path)


def _unreadable(path: str) -> UnusableVersion:
    """Return the error for a file or folder that cannot be read; the path of the version itself is empty."""
    if not path:
        return UnusableVersion(Message("version-folder-unreadable"))
    return UnusableVersion(Message("file-unreadable", path=printable(path)))
