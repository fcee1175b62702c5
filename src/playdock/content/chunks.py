"""Content-defined chunking and hashing of files in one pass.

FastCDC (https://ieeexplore.ieee.org/document/9055082) restarts at every chunk boundary and CRC-32 can be continued, so
the *state* at a chunk boundary is sufficient to resume later. Chunks are stored *packed* in 36 bytes each, because a
version of 1 TB has about three million of them.

A *range* of a large file can be digested without what comes before it: FastCDC that begins anywhere in a file finds the
boundaries of a complete pass again, usually within a few chunks.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from struct import Struct
from typing import NamedTuple
from zlib import crc32

import msgspec
from blake3 import blake3
from pyfastcdc import FastCDC

from playdock.content.crc32 import combine_crc32

# Bytes. Other sizes would give all chunks new ids, and clients would download everything again with the next version.
# Smaller chunks make updates smaller and manifests larger.
MIN_CHUNK = 64 * 1024
AVERAGE_CHUNK = 256 * 1024
MAX_CHUNK = 1024 * 1024

_PACKED = Struct("<I32s")
PACKED_SIZE = _PACKED.size
# After a cut, less than one chunk remains in the buffer, so a full chunk always fits behind it.
_BUFFER_BYTES = 2 * MAX_CHUNK
# The size of a read: large enough for the throughput of disks and small enough to notice a cancellation soon.
_READ_BYTES = 512 * 1024
# Of 22 beginnings in the middle of a file, the last one met a boundary of the complete pass after 0.9 MiB. If one takes
# longer than this, its range is digested again.
_MEETING_BYTES = 4 * MAX_CHUNK


class Chunk(NamedTuple):
    """A chunk of a file: its length in bytes and its id, the BLAKE3 digest of its bytes."""

    length: int
    id: bytes


class ChunkerState(NamedTuple):
    """The progress in a file: `offset` is a chunk boundary and `chunks` are the packed chunks before it."""

    offset: int = 0
    crc32: int = 0
    chunks: bytes = b""


class DigestedRange(NamedTuple):
    """The bytes of a file from one chunk boundary to another: their CRC-32 and packed chunks."""

    start: int
    end: int
    crc32: int
    chunks: bytes


class Digest(msgspec.Struct, frozen=True, gc=False):
    """The CRC-32, the hash (32 bytes) and the packed chunks of a file."""

    crc32: int
    hash: bytes
    chunks: bytes


def unpack(chunks: bytes) -> Iterator[Chunk]:
    """Return an iterator over packed chunks."""
    return map(Chunk._make, _PACKED.iter_unpack(chunks))


def digest_small(data: bytes) -> Digest:
    """Return the digest of a complete file that is too small to be split.

    Raises:
        ValueError: there are more than `MIN_CHUNK` bytes.
    """
    if len(data) > MIN_CHUNK:
        raise ValueError(f"{len(data)} bytes may have to be split; use a Digester.")
    digest = blake3(data).digest()
    return Digest(crc32(data), digest, _PACKED.pack(len(data), digest) if data else b"")


class Digester:
    """Digests one file after another in one thread, with one buffer.

    Read into `buffer`, call `feed` with the number of bytes, and `finish` at the end of the file. Read from `position`,
    which is not always the end of what was fed: what is known of a file is skipped. At any time, `take_progress`
    returns the chunks found since its last call, so that a long file can be resumed after an interruption. They end at
    `offset`.
    """

    def __init__(self) -> None:
        self._cutter = FastCDC(AVERAGE_CHUNK, min_size=MIN_CHUNK, max_size=MAX_CHUNK)
        self._buffer = memoryview(bytearray(_BUFFER_BYTES))
        self.start()

    def start(self, state: ChunkerState | None = None, *, known: Iterable[DigestedRange] = ()) -> None:
        """Begin a file at its first byte, or resume it at a state. ``known`` ranges, in order, need not be read."""
        self.offset, self._crc32, chunks = state or ChunkerState()
        self._chunks = bytearray(chunks)
        self._taken = len(chunks)
        self._ids = blake3()
        self._filled = 0
        self._known = deque(known)
        for chunk in unpack(chunks):
            self._ids.update(chunk.id)
        self._adopt()

    @property
    def position(self) -> int:
        """The offset in the file of the next byte to feed."""
        return self.offset + self._filled

    @property
    def buffer(self) -> memoryview:
        """The buffer for the next bytes of the file, of at most 512 KiB and never empty."""
        return self._buffer[self._filled : self._filled + _READ_BYTES]

    def feed(self, count: int) -> None:
        """Process the first `count` bytes of the buffer as the next bytes of the file."""
        self._filled += count
        if self._filled == len(self._buffer):
            self._cut(last=False)

    def take_progress(self) -> ChunkerState:
        """Return the progress in the file, with only the chunks found since the last call."""
        start, self._taken = self._taken, len(self._chunks)
        return ChunkerState(self.offset, self._crc32, bytes(self._chunks[start:]))

    def finish(self) -> Digest:
        """Process the end of the file and return its digest.

        If `position` is another one then, a known range was found, and the file is not at its end: read on from there.
        """
        self._cut(last=True)
        return Digest(self._crc32, self._hash(), bytes(self._chunks))

    def _cut(self, *, last: bool) -> None:
        start = 0
        for piece in self._cutter.cut_buf(self._buffer[: self._filled]):
            # A boundary at the end of the buffer may be caused by the end of the buffer itself.
            if not last and start + piece.length == self._filled:
                break
            self._add(piece.data)
            start += piece.length
            if self._adopt():
                self._filled = 0
                return
        self._filled -= start
        self._buffer[: self._filled] = self._buffer[start : start + self._filled]

    def _add(self, data: memoryview) -> None:
        chunk = blake3(data).digest()
        self._crc32 = crc32(data, self._crc32)
        self._ids.update(chunk)
        self._chunks += _PACKED.pack(len(data), chunk)
        self.offset += len(data)

    def _adopt(self) -> bool:
        """Add the known ranges that begin here, where both have a chunk boundary. Return whether there is one."""
        before = self.offset
        while self._known and self._known[0].start <= self.offset:
            known = self._known.popleft()
            if known.start == self.offset:
                self._crc32 = combine_crc32(self._crc32, known.crc32, known.end - known.start)
                self._chunks += known.chunks
                self.offset = known.end
                for chunk in unpack(known.chunks):
                    self._ids.update(chunk.id)
        return self.offset > before

    def _hash(self) -> bytes:
        if len(self._chunks) == _PACKED.size:
            return bytes(self._chunks[4:])
        return self._ids.digest()


class RangeDigester(Digester):
    """Digests a range of a file, without what comes before it.

    The range is from the first chunk boundary at or after ``first`` to the first one at or after ``last``, so that
    ranges that follow each other meet. Feed bytes from `position` on until `is_complete`, or until the end of the file.
    What is fed before ``first`` serves to find the boundaries of a complete pass.
    """

    def __init__(self, first: int, last: int) -> None:
        super().__init__()
        self.start(ChunkerState(offset=max(0, first - _MEETING_BYTES)))
        self._first, self._last = first, last
        self._start: int | None = None

    @property
    def is_complete(self) -> bool:
        return self.offset >= self._last

    def finish_range(self, *, at_end_of_file: bool) -> DigestedRange:
        """Process what was fed, and return the range, which is empty if no boundary was found."""
        self._cut(last=at_end_of_file)
        start = self.offset if self._start is None else self._start
        return DigestedRange(start, self.offset, self._crc32, bytes(self._chunks))

    def _add(self, data: memoryview) -> None:
        if self.offset < self._first:
            self.offset += len(data)
        elif not self.is_complete:
            self._start = self.offset if self._start is None else self._start
            super()._add(data)
