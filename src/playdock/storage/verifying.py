"""Verifying: read the files of a version again and compare them with the hashes of the import."""

import errno
from collections.abc import Callable
from types import TracebackType
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from playdock.content.damage import FileProblem
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.records import FileRecord, Layer
from playdock.kit.storage_failures import StorageFailure
from playdock.storage.entries import Check, Reader, Source, Tree, TreeEntry
from playdock.storage.ingest import ingest

# Often enough to cancel soon even on a slow network share.
_FILES_BETWEEN_REPORTS = 1000
_FAILURES = (OSError, UnusableVersion, VersionChanged)
# The file could be opened a moment before, so a failure to decompress it means that its data is corrupted.
_PROBLEMS = {VersionChanged: FileProblem.CHANGED, UnusableVersion: FileProblem.ROT}


def verify(tree: Tree, layer: Layer, *, workers: int, report: Callable[[int], None]) -> dict[str, FileProblem]:
    """Return the problems of the files of a layer, and the files that are not in it, by path.

    Files with the size and time of the import are read. ``report`` is called in this thread, about every half second,
    with the number of bytes read; if it raises, reading ends.
    Raises OSError if the disk or the network share fails as a whole.
    """
    problems: dict[str, FileProblem] = {}
    unchanged: list[TreeEntry] = []
    for number, record in enumerate(layer.files):
        if number % _FILES_BETWEEN_REPORTS == 0:
            report(0)
        result = _check_status(tree, record)
        if isinstance(result, TreeEntry):
            unchanged.append(result)
        else:
            problems[record.path] = result
    problems |= dict.fromkeys(_added(tree, layer), FileProblem.ADDED)
    try:
        # What the cache has is no evidence that the archive can still be read.
        tree.prepare(lambda _: report(0), again=True)
    except (UnusableVersion, VersionChanged) as failure:
        return problems | dict.fromkeys((entry.path for entry in unchanged), _PROBLEMS[type(failure)])
    files = _VerifiedFiles(tree, unchanged, problems)
    current = ingest(files, workers=workers, checkpoint=lambda checkpoint: report(checkpoint.done))
    hashes = {record.path: record.hash for record in layer.files}
    corrupted = {file.path: FileProblem.ROT for file in current.files if file.hash != hashes[file.path]}
    return corrupted | problems


def _added(tree: Tree, layer: Layer) -> set[str]:
    """Return the regular files that the import did not have."""
    try:
        return {file.path for file in tree.names()}.difference(record.path for record in layer.files)
    except (UnusableVersion, VersionChanged):
        # Whatever that is, the files of the layer are verified one by one.
        return set()


def _check_status(tree: Tree, record: FileRecord) -> TreeEntry | FileProblem:
    try:
        entry = tree.entry(record.path)
    except VersionChanged:
        return FileProblem.MISSING
    except UnusableVersion:
        return FileProblem.UNREADABLE
    if (entry.size, entry.mtime_ns) != (record.size, record.mtime_ns):
        return FileProblem.CHANGED
    # The content is compared with the hash of the record, so the CRC-32 of the archive need not be checked.
    return replace(entry, crc32=None)


class _VerifiedFiles(Struct, frozen=True):
    """Some files of a tree. A problem with a file is recorded, and the file then ends early instead of raising."""

    tree: Tree
    files: list[TreeEntry]
    problems: dict[str, FileProblem]

    def entries(self) -> list[TreeEntry]:
        return self.files

    def prepare(self, check: Check, *, again: bool = False) -> int:
        return self.tree.prepare(check, again=again)

    def reader(self) -> "_RecordingReader":
        return _RecordingReader(self.tree.reader(), self.problems)


class _RecordingReader(Struct, frozen=True):
    reader: Reader
    problems: dict[str, FileProblem]

    def open(self, entry: TreeEntry, *, offset: int = 0) -> "_RecordingSource":
        try:
            return _RecordingSource(self, entry, self.reader.open(entry, offset=offset))
        except _FAILURES as failure:
            self.record_problem(entry, failure)
            return _RecordingSource(self, entry, None)

    def read(self, entry: TreeEntry) -> bytes:
        try:
            return self.reader.read(entry)
        except _FAILURES as failure:
            self.record_problem(entry, failure)
            return b""

    def record_problem(self, entry: TreeEntry, failure: Exception) -> None:
        """Record the problem of a file. Raise the failure if it concerns more than the file."""
        if isinstance(failure, StorageFailure) or (isinstance(failure, OSError) and failure.errno != errno.EIO):
            raise failure
        self.problems[entry.path] = _PROBLEMS.get(type(failure), FileProblem.UNREADABLE)

    def __enter__(self) -> Self:
        self.reader.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.reader.__exit__(kind, error, trace)


class _RecordingSource(Struct, frozen=True):
    reader: _RecordingReader
    entry: TreeEntry
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
            self.reader.record_problem(self.entry, failure)
            return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.source is not None:
            self.source.__exit__(kind, error, trace)
