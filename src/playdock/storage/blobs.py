"""Blobs: named bytes that the service writes itself (pictures, layers, manifests, patches).

`Blobs` is the interface; `LocalBlobs` stores them in a folder, `S3Blobs` in an S3 server. A blob is written atomically,
and survives a power failure once `put` has returned.
"""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from io import BufferedReader
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from playdock.kit.storage_failures import writing

_KEY = re.compile(r"[a-z]+/[0-9a-f][0-9a-f-]{15,127}")
# The prefix of the temporary files of `put`.
_UNFINISHED = ".writing-"


class NoSuchBlob(Exception):
    """There is no blob with this key."""


class BlobEntry(Struct, frozen=True):
    """A blob in a list: its size in bytes, and when it was written in Unix seconds."""

    key: str
    size: int
    modified: float


class Blobs(Protocol):
    """Blobs by key. A key has the form ``kind/hexadecimal-name``.

    Raises:
        OSError: the storage cannot be used (raised by all methods); for S3 it is a StorageFailure.
    """

    def put(self, key: str, pieces: Iterable[bytes]) -> int:
        """Write a blob, replacing an existing one, and return its size in bytes."""

    def open(self, key: str, *, block: int = 262_144) -> Iterator[bytes]:
        """Return the content in pieces of at most ``block`` bytes.

        Raises:
            NoSuchBlob: there is no blob with this key.
        """

    def descriptor(self, key: str) -> int:
        """Open a blob and return its file descriptor, which the caller must close.

        Raises:
            NoSuchBlob: there is no blob with this key.
        """

    def delete(self, key: str) -> None:
        """Delete a blob if it exists."""

    def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
        """Return the keys of the blobs of one kind that were written before a given time."""

    def entries(self, kind: str) -> Iterator[BlobEntry]:
        """Return the blobs of one kind in the order of their keys."""

    def delete_unfinished(self, *, before: datetime) -> None:
        """Delete temporary files of interrupted writes that are older than a given time."""

    def check(self) -> None:
        """Check that the storage is writable by writing and deleting a blob.

        Raises:
            OSError: the storage is not writable.
        """


class LocalBlobs(Struct, frozen=True):
    """Blobs as files below a folder, distributed over 256 folders per kind."""

    root: Path

    def put(self, key: str, pieces: Iterable[bytes]) -> int:
        path = self._path(key)
        with writing():
            return self._write(path, pieces)

    def _write(self, path: Path, pieces: Iterable[bytes]) -> int:
        _make_folder(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                # Not every network file system has locks.
                with suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                size = sum(file.write(piece) for piece in pieces)
                file.flush()
                os.fsync(file.fileno())
                Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
        return size

    def open(self, key: str, *, block: int = 262_144) -> Iterator[bytes]:
        try:
            file = self._path(key).open("rb")
        except FileNotFoundError:
            raise NoSuchBlob(key) from None
        return blocks(file, block)

    def descriptor(self, key: str) -> int:
        try:
            return os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise NoSuchBlob(key) from None

    def delete(self, key: str) -> None:
        with writing():
            self._path(key).unlink(missing_ok=True)

    def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
        for path in (self.root / kind).glob("*/*"):
            key = f"{kind}/{path.name}"
            if is_key(key) and _is_older(path, before):
                yield key

    def entries(self, kind: str) -> Iterator[BlobEntry]:
        for folder in _names(self.root / kind):
            for name in _names(self.root / kind / folder):
                key = f"{kind}/{name}"
                if _KEY.fullmatch(key) and (status := _status(self.root / kind / folder / name)):
                    yield BlobEntry(key, status.st_size, status.st_mtime)

    def delete_unfinished(self, *, before: datetime) -> None:
        for path in self.root.glob(f"*/*/{_UNFINISHED}*"):
            if _is_older(path, before) and not _is_being_written(path):
                with writing():
                    path.unlink(missing_ok=True)

    def check(self) -> None:
        key = "check/" + "0" * 16
        self.put(key, [b"ok"])
        self.delete(key)

    def _path(self, key: str) -> Path:
        return self.root / place_of(key)


def is_key(key: str) -> bool:
    return _KEY.fullmatch(key) is not None


def place_of(key: str) -> str:
    """Return the relative path of a blob, which is the same in a folder and in S3, so that blobs can be copied.

    Raises:
        NoSuchBlob: it is not a key; nothing else is accessible.
    """
    if not is_key(key):
        raise NoSuchBlob(key)
    kind, name = key.split("/")
    return f"{kind}/{name[:2]}/{name}"


def blocks(file: BufferedReader, block: int) -> Iterator[bytes]:
    """Yield the content of a file in pieces, and close it."""
    with file:
        while piece := file.read(block):
            yield piece


def _is_older(path: Path, before: datetime) -> bool:
    """Return whether a file exists and was last written before a given time."""
    try:
        return path.stat().st_mtime < before.timestamp()
    except FileNotFoundError:
        return False


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _is_being_written(path: Path) -> bool:
    """Return whether `put` still writes a temporary file, which looks old after the system's clock was changed."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _make_folder(folder: Path) -> None:
    """Create a folder and its parents so that they survive a power failure."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to disk, so that new files survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
