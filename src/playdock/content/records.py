"""Records of the files of a version, and their serialization.

They are Structs instead of dataclasses, because a version may have a million of them and Structs are created, encoded
and decoded ten times as fast.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Self

import msgspec

from playdock.content.chunks import ChunkerState, DigestedRange
from playdock.content.errors import UnreadableRecord

_FORMAT = b"playdock-checkpoint\x01"


class FileRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A digested file: the size in bytes, permission bits, a hash of 32 bytes, and packed chunks."""

    path: str
    size: int
    mode: int
    mtime_ns: int
    crc32: int
    hash: bytes
    chunks: bytes


class LinkRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A symbolic link; the target is relative to the link's folder."""

    path: str
    target: str


class Layer(msgspec.Struct, frozen=True):
    """The files and links of one version, each sorted by path (by the bytes of UTF-8, the order in which str compares).

    ``removed`` are the paths of files and folders to remove from the layers below. Many files are a `PackedList`, which
    is best read from the first to the last.
    """

    files: Sequence[FileRecord] = ()
    links: tuple[LinkRecord, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The size of the layer's image in bytes."""
        return sum(file.size for file in self.files)


class PartialFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A range of a file, digested from one chunk boundary (``start``) to another (``offset``).

    ``size`` and ``mtime_ns`` are those of the file, ``crc32`` is that of all bytes before ``offset``, and ``chunks``
    are those of the range.
    """

    path: str
    size: int
    mtime_ns: int
    start: int
    offset: int
    crc32: int
    chunks: bytes

    @property
    def state(self) -> ChunkerState:
        """The state at which the file is resumed, if the range begins at the start of the file."""
        return ChunkerState(self.offset, self.crc32, self.chunks)

    def continues(self, other: Self) -> bool:
        """Return whether this range begins where another range of the same unchanged file ends."""
        before = (other.path, other.size, other.mtime_ns, other.offset)
        return (self.path, self.size, self.mtime_ns, self.start) == before


class FileRange(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A range of a file, digested without what comes before it. ``size`` and ``mtime_ns`` are those of the file."""

    path: str
    size: int
    mtime_ns: int
    digested: DigestedRange


class Checkpoint(msgspec.Struct, frozen=True, array_like=True):
    """The results of an import since its last checkpoint, and its progress in bytes of the whole version."""

    files: tuple[FileRecord, ...]
    partials: tuple[PartialFile, ...]
    done: int
    total: int
    ranges: tuple[FileRange, ...] = ()


class ScanState(msgspec.Struct, frozen=True):
    """The combined checkpoints of an import: digested files, unfinished files from their start, and ranges of files."""

    files: tuple[FileRecord, ...] = ()
    partials: tuple[PartialFile, ...] = ()
    ranges: tuple[FileRange, ...] = ()

    def within(self, first: str, last: str) -> Self:  # noqa: ARG002 - as `storage.ingest.Earlier` declares
        """Return at least what is known of the files from one path to another."""
        return self


def weigh_record(record: FileRecord) -> int:
    """Return the size of the part of a record that has no fixed size; see `packed_list.pieces`."""
    return len(record.chunks)


def encode_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Return the serialized checkpoint."""
    return _FORMAT + msgspec.msgpack.encode(checkpoint)


def decode_checkpoint(data: bytes) -> Checkpoint:
    """Return the checkpoint in the result of `encode_checkpoint`.

    Raises:
        UnreadableRecord: the bytes are damaged or have an unknown format.
    """
    if not data.startswith(_FORMAT):
        raise UnreadableRecord("A checkpoint has a format that this release does not support. Start the import again.")
    try:
        return msgspec.msgpack.decode(memoryview(data)[len(_FORMAT) :], type=Checkpoint)
    except msgspec.DecodeError as damage:
        raise UnreadableRecord("A checkpoint is damaged. Start the import again.") from damage


def gather(checkpoints: Iterable[Checkpoint]) -> ScanState:
    """Combine the checkpoints of an import, oldest first.

    The newest record of a file replaces older ones and the ranges of the file before it.
    """
    files: dict[str, FileRecord] = {}
    begun: dict[str, list[PartialFile]] = {}
    ranges: dict[str, list[FileRange]] = {}
    for checkpoint in checkpoints:
        for file in checkpoint.files:
            files[file.path] = file
            begun.pop(file.path, None)
            ranges.pop(file.path, None)
        for partial in checkpoint.partials:
            begun.setdefault(partial.path, []).append(partial)
        for part in checkpoint.ranges:
            ranges.setdefault(part.path, []).append(part)
    combined = (partial for parts in begun.values() for partial in join(parts)[-1:])
    from_start = tuple(partial for partial in combined if partial.start == 0)
    return ScanState(tuple(files.values()), from_start, tuple(chain.from_iterable(ranges.values())))


def join(partials: Iterable[PartialFile]) -> tuple[PartialFile, ...]:
    """Combine consecutive ranges of the same file."""
    runs: list[list[PartialFile]] = []
    for partial in partials:
        if runs and partial.continues(runs[-1][-1]):
            runs[-1].append(partial)
        else:
            runs.append([partial])
    return tuple(map(_combined, runs))


def _combined(run: list[PartialFile]) -> PartialFile:
    chunks = b"".join(partial.chunks for partial in run)
    return msgspec.structs.replace(run[-1], start=run[0].start, chunks=chunks)
