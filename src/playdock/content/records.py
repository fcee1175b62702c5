"""What is known of a version's files, and how that is kept.

Structs, not dataclasses: a version may have a million of them, and they are made, packed and read ten times as fast.
"""

from collections.abc import Iterable
from typing import Self

import msgspec

from playdock.content.chunks import State
from playdock.content.errors import UnreadableRecord

_FORMAT = b"playdock-checkpoint\x01"


class FileRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A digested file: size in bytes, mode as permission bits, a hash of 32 bytes, its chunks packed."""

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
    """The files and links of one version, each sorted by path (bytewise by UTF-8, which is how str compares).

    `removed` are paths, of files or of folders, that are to be gone from the layers below.
    """

    files: tuple[FileRecord, ...] = ()
    links: tuple[LinkRecord, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The size of the layer's image in bytes."""
        return sum(file.size for file in self.files)


class PartialFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A stretch of a file, digested from one chunk boundary (`start`) to another (`offset`).

    `size` and `mtime_ns` are the file's, `crc32` is of everything before `offset`, `chunks` are those of the stretch.
    """

    path: str
    size: int
    mtime_ns: int
    start: int
    offset: int
    crc32: int
    chunks: bytes

    @property
    def state(self) -> State:
        """From where the file is gone on with, if the stretch begins with the file."""
        return State(self.offset, self.crc32, self.chunks)

    def continues(self, other: Self) -> bool:
        """Whether this stretch begins where the other, of the same state of the same file, ends."""
        before = (other.path, other.size, other.mtime_ns, other.offset)
        return (self.path, self.size, self.mtime_ns, self.start) == before


class Checkpoint(msgspec.Struct, frozen=True, array_like=True):
    """What an import found out since its checkpoint before, and how far it is, in bytes of the whole version."""

    files: tuple[FileRecord, ...]
    partials: tuple[PartialFile, ...]
    done: int
    total: int


class Found(msgspec.Struct, frozen=True):
    """What all checkpoints of an import together tell: digested files, and begun ones from their start."""

    files: tuple[FileRecord, ...] = ()
    partials: tuple[PartialFile, ...] = ()


def encode_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Put a checkpoint into bytes, to be kept in a row with those before it."""
    return _FORMAT + msgspec.msgpack.encode(checkpoint)


def decode_checkpoint(data: bytes) -> Checkpoint:
    """Read what `encode_checkpoint` gave. Raises UnreadableRecord."""
    if not data.startswith(_FORMAT):
        raise UnreadableRecord("A checkpoint is of a format that this release does not know. Start the import again.")
    try:
        return msgspec.msgpack.decode(memoryview(data)[len(_FORMAT) :], type=Checkpoint)
    except msgspec.DecodeError as damage:
        raise UnreadableRecord("A checkpoint is damaged. Start the import again.") from damage


def gather(checkpoints: Iterable[Checkpoint]) -> Found:
    """Add up the checkpoints of an import, oldest first. A file's newest record counts, and ends its stretches."""
    files: dict[str, FileRecord] = {}
    stretches: dict[str, list[PartialFile]] = {}
    for checkpoint in checkpoints:
        for file in checkpoint.files:
            files[file.path] = file
            stretches.pop(file.path, None)
        for partial in checkpoint.partials:
            stretches.setdefault(partial.path, []).append(partial)
    joined = (partial for stretch in stretches.values() for partial in join(stretch)[-1:])
    return Found(tuple(files.values()), tuple(partial for partial in joined if partial.start == 0))


def join(partials: Iterable[PartialFile]) -> tuple[PartialFile, ...]:
    """Make one stretch of those that follow each other directly, here and in their file."""
    runs: list[list[PartialFile]] = []
    for partial in partials:
        if runs and partial.continues(runs[-1][-1]):
            runs[-1].append(partial)
        else:
            runs.append([partial])
    return tuple(map(_one, runs))


def _one(run: list[PartialFile]) -> PartialFile:
    chunks = b"".join(partial.chunks for partial in run)
    return msgspec.structs.replace(run[-1], start=run[0].start, chunks=chunks)
