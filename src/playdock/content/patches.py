"""Patches: what turns one installation into a newer one, in segments that stand alone.

A segment is the missing bytes of some newer files, compressed with bytes of older files before them (what the zstd tool
calls patch-from). Small files share a segment, large ones are cut at borders of chunks, and then a part of the older
file has to do: what lies around the same place. Bounds: 8 MiB of new bytes and 16 MiB of older ones a segment, which is
as much as the compressor's tables can index; making a segment takes some 90 MB of memory.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import zstandard

from playdock.content.bodies import Span
from playdock.content.chunks import unpack
from playdock.content.counterparts import Counterparts
from playdock.content.file_table import ServedFile
from playdock.content.layers import Installation, InstalledFile
from playdock.content.records import FileRecord

MOST_PLAIN = 8 * 1024 * 1024
MOST_OLD = 16 * 1024 * 1024
_MARGIN = 1024 * 1024
_MARGIN_SHARE = 8
_LEVEL = 3
_TABLE_LOG = 21
_LEAST_WINDOW_LOG = 20

_Run: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """Spans of newer files, and the spans of older ones that stand before them for the compressor."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]

    @property
    def plain(self) -> int:
        """How many bytes it unpacks to."""
        return sum(span.length for span in self.new)


class Piece(NamedTuple):
    """A span of a newer file, with the span of an older one that is likely like it, if there is any."""

    new: Span
    old: Span | None


class _Anchor(NamedTuple):
    """The same place in a newer and in an older file."""

    new: int
    old: int


def plan_patches(old: Installation, new: Installation) -> Iterator[Segment]:
    """Plan what takes an older installation to a newer one: every chunk that the older one lacks is in it once."""
    return _packed(_pieces(old, new))


def compress(plain: bytes, old: bytes) -> bytes:
    """Compress the new bytes of a segment after its old ones, into one zstd frame that tells its size."""
    window_log = max(_LEAST_WINDOW_LOG, (len(plain) + len(old)).bit_length())
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _LEVEL, window_log=window_log, hash_log=_TABLE_LOG, chain_log=_TABLE_LOG, force_max_window=True
    )
    before = zstandard.ZstdCompressionDict(old, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if old else None
    return zstandard.ZstdCompressor(dict_data=before, compression_params=parameters).compress(plain)


def saves(packed: int, plain: int) -> bool:
    """Tell whether a segment of so many bytes saves a fifth of what it unpacks to."""
    return 5 * packed <= 4 * plain


def _pieces(old: Installation, new: Installation) -> Iterator[Piece]:
    counterparts = Counterparts(old, new)
    unchanged = {file.record.hash for file in old.files}
    planned: set[bytes] = set()
    for file in new.files:
        if file.record.hash in unchanged:
            continue
        if runs := _missing(file.record, counterparts, planned):
            counterpart = counterparts.of(file)
            places = _Places(file.record, counterpart) if counterpart else None
            for start, end in runs:
                yield Piece(Span(_served(file), start, end - start), places.like(start, end) if places else None)


def _missing(record: FileRecord, counterparts: Counterparts, planned: set[bytes]) -> list[_Run]:
    """Give from where to where chunks are missing, in runs that fit into a segment; they are planned then."""
    runs: list[_Run] = []
    end = 0
    for chunk in unpack(record.chunks):
        start, end = end, end + chunk.length
        if chunk.id in planned or counterparts.has(chunk.id):
            continue
        planned.add(chunk.id)
        if runs and runs[-1][1] == start and end - runs[-1][0] <= MOST_PLAIN:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


class _Places:
    """Where in an older file that is which lies at some place of a newer one.

    Between two places that are known a place is guessed in proportion, and looked for as far around as the two
    distances differ and some more.
    """

    def __init__(self, new: FileRecord, old: InstalledFile) -> None:
        self._old = old
        self._anchors = [_Anchor(0, 0), *_shared(new, old.record), _Anchor(new.size, old.record.size)]

    def like(self, start: int, end: int) -> Span | None:
        """Give the span of the older file that is likely like this one of the newer."""
        before = self._anchors[bisect_right(self._anchors, start, key=lambda anchor: anchor.new) - 1]
        behind = self._anchors[bisect_left(self._anchors, end, key=lambda anchor: anchor.new)]
        gap = behind.new - before.new
        old_gap = behind.old - before.old if behind.old >= before.old else gap
        slack = abs(gap - old_gap) + min(_MARGIN, gap // _MARGIN_SHARE)
        first = max(before.old + old_gap * (start - before.new) // gap - slack, 0)
        last = min(before.old + old_gap * (end - before.new) // gap + slack, self._old.record.size)
        if excess := max(last - first - MOST_OLD, 0):
            first, last = first + excess // 2, last - (excess + 1) // 2
        return Span(_served(self._old), first, last - first) if first < last else None


def _shared(new: FileRecord, old: FileRecord) -> Iterator[_Anchor]:
    """Give where chunks begin and end that both files have, in the order of the newer; not those that recur."""
    recurring = Counter(chunk.id for chunk in unpack(old.chunks))
    places: dict[bytes, int] = {}
    place = 0
    for chunk in unpack(old.chunks):
        if recurring[chunk.id] == 1:
            places[chunk.id] = place
        place += chunk.length
    place = 0
    for chunk in unpack(new.chunks):
        if (there := places.get(chunk.id)) is not None:
            yield _Anchor(place, there)
            yield _Anchor(place + chunk.length, there + chunk.length)
        place += chunk.length


def _packed(pieces: Iterator[Piece]) -> Iterator[Segment]:
    """Fill one segment after the other."""
    open_segment = _Filling()
    for piece in pieces:
        if not open_segment.takes(piece):
            yield open_segment.closed()
            open_segment = _Filling()
        open_segment.add(piece)
    if open_segment.new:
        yield open_segment.closed()


class _Filling:
    """A segment that is being filled."""

    def __init__(self) -> None:
        self.new: list[Span] = []
        self._old: list[Span] = []
        self._plain = self._before = 0

    def takes(self, piece: Piece) -> bool:
        before = self._before + (piece.old.length if piece.old else 0)
        return not self.new or (self._plain + piece.new.length <= MOST_PLAIN and before <= MOST_OLD)

    def add(self, piece: Piece) -> None:
        self.new.append(piece.new)
        self._plain += piece.new.length
        if piece.old:
            self._add_old(piece.old)

    def _add_old(self, span: Span) -> None:
        """Add a span; one that goes on where the last one is, or within it, only with what it brings."""
        last = self._old[-1] if self._old else None
        if last and last.file == span.file and last.offset <= span.offset <= last.offset + last.length:
            length = max(last.length, span.offset + span.length - last.offset)
            self._old[-1] = last._replace(length=length)
            self._before += length - last.length
            return
        self._old.append(span)
        self._before += span.length

    def closed(self) -> Segment:
        return Segment(tuple(self._old), tuple(self.new))


def _served(file: InstalledFile) -> ServedFile:
    record = file.record
    return ServedFile(file.image, record.path, record.size, record.mode, record.mtime_ns, record.crc32, record.hash)
