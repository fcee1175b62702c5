"""Files that are uploaded into a library, until all of them are complete.

They are written into a hidden folder of the library, which nothing lists, and then moved to their place in one step, so
that everything in the library is complete. Below the library's folder nothing is opened through a link: other people
who can write to the library must not be able to make the service write anywhere else.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from math import inf
from pathlib import Path
from stat import S_ISDIR

import msgspec
from msgspec import Struct

from playdock.content.uploaded_files import UploadedFile
from playdock.kit.messages import Message
from playdock.storage.descriptors import closed_on_error
from playdock.storage.folder_operations import PlaceTaken, closing, exists, folder_in, make_folders, rename
from playdock.storage.library_policy import LibraryPolicy, LocationUnusable, unusable
from playdock.storage.locations import FOLDER, VersionLocation, open_beneath
from playdock.storage.staged_upload import REPLACED, StagedUpload, StagingGone, free_bytes_of

# Names that begin with a dot are in no listing of a library.
_FOLDERS = (".playdock", "uploads")
_LIST, _CONTENT = "files.json", "content"
_MODE = 0o666
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe that somebody has put there would block the thread forever.
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class StagingBusy(Exception):
    """Another request is writing to this upload."""


class Disk(Struct, frozen=True):
    """The disk of a library: which one it is, and how many bytes are free."""

    device: int
    free: int


class _StagedList(Struct, frozen=True):
    """The list of the files of an upload. ``library`` is the id of the library at the server that receives it."""

    library: str
    files: list[UploadedFile]


class _Owner(Struct, frozen=True):
    """What of a list says whose it is."""

    library: str


class StagingArea(Struct, frozen=True):
    """The folder with the uploads of a library. Another server may have a library with the same folder.

    Raises:
        LocationUnusable: the library's folder cannot be opened (raised by most methods).
    """

    base: Path
    policy: LibraryPolicy
    library: str

    def create(self, upload_id: str, files: Sequence[UploadedFile]) -> None:
        """Make the folder of an upload, with the list of its files."""
        with self._opened(create=True) as area:
            os.mkdir(upload_id, dir_fd=area)
            with folder_in(area, upload_id) as folder:
                os.mkdir(_CONTENT, dir_fd=folder)
                with os.fdopen(os.open(_LIST, _NEW_FILE, _MODE, dir_fd=folder), "wb") as file:
                    file.write(msgspec.json.encode(_StagedList(self.library, list(files))))
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

    def open(self, upload_id: str) -> StagedUpload:
        """Open an upload for one writer.

        Raises:
            StagingBusy: another one has it.
            StagingGone: its files are no longer there.
        """
        try:
            with self._opened() as area, folder_in(area, upload_id) as folder:
                descriptor = os.open(_LIST, _OLD_FILE, dir_fd=folder)
                with closed_on_error(descriptor):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    found = msgspec.json.decode(_read_all(descriptor), type=_StagedList)
                    content = os.open(_CONTENT, FOLDER | os.O_NOFOLLOW, dir_fd=folder)
        except BlockingIOError:
            raise StagingBusy from None
        except msgspec.DecodeError:
            raise StagingGone from None
        except OSError as error:
            if error.errno in REPLACED:
                raise StagingGone from None
            raise
        return StagedUpload(descriptor, content, found.files)

    def remove(self, upload_id: str) -> None:
        """Delete the files of an upload. What cannot be deleted now is left for the next sweep."""
        with suppress(OSError, StagingGone, LocationUnusable), self._opened() as area:
            shutil.rmtree(upload_id, ignore_errors=True, dir_fd=area)

    def uploads(self, *, before: datetime) -> list[str]:
        """Return the ids of the uploads whose folders were made before a time, of any server."""
        try:
            with self._opened() as area:
                names = sorted(os.listdir(area))  # noqa: PTH208 - a descriptor
                return [name for name in names if _modified(area, name) < before.timestamp()]
        except (OSError, StagingGone, LocationUnusable):
            return []

    def is_own(self, upload_id: str) -> bool:
        """Return whether this server has made the folder of an upload, or nobody has completed making it."""
        try:
            with (
                self._opened() as area,
                folder_in(area, upload_id) as folder,
                closing(os.open(_LIST, _OLD_FILE, dir_fd=folder)) as descriptor,
            ):
                return msgspec.json.decode(_read_all(descriptor), type=_Owner).library == self.library
        except FileNotFoundError:
            return True
        except (OSError, StagingGone, LocationUnusable, msgspec.DecodeError):
            return False

    def place(self, upload_id: str, game: str, names: Sequence[str], *, has_versions: bool) -> None:
        """Move a complete upload to its place: with the folder of its game, unless there is one.

        ``names`` are the files or folders that it consists of, in the folder of its game if the game ``has_versions``.
        The last one is moved last, and makes them a version. A call that was interrupted may be repeated.

        Raises:
            PlaceTaken: something else is there.
            StagingGone: the files are neither there nor in their place.
        """
        with self._base() as base:
            is_inside = has_versions and exists(base, game)
        source = f"{upload_id}/{_CONTENT}/{game}" if is_inside else f"{upload_id}/{_CONTENT}"
        with self._game(game) if is_inside else self._base() as destination:
            for name in names if is_inside or not has_versions else (game,):
                self._move(source, name, destination)
            os.fsync(destination)

    def _move(self, source: str, name: str, destination: int) -> None:
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

    def taken_name(self, game: str, names: Sequence[str], *, has_versions: bool) -> str | None:
        """Return the name of what is already where an upload belongs, or None."""
        with self._base() as base:
            if not has_versions:
                return next((name for name in names if exists(base, name)), None)
            if not exists(base, game):
                return None
        try:
            with self._game(game) as folder:
                return next((name for name in names if exists(folder, name)), None)
        except PlaceTaken:
            return game

    def disk(self) -> Disk:
        with self._base() as base:
            return Disk(os.fstat(base).st_dev, free_bytes_of(base))

    @contextmanager
    def _base(self) -> Iterator[int]:
        """Open the folder of the library."""
        try:
            descriptor = VersionLocation(self.base, "", self.policy).open()
        except OSError as error:
            raise unusable(error) from None
        with closing(descriptor):
            yield descriptor

    @contextmanager
    def _game(self, name: str) -> Iterator[int]:
        """Open the folder of a game that exists. Raises PlaceTaken if it is none, or a link to outside the library."""
        try:
            descriptor = VersionLocation(self.base, name, self.policy).open()
        except (FileNotFoundError, NotADirectoryError):
            raise PlaceTaken from None
        with closing(descriptor):
            if not S_ISDIR(os.fstat(descriptor).st_mode):
                raise PlaceTaken
            yield descriptor

    @contextmanager
    def _opened(self, *, create: bool = False) -> Iterator[int]:
        """Open the folder with the uploads. Raises StagingGone if there is none."""
        with self._base() as base:
            try:
                path = "/".join(_FOLDERS)
                if create:
                    make_folders(base, path)
                descriptor = open_beneath(base, path, FOLDER)
            except (FileNotFoundError, NotADirectoryError):
                if create:
                    raise LocationUnusable(Message("staging-area-unusable")) from None
                raise StagingGone from None
            with closing(descriptor):
                yield descriptor


def _modified(folder: int, name: str) -> float:
    """Return when something in a folder was modified, in seconds since 1970; infinity if it is not there any more."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return inf


def _read_all(descriptor: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()
