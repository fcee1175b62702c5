"""Cutting a file into chunks where its content says so, and hashing it on the way, in one pass.

FastCDC (https://ieeexplore.ieee.org/document/9055082) starts afresh at every cut and CRC-32 can be carried on, so a
*state* at a chunk boundary is all that is needed to go on later. Chunks are kept *packed*, 36 bytes each: a version of
1 TB has about three million of them.
"""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple
from zlib import crc32

import msgspec
from blake3 import blake3
from pyfastcdc import FastCDC

MIN_CHUNK = 64 * 1024
AVERAGE_CHUNK = 256 * 1024
MAX_CHUNK = 1024 * 1024

_PACKED = Struct("<I32s")
PACKED_SIZE = _PACKED.size
_BUFFER = 2 * MAX_CHUNK
_READ = 512 * 1024


class Chunk(NamedTuple):
    """A piece of a file: its length in bytes and its id, the BLAKE3 of those bytes."""

    length: int
    id: bytes


class State(NamedTuple):
    """How far a file has been digested: `offset` is a chunk boundary, `chunks` are those before it, packed."""

    offset: int = 0
    crc32: int = 0
    chunks: bytes = b""


class Digest(msgspec.Struct, frozen=True, gc=False):
    """What one pass over a file's bytes tells; the hash is of 32 bytes, the chunks are packed."""

    crc32: int
    hash: bytes
    chunks: bytes


def unpack(chunks: bytes) -> Iterator[Chunk]:
    """Give packed chunks one by one."""
    return map(Chunk._make, _PACKED.iter_unpack(chunks))


def digest_small(data: bytes) -> Digest:
    """Digest the whole of a file that is too small to be cut.

    Raises ValueError for more than `MIN_CHUNK` bytes.
    """
    if len(data) > MIN_CHUNK:
        raise ValueError(f"{len(data)} bytes may have to be cut: use a Digester.")
    digest = blake3(data).digest()
    return Digest(crc32(data), digest, _PACKED.pack(len(data), digest) if data else b"")


class Digester:
    """The buffer and the cutter of one thread, used for one file after the other.

    Fill `room`, tell `feed` how much it was, and `finish` at the end of the file. The chunks found up to now can be
    taken at any time by `news`, so that a long file can be gone on with after an interruption; they end at `offset`.
    """

    def __init__(self) -> None:
        self._cutter = FastCDC(AVERAGE_CHUNK, min_size=MIN_CHUNK, max_size=MAX_CHUNK)
        self._buffer = memoryview(bytearray(_BUFFER))
        self.start()

    def start(self, state: State | None = None) -> None:
        """Begin a file, from its first byte or from where it was left."""
        self.offset, self._crc32, chunks = state or State()
        self._chunks = bytearray(chunks)
        self._told = len(chunks)
        self._ids = blake3()
        self._held = 0
        for chunk in unpack(chunks):
            self._ids.update(chunk.id)

    @property
    def room(self) -> memoryview:
        """Where the next bytes of the file belong, at most 512 KiB and never empty."""
        return self._buffer[self._held : self._held + _READ]

    def feed(self, count: int) -> None:
        """Take the first `count` bytes of the room as the file's next ones."""
        self._held += count
        if self._held == len(self._buffer):
            self._cut(last=False)

    def news(self) -> State:
        """Tell where the file stands, with the chunks found since this was last asked."""
        told, self._told = self._told, len(self._chunks)
        return State(self.offset, self._crc32, bytes(self._chunks[told:]))

    def finish(self) -> Digest:
        """Cut what is left; the file ends here."""
        self._cut(last=True)
        return Digest(self._crc32, self._hash(), bytes(self._chunks))

    def _cut(self, *, last: bool) -> None:
        start = 0
        for piece in self._cutter.cut_buf(self._buffer[: self._held]):
            # A cut at the end of the buffer may only be the end of the buffer.
            if not last and start + piece.length == self._held:
                break
            self._add(piece.data)
            start += piece.length
        self._held -= start
        self._buffer[: self._held] = self._buffer[start : start + self._held]

    def _add(self, data: memoryview) -> None:
        chunk = blake3(data).digest()
        self._crc32 = crc32(data, self._crc32)
        self._ids.update(chunk)
        self._chunks += _PACKED.pack(len(data), chunk)
        self.offset += len(data)

    def _hash(self) -> bytes:
        if len(self._chunks) == _PACKED.size:
            return bytes(self._chunks[4:])
        return self._ids.digest()
