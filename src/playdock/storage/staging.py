"""Files that are uploaded into a library, until all of them are complete.

They are written into a hidden folder of the library, which nothing lists, and then moved to their place in one step, so
that everything in the library is complete. Below the library's folder nothing is opened through a link: other people
who can write to the library must not be able to make the service write anywhere else.
"""

import errno
import fcntl
import os
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from stat import S_ISREG
from typing import Self

import msgspec
from msgspec import Struct

from playdock.content.uploaded_files import UploadedFile
from playdock.storage.descriptors import closed_on_error
from playdock.storage.folder_operations import (
    PlaceTaken,
    closing,
    exists,
    folder_in,
    make_folders,
    rename,
    sync_file_system,
)
from playdock.storage.library_policy import LibraryPolicy
from playdock.storage.locations import FOLDER, VersionLocation, open_beneath

# Names that begin with a dot are in no listing of a library.
_FOLDERS = (".playdock", "uploads")
_LIST, _CONTENT = "files.json", "content"
# Without O_NONBLOCK, opening a pipe that somebody has put there would block the thread forever.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# What opening a file fails with if somebody has deleted or replaced it, or a folder above it.
_REPLACED = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO)
_MODE, _EXECUTABLE_MODE = 0o666, 0o777
_READ_BYTES = 1024 * 1024


class StagingBusy(Exception):
    """Another request is writing to this upload."""


class StagingGone(Exception):
    """The files of this upload are no longer in the library's folder."""


class StagingArea(Struct, frozen=True):
    """The folder with the uploads of a library."""

    base: Path
    policy: LibraryPolicy

    def create(self, upload_id: str, files: Sequence[UploadedFile]) -> None:
        """Make the folder of an upload, with the list of its files."""
        with self._opened(create=True) as area:
            os.mkdir(upload_id, dir_fd=area)
            with folder_in(area, upload_id) as folder:
                os.mkdir(_CONTENT, dir_fd=folder)
                with os.fdopen(os.open(_LIST, _NEW_FILE, _MODE, dir_fd=folder), "wb") as file:
                    file.write(msgspec.json.encode(files))
                    file.flush()
                    os.fsync(file.fileno())
                os.fsync(folder)
            os.fsync(area)

    def has_received(self, upload_id: str, received: int) -> bool:
        """Return whether the first bytes of an upload are there, as far as the sizes of its files tell."""
        try:
            with self.open(upload_id) as staged:
                return staged.has_received(received)
        except StagingBusy:
            return True
        except StagingGone:
            return False

    def open(self, upload_id: str) -> "StagedUpload":
        """Open an upload for one writer.

        Raises:
            StagingBusy: another one has it.
            StagingGone: its files are no longer there.
        """
        try:
            with self._opened() as area, folder_in(area, upload_id) as folder:
                descriptor = os.open(_LIST, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                with closed_on_error(descriptor):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    files = msgspec.json.decode(_read_all(descriptor), type=list[UploadedFile])
                    content = os.open(_CONTENT, FOLDER | os.O_NOFOLLOW, dir_fd=folder)
        except BlockingIOError:
            raise StagingBusy from None
        except (FileNotFoundError, NotADirectoryError):
            raise StagingGone from None
        return StagedUpload(descriptor, content, files)

    def remove(self, upload_id: str) -> None:
        """Delete the files of an upload. What cannot be deleted now is left for the next sweep."""
        with suppress(OSError, StagingGone), self._opened() as area:
            shutil.rmtree(upload_id, ignore_errors=True, dir_fd=area)

    def uploads(self) -> list[str]:
        """Return the ids of all uploads whose folders are there."""
        try:
            with self._opened() as area:
                return sorted(os.listdir(area))  # noqa: PTH208 - a descriptor
        except (OSError, StagingGone):
            return []

    def place(self, upload_id: str, game: str, version: str) -> None:
        """Move a complete upload to its place: with the folder of its game, unless there is one.

        Without a ``version``, it becomes the game itself. A call that was interrupted may be repeated.

        Raises:
            PlaceTaken: something else is there.
            StagingGone: the files are neither there nor in their place.
        """
        with self._at("") as base:
            is_inside = bool(version) and exists(base, game)
        name = version if is_inside else game
        source = f"{upload_id}/{_CONTENT}/{game}" if is_inside else f"{upload_id}/{_CONTENT}"
        with self._at(game if is_inside else "") as destination:
            is_taken = exists(destination, name)
            try:
                with self._opened() as area, folder_in(area, source) as folder:
                    if is_taken and exists(folder, name):
                        raise PlaceTaken
                    rename(folder, name, destination, name)
            except (FileNotFoundError, NotADirectoryError, StagingGone):
                # An earlier call may have been interrupted after it had moved the files.
                if not is_taken:
                    raise StagingGone from None
            os.fsync(destination)

    def is_taken(self, game: str, version: str) -> bool:
        """Return whether there is something already where an upload belongs."""
        with self._at("") as base:
            if not version:
                return exists(base, game)
            if not exists(base, game):
                return False
        with self._at(game) as folder:
            return exists(folder, version)

    def free_bytes(self) -> int:
        return shutil.disk_usage(self.base).free

    @contextmanager
    def _at(self, name: str) -> Iterator[int]:
        with closing(VersionLocation(self.base, name, self.policy).open()) as descriptor:
            yield descriptor

    @contextmanager
    def _opened(self, *, create: bool = False) -> Iterator[int]:
        """Open the folder with the uploads. Raises StagingGone if there is none."""
        with self._at("") as base:
            try:
                path = "/".join(_FOLDERS)
                if create:
                    make_folders(base, path)
                descriptor = open_beneath(base, path, FOLDER)
            except (FileNotFoundError, NotADirectoryError):
                raise StagingGone from None
            with closing(descriptor):
                yield descriptor


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

    def write(self, data: bytes) -> None:
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
            if error.errno in _REPLACED:
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


def _read_all(descriptor: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()
