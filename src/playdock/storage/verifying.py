"""Verifying: reading the files of a version again, and holding them to what its import found out."""

import errno
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from playdock.content.damage import FileFault
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.records import FileRecord, Layer
from playdock.storage.entries import Entry, Reader, Source, Tree
from playdock.storage.ingest import ingest

_LOOKS_BETWEEN_TELLINGS = 1000
_FAILURES = (OSError, UnusableVersion, VersionChanged)
# A file that is read could be opened a moment before, so what cannot be unpacked has rotted.
_MEANT = {VersionChanged: FileFault.CHANGED, UnusableVersion: FileFault.ROT}


def verify(tree: Tree, layer: Layer, *, workers: int, tell: Callable[[int], None]) -> dict[str, FileFault]:
    """Give, by path, what is wrong with files of a layer.

    Read are those that have the size and time they were imported with. `tell` is called in this thread, about every
    half second, with the number of bytes read; if it raises, reading ends. Files that have come since are let be.
    Raises OSError where the disk or the share fails as a whole.
    """
    faults: dict[str, FileFault] = {}
    sound: list[Entry] = []
    for number, record in enumerate(layer.files):
        if number % _LOOKS_BETWEEN_TELLINGS == 0:
            tell(0)
        found = _look(tree, record)
        if isinstance(found, Entry):
            sound.append(found)
        else:
            faults[record.path] = found
    again = ingest(_Chosen(tree, sound, faults), workers=workers, checkpoint=lambda each: tell(each.done))
    hashes = {record.path: record.hash for record in layer.files}
    rotten = {file.path: FileFault.ROT for file in again.files if file.hash != hashes[file.path]}
    return rotten | faults


def _look(tree: Tree, record: FileRecord) -> Entry | FileFault:
    try:
        entry = tree.entry(record.path)
    except VersionChanged:
        return FileFault.MISSING
    except UnusableVersion:
        return FileFault.UNREADABLE
    if (entry.size, entry.mtime_ns) != (record.size, record.mtime_ns):
        return FileFault.CHANGED
    # What a packed file is held to here is its record.
    return replace(entry, crc32=None)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Files of a tree that have been looked at. What is wrong with one is noted, and it ends there."""

    tree: Tree
    chosen: list[Entry]
    faults: dict[str, FileFault]

    def entries(self) -> list[Entry]:
        return self.chosen

    def reader(self) -> "_NotingReader":
        return _NotingReader(self.tree.reader(), self.faults)


@dataclass(frozen=True, slots=True)
class _NotingReader:
    reader: Reader
    faults: dict[str, FileFault]

    def open(self, entry: Entry, *, offset: int = 0) -> "_NotedSource":
        try:
            return _NotedSource(self, entry, self.reader.open(entry, offset=offset))
        except _FAILURES as failure:
            self.note(entry, failure)
            return _NotedSource(self, entry, None)

    def read(self, entry: Entry) -> bytes:
        try:
            return self.reader.read(entry)
        except _FAILURES as failure:
            self.note(entry, failure)
            return b""

    def note(self, entry: Entry, failure: Exception) -> None:
        """Note what is wrong with a file; raise the failure if it is not about the file."""
        if isinstance(failure, OSError) and failure.errno != errno.EIO:
            raise failure
        self.faults[entry.path] = _MEANT.get(type(failure), FileFault.UNREADABLE)

    def __enter__(self) -> Self:
        self.reader.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.reader.__exit__(kind, error, trace)


@dataclass(frozen=True, slots=True)
class _NotedSource:
    reader: _NotingReader
    entry: Entry
    source: Source | None

    @property
    def start(self) -> int:
        return self.source.start if self.source else 0

    def readinto(self, buffer: memoryview) -> int:
        if self.source is None:
            return 0
        try:
            return self.source.readinto(buffer)
        except _FAILURES as failure:
            self.reader.note(self.entry, failure)
            return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.source is not None:
            self.source.__exit__(kind, error, trace)
