"""Compression of chunks into independent zstd frames with a seek table.

Each frame contains as many complete chunks as fit into 1 MiB. The table at the end is that of zstd's seekable format
(https://github.com/facebook/zstd/blob/dev/contrib/seekable_format/zstd_seekable_compression_format.md). It has no
checksums, because chunks are verified by their ids. Decoders skip the frame of the table, so any of them can decompress
the whole.
"""

from collections.abc import Iterable, Iterator
from struct import Struct
from typing import NamedTuple

import zstandard

# As large as the largest chunk, so that every chunk fits into a frame.
FRAME_SIZE = 1024 * 1024
# The default of zstd; frames are compressed while they are sent, so speed matters more than size.
_LEVEL = 3

# The magic numbers of a skippable frame and of the seek table.
_SKIPPABLE = 0x184D2A5E
_SEEKABLE = 0x8F92EAB1
_HEAD = Struct("<II")
_ENTRY = Struct("<II")
_FOOT = Struct("<IBI")


class Frame(NamedTuple):
    """A compressed frame, and the number of bytes in it before compression: none in the seek table."""

    data: bytes
    content: int


def frames(pieces: Iterable[bytes], lengths: Iterable[int]) -> Iterator[Frame]:
    """Yield the compressed frames of chunks, and then the seek table.

    ``pieces`` are the bytes of the chunks in pieces of any size, ``lengths`` the lengths of the chunks. Only one frame
    is in memory at a time.

    Raises:
        ValueError: there are fewer bytes than the lengths say.
    """
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    entries = bytearray()
    for plain in _resized(iter(pieces), _frame_sizes(lengths)):
        compressed = compressor.compress(plain)
        entries += _ENTRY.pack(len(compressed), len(plain))
        yield Frame(compressed, len(plain))
    yield Frame(_table(entries), 0)


def _frame_sizes(lengths: Iterable[int]) -> Iterator[int]:
    """Yield the sizes of frames that contain as many chunks as fit; no chunk is larger than a frame."""
    size = 0
    for length in lengths:
        if size and size + length > FRAME_SIZE:
            yield size
            size = 0
        size += length
    if size:
        yield size


def _resized(pieces: Iterator[bytes], sizes: Iterable[int]) -> Iterator[bytes]:
    """Yield the bytes of all pieces in pieces of the given sizes."""
    buffer = bytearray()
    for size in sizes:
        while len(buffer) < size:
            if not (piece := next(pieces, b"")):
                raise ValueError("There are fewer bytes than the chunk lengths say.")
            buffer += piece
        yield bytes(buffer[:size])
        del buffer[:size]


def _table(entries: bytes | bytearray) -> bytes:
    foot = _FOOT.pack(len(entries) // _ENTRY.size, 0, _SEEKABLE)
    return _HEAD.pack(_SKIPPABLE, len(entries) + len(foot)) + entries + foot
