"""Bytes compressed on the way: zstd frames that can be unpacked one by one, and a table of where they begin.

Each frame holds whole chunks, as many as fit into 1 MiB. The table at the end is that of zstd's seekable format
(https://github.com/facebook/zstd/blob/dev/contrib/seekable_format/zstd_seekable_compression_format.md), without
checksums: chunks have their ids. It is a frame that decoders skip, so that any of them reads the whole.
"""

from collections.abc import Iterable, Iterator
from struct import Struct

import zstandard

FRAME_SIZE = 1024 * 1024
_LEVEL = 3

_SKIPPABLE = 0x184D2A5E
_SEEKABLE = 0x8F92EAB1
_HEAD = Struct("<II")
_ENTRY = Struct("<II")
_FOOT = Struct("<IBI")


def frames(pieces: Iterable[bytes], lengths: Iterable[int]) -> Iterator[bytes]:
    """Compress pieces of any size, which together are chunks of these lengths; give frame by frame, then the table.

    Holds one frame at a time. Raises ValueError if the pieces end before the chunks do.
    """
    packer = zstandard.ZstdCompressor(level=_LEVEL)
    entries = bytearray()
    for plain in _refilled(iter(pieces), _frame_sizes(lengths)):
        packed = packer.compress(plain)
        entries += _ENTRY.pack(len(packed), len(plain))
        yield packed
    yield _table(entries)


def _frame_sizes(lengths: Iterable[int]) -> Iterator[int]:
    """Add up lengths as long as they fit into a frame; a chunk never is larger than one."""
    size = 0
    for length in lengths:
        if size and size + length > FRAME_SIZE:
            yield size
            size = 0
        size += length
    if size:
        yield size


def _refilled(pieces: Iterator[bytes], sizes: Iterable[int]) -> Iterator[bytes]:
    """Give the bytes of all pieces in other sizes."""
    held = bytearray()
    for size in sizes:
        while len(held) < size:
            if not (piece := next(pieces, b"")):
                raise ValueError("There are fewer bytes than the chunks have.")
            held += piece
        yield bytes(held[:size])
        del held[:size]


def _table(entries: bytes | bytearray) -> bytes:
    foot = _FOOT.pack(len(entries) // _ENTRY.size, 0, _SEEKABLE)
    return _HEAD.pack(_SKIPPABLE, len(entries) + len(foot)) + entries + foot
