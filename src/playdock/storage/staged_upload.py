"""The files of one upload while they are received and checked, opened by one writer."""

import errno
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from hashlib import sha256
from itertools import accumulate
from stat import S_ISREG
from typing import Self

from playdock.content.uploaded_files import UploadedFile
from playdock.storage.descriptors import closed_on_error
from playdock.storage.folder_operations import closing, exists, folder_in, make_folders, sync_file_system
from playdock.storage.locations import FOLDER, open_beneath

# Without O_NONBLOCK, opening a pipe that somebody has put there would block the thread forever.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# What opening a file fails with if somebody has deleted or replaced it, or a folder above it.
REPLACED = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO)
_MODE, _EXECUTABLE_MODE = 0o666, 0o777
_READ_BYTES = 1024 * 1024


class StagingGone(Exception):
    """The files of this upload are no longer in the library's folder."""


class StagedUpload:
    """An upload that one writer has opened. Its content is that of all files, one after the other."""

    def __init__(self, lock: int, content: int, files: Sequence[UploadedFile]) -> None:
        self.files = files
        self._lock, self._content = lock, content
        self._ends = list(accumulate(each.size for each in files))
        # The number of the file that is open, its descriptor, and where in the content it ends.
        self._file, self._file_end = -1, 0
        self._has_ended_file = False
        self._parent: tuple[str, int] | None = None
        self.position = 0

    @property
    def size(self) -> int:
        return self._ends[-1] if self._ends else 0

    def has_received(self, position: int) -> bool:
        """Return whether the content is there up to a position, as far as the sizes of the files tell."""
        start = 0
        for each, end in zip(self.files, self._ends, strict=True):
            if start >= position:
                return True
            if self._size_of(each) < min(each.size, position - start):
                return False
            start = end
        return True

    def has_moved(self, path: str) -> bool:
        """Return whether a file or folder is not here any more."""
        parent, _, name = path.rpartition("/")
        try:
            with folder_in(self._content, parent) if parent else nullcontext(self._content) as folder:
                return not exists(folder, name)
        except (FileNotFoundError, NotADirectoryError):
            return True

    def seek(self, position: int) -> None:
        """Continue at a position. What was written after it is overwritten or cut off."""
        self._close_file()
        self.position = position

    def write(self, data: bytes | memoryview) -> None:
        """Write the next bytes of the content. There must not be more than its size.

        Raises:
            StagingGone: the bytes before them, or the folders, are no longer there.
        """
        view = memoryview(data)
        while view:
            if self._file < 0:
                self._open_file()
            written = os.write(self._file, view[: self._file_end - self.position])
            view = view[written:]
            self.position += written
            if self.position == self._file_end:
                self._close_file()

    def sync(self) -> None:
        """Wait until everything written survives a power failure."""
        if self._has_ended_file:
            # One call for all small files: each of its own would take some milliseconds.
            sync_file_system(self._content)
            self._has_ended_file = False
        elif self._file >= 0:
            os.fsync(self._file)

    def free_bytes(self) -> int:
        """Return how many bytes of the disk are free."""
        return free_bytes_of(self._content)

    def make_empty_files(self) -> None:
        """Make the files without content, which are never written."""
        for each in self.files:
            if not each.size:
                os.close(self._open(each))

    def differing(self, *, check: Callable[[], None]) -> Iterator[UploadedFile]:
        """Yield the files whose content is not what was declared. ``check`` is called often, and may raise."""
        for each in self.files:
            check()
            if not self._is_as_declared(each, check=check):
                yield each

    def close(self) -> None:
        self._close_file()
        if self._parent:
            os.close(self._parent[1])
            self._parent = None
        os.close(self._content)
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _size_of(self, file: UploadedFile) -> int:
        try:
            return os.stat(file.path, dir_fd=self._content, follow_symlinks=False).st_size
        except OSError:
            return 0

    def _is_as_declared(self, file: UploadedFile, *, check: Callable[[], None]) -> bool:
        try:
            descriptor = open_beneath(self._content, file.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        with closing(descriptor):
            status = os.fstat(descriptor)
            if not S_ISREG(status.st_mode) or status.st_size != file.size:
                return False
            if not file.sha256:
                return True
            found = sha256()
            while piece := os.read(descriptor, _READ_BYTES):
                check()
                found.update(piece)
            return found.hexdigest() == file.sha256

    def _open_file(self) -> None:
        """Open the file at the position, and cut off what it has after that."""
        number = bisect_right(self._ends, self.position)
        file, end = self.files[number], self._ends[number]
        start = self.position - (end - file.size)
        descriptor = self._open(file)
        with closed_on_error(descriptor):
            status = os.fstat(descriptor)
            if not S_ISREG(status.st_mode) or status.st_size < start:
                raise StagingGone
            os.ftruncate(descriptor, start)
            os.lseek(descriptor, start, os.SEEK_SET)
        self._file, self._file_end = descriptor, end

    def _open(self, file: UploadedFile) -> int:
        parent, _, name = file.path.rpartition("/")
        mode = _EXECUTABLE_MODE if file.executable else _MODE
        try:
            return os.open(name, _NEW_FILE, mode, dir_fd=self._folder(parent) if parent else self._content)
        except OSError as error:
            if error.errno in REPLACED:
                raise StagingGone from None
            raise

    def _folder(self, path: str) -> int:
        """Return the descriptor of a folder, which exists from now on; that of the last one is kept open."""
        if self._parent is None or self._parent[0] != path:
            make_folders(self._content, path)
            descriptor = open_beneath(self._content, path, FOLDER)
            if self._parent:
                os.close(self._parent[1])
            self._parent = path, descriptor
        return self._parent[1]

    def _close_file(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self._has_ended_file = True


def free_bytes_of(descriptor: int) -> int:
    status = os.fstatvfs(descriptor)
    return status.f_bavail * status.f_frsize
