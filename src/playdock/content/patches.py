"""Patches from one installation to a newer one, in independent segments.

A segment contains the missing bytes of newer files, compressed with bytes of older files as a dictionary (patch-from in
the zstd tool). Small files share a segment. Large files are split at chunk boundaries, and each part is compressed with
the bytes around the corresponding position of the older file. A segment has at most 8 MiB of new bytes and 16 MiB of
older bytes, which is as much as the compressor's tables can index; creating it takes about 150 MB of memory.

A segment of a program can be a difference (``differences.py``) instead. It has up to 32 MiB of older bytes, and is
compressed without a dictionary; creating it takes about 700 MB.

See docs/decisions/0014-patches-are-segments.md, 0071-patches-get-smaller-on-an-idle-machine.md and
0106-programs-have-differences.md.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple, Self, TypeAlias

import zstandard
from msgspec import Struct
from msgspec.structs import replace

from playdock.content.bodies import Span
from playdock.content.chunks import unpack
from playdock.content.counterparts import Counterparts
from playdock.content.differences import difference
from playdock.content.file_table import ServedFile
from playdock.content.layers import Installation, InstalledFile
from playdock.content.records import FileRecord

# Bound the memory of compression and decompression; see the module's docstring.
MAX_PLAIN_BYTES = 8 * 1024 * 1024
MAX_OLD_BYTES = 16 * 1024 * 1024
# Moved code is found in this many bytes around; sorting them takes 16 bytes of memory each.
_MAX_SORTED_BYTES = 32 * 1024 * 1024
# Older bytes around the estimated position: an eighth of the distance between two known positions, but at most 1 MiB.
_MAX_MARGIN_BYTES = 1024 * 1024
_MARGIN_DIVISOR = 8
# Tables of 2**23 entries index the 16 MiB of older bytes, and text has longer matches than zstd's own choice looks for.
# At the level of the high effort, its own parameters are better.
_QUICK_PARAMETERS = {"hash_log": 23, "chain_log": 23, "min_match": 6}
# A window of at least 1 MiB.
_MIN_WINDOW_LOG = 20

_Range: TypeAlias = tuple[int, int]


class Effort(Enum):
    """How long the compressor searches, as a level of zstd.

    The quick one makes patches at some 20 MB of new bytes per second, the high one at 1 MB per second. Differences take
    about as long with either: 0.5 to 1.5 MB per second.
    """

    QUICK = 12
    HIGH = 19


class Segment(Struct, frozen=True):
    """Spans of newer files, and spans of older files: the compressor's dictionary, or what the new ones differ from."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]
    is_difference: bool = False

    @property
    def plain(self) -> int:
        """The size of the decompressed segment in bytes."""
        return sum(span.length for span in self.new)

    def as_difference(self) -> Self:
        """Return the segment as a difference; if it has one older file, with up to 32 MiB of that."""
        if len(self.old) != 1:
            return replace(self, is_difference=True)
        (span,) = self.old
        start = max(span.offset + (span.length - _MAX_SORTED_BYTES) // 2, 0)
        end = min(start + _MAX_SORTED_BYTES, span.file.size)
        start = max(end - _MAX_SORTED_BYTES, 0)
        return replace(self, old=(span._replace(offset=start, length=end - start),), is_difference=True)


class Piece(NamedTuple):
    """A span of a newer file and the span of an older one that is probably similar, if there is one."""

    new: Span
    old: Span | None


class _Anchor(NamedTuple):
    """Corresponding positions in a newer and an older file."""

    new: int
    old: int


def plan_patches(old: Installation, new: Installation) -> Iterator[Segment]:
    """Yield the segments that update an installation; they contain each chunk that it lacks exactly once."""
    return _segments(_pieces(old, new))


def compress(plain: bytes, old: bytes, effort: Effort = Effort.QUICK) -> bytes:
    """Return the new bytes of a segment, compressed with its old ones as dictionary, as a zstd frame with its size."""
    window_log = max(_MIN_WINDOW_LOG, (len(plain) + len(old)).bit_length())
    parameters = zstandard.ZstdCompressionParameters.from_level(
        effort.value,
        window_log=window_log,
        force_max_window=True,
        **(_QUICK_PARAMETERS if old and effort is Effort.QUICK else {}),
    )
    dictionary = zstandard.ZstdCompressionDict(old, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if old else None
    return zstandard.ZstdCompressor(dict_data=dictionary, compression_params=parameters).compress(plain)


def compress_difference(plain: bytes, old: bytes, effort: Effort) -> bytes:
    """Return the difference between the old and the new bytes of a segment, compressed without a dictionary."""
    return compress(difference(plain, old), b"", effort)


def is_worthwhile(compressed: int, plain: int) -> bool:
    """Return whether a compressed segment is at least a fifth smaller than its decompressed bytes."""
    return 5 * compressed <= 4 * plain


def _pieces(old: Installation, new: Installation) -> Iterator[Piece]:
    counterparts = Counterparts(old, new)
    unchanged = {file.record.hash for file in old.files}
    planned: set[bytes] = set()
    for file in new.files:
        if file.record.hash in unchanged:
            continue
        if ranges := _missing(file.record, counterparts, planned):
            counterpart = counterparts.find(file)
            mapping = _PositionMap(file.record, counterpart) if counterpart else None
            for start, end in ranges:
                old_span = mapping.similar_span(start, end) if mapping else None
                yield Piece(Span(_served(file), start, end - start), old_span)


def _missing(record: FileRecord, counterparts: Counterparts, planned: set[bytes]) -> list[_Range]:
    """Return the ranges of missing chunks, each small enough for a segment, and add the chunks to ``planned``."""
    ranges: list[_Range] = []
    end = 0
    for chunk in unpack(record.chunks):
        start, end = end, end + chunk.length
        if chunk.id in planned or counterparts.has(chunk.id):
            continue
        planned.add(chunk.id)
        if ranges and ranges[-1][1] == start and end - ranges[-1][0] <= MAX_PLAIN_BYTES:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
    return ranges


class _PositionMap:
    """Maps positions in a newer file to positions in an older one.

    Positions between two known ones are interpolated. The result is extended by the difference of the two distances,
    which is the possible error, and by a margin.
    """

    def __init__(self, new: FileRecord, old: InstalledFile) -> None:
        self._old = old
        self._anchors = [_Anchor(0, 0), *_shared(new, old.record), _Anchor(new.size, old.record.size)]

    def similar_span(self, start: int, end: int) -> Span | None:
        """Return the span of the older file that probably corresponds to a span of the newer file."""
        before = self._anchors[bisect_right(self._anchors, start, key=lambda anchor: anchor.new) - 1]
        after = self._anchors[bisect_left(self._anchors, end, key=lambda anchor: anchor.new)]
        gap = after.new - before.new
        old_gap = after.old - before.old if after.old >= before.old else gap
        margin = abs(gap - old_gap) + min(_MAX_MARGIN_BYTES, gap // _MARGIN_DIVISOR)
        first = max(before.old + old_gap * (start - before.new) // gap - margin, 0)
        last = min(before.old + old_gap * (end - before.new) // gap + margin, self._old.record.size)
        if excess := max(last - first - MAX_OLD_BYTES, 0):
            first, last = first + excess // 2, last - (excess + 1) // 2
        return Span(_served(self._old), first, last - first) if first < last else None


def _shared(new: FileRecord, old: FileRecord) -> Iterator[_Anchor]:
    """Yield the boundaries of chunks that both files contain, in the order of the newer one.

    Chunks that occur more than once in the older file are left out, because their positions are ambiguous.
    """
    counts = Counter(chunk.id for chunk in unpack(old.chunks))
    positions: dict[bytes, int] = {}
    position = 0
    for chunk in unpack(old.chunks):
        if counts[chunk.id] == 1:
            positions[chunk.id] = position
        position += chunk.length
    position = 0
    for chunk in unpack(new.chunks):
        if (old_position := positions.get(chunk.id)) is not None:
            yield _Anchor(position, old_position)
            yield _Anchor(position + chunk.length, old_position + chunk.length)
        position += chunk.length


def _segments(pieces: Iterator[Piece]) -> Iterator[Segment]:
    """Combine pieces into segments."""
    builder = _SegmentBuilder()
    for piece in pieces:
        if not builder.fits(piece):
            yield builder.build()
            builder = _SegmentBuilder()
        builder.add(piece)
    if builder.new:
        yield builder.build()


class _SegmentBuilder:
    """Collects the pieces of one segment."""

    def __init__(self) -> None:
        self.new: list[Span] = []
        self._old: list[Span] = []
        self._plain = self._old_bytes = 0

    def fits(self, piece: Piece) -> bool:
        old_bytes = self._old_bytes + (piece.old.length if piece.old else 0)
        return not self.new or (self._plain + piece.new.length <= MAX_PLAIN_BYTES and old_bytes <= MAX_OLD_BYTES)

    def add(self, piece: Piece) -> None:
        self.new.append(piece.new)
        self._plain += piece.new.length
        if piece.old:
            self._add_old(piece.old)

    def _add_old(self, span: Span) -> None:
        """Add a span of an older file; if it overlaps or continues the last one, extend that instead."""
        last = self._old[-1] if self._old else None
        if last and last.file == span.file and last.offset <= span.offset <= last.offset + last.length:
            length = max(last.length, span.offset + span.length - last.offset)
            self._old[-1] = last._replace(length=length)
            self._old_bytes += length - last.length
            return
        self._old.append(span)
        self._old_bytes += span.length

    def build(self) -> Segment:
        return Segment(tuple(self._old), tuple(self.new))


def _served(file: InstalledFile) -> ServedFile:
    record = file.record
    return ServedFile(file.image, record.path, record.size, record.mode, record.mtime_ns, record.crc32, record.hash)
