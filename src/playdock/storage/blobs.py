"""Blobs: named bytes that the service writes itself (pictures, layers, manifests, patches).

`Blobs` is the port; `LocalBlobs` keeps them in a folder. A blob appears whole or not at all and survives a power cut
once `put` has returned.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from io import BufferedReader
from pathlib import Path
from typing import Protocol

_KEY = re.compile(r"[a-z]+/[0-9a-f][0-9a-f-]{15,127}")
_UNFINISHED = ".writing-"


class NoSuchBlob(Exception):
    """There are no bytes under this key."""


class Blobs(Protocol):
    """Bytes by key; a key is ``kind/hexadecimal-name``."""

    def put(self, key: str, pieces: Iterable[bytes]) -> int:
        """Write a blob and give its size in bytes; one that is there is replaced whole."""

    def open(self, key: str, *, block: int = 262_144) -> Iterator[bytes]:
        """Give the bytes piece by piece.

        Raises:
            NoSuchBlob: nothing is there.
        """

    def descriptor(self, key: str) -> int:
        """Open a blob to be sent by the system; closing the descriptor is the caller's.

        Raises:
            NoSuchBlob: nothing is there.
        """

    def delete(self, key: str) -> None:
        """Remove a blob; what is not there is removed already."""

    def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
        """Give the keys of one kind that were written before a moment."""

    def forget_unfinished(self, *, before: datetime) -> None:
        """Remove what was left of blobs whose writing was cut short before a moment."""

    def check(self) -> None:
        """Write and remove something.

        Raises:
            OSError: the storage cannot be written.
        """


@dataclass(frozen=True, slots=True)
class LocalBlobs:
    """Blobs as files below a folder, spread over 256 folders a kind."""

    root: Path

    def put(self, key: str, pieces: Iterable[bytes]) -> int:
        path = self._path(key)
        _make_folder(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
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
        return _blocks(file, block)

    def descriptor(self, key: str) -> int:
        try:
            return os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise NoSuchBlob(key) from None

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
        for path in (self.root / kind).glob("*/*"):
            key = f"{kind}/{path.name}"
            if _KEY.fullmatch(key) and _is_older(path, before):
                yield key

    def forget_unfinished(self, *, before: datetime) -> None:
        for path in self.root.glob(f"*/*/{_UNFINISHED}*"):
            if _is_older(path, before):
                path.unlink(missing_ok=True)

    def check(self) -> None:
        key = "check/" + "0" * 16
        self.put(key, [b"ok"])
        self.delete(key)

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise NoSuchBlob(key)
        kind, name = key.split("/")
        return self.root / kind / name[:2] / name


def _blocks(file: BufferedReader, block: int) -> Iterator[bytes]:
    with file:
        while piece := file.read(block):
            yield piece


def _is_older(path: Path, before: datetime) -> bool:
    """Tell whether a file is there and was written before a moment."""
    try:
        return path.stat().st_mtime < before.timestamp()
    except FileNotFoundError:
        return False


def _make_folder(folder: Path) -> None:
    """Make a folder, and those above it, that survive a power cut."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Make what has come into a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
