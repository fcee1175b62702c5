"""The layout of an installation as a ZIP archive (PKWARE APPNOTE 6.3): uncompressed, Zip64 if needed, names in UTF-8.

The sizes and CRC-32 of all files are known, so the position of every byte can be computed and any part of the archive
can be generated without the rest. Links are members whose content is their target, as in Info-ZIP.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate, chain
from struct import Struct
from zlib import crc32

from playdock.content.bodies import Piece, Span
from playdock.content.file_table import FileTable
from playdock.content.records import LinkRecord

_LOCAL = Struct("<4s5H3I2H")
_CENTRAL = Struct("<4s6H3I5H2I")
_END64 = Struct("<4sQ2H2I4Q")
_LOCATOR64 = Struct("<4sIQI")
_END = Struct("<4s4H2IH")
_EXTRA = Struct("<2H")
# Values of header fields: the flag for names in UTF-8, the system of the modes, versions needed to extract, and types.
_UTF8 = 0x800
_UNIX = 3 << 8
_VERSION_STORED, _VERSION_ZIP64 = 20, 45
_FILE, _LINK = 0o100000, 0o120000
# The largest values, which mark a field that is replaced by one of Zip64.
_MAX_32_BIT = 0xFFFFFFFF
_MAX_16_BIT = 0xFFFF
# DOS times have seven bits for years since 1980.
_FIRST_SECOND, _LAST_SECOND = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1980, 2107))


class _Member:
    """The headers of an archive member; ``offset`` is the position of its local header."""

    __slots__ = ("_crc", "_mode", "_name", "_offset", "_size", "_time")

    def __init__(self, name: str, *, size: int, crc: int, mode: int, mtime_ns: int, offset: int = 0) -> None:
        self._name = name.encode()
        self._size, self._crc, self._mode, self._offset = size, crc, mode, offset
        self._time = _dos_time(mtime_ns)

    def local(self) -> bytes:
        wide = self._size >= _MAX_32_BIT
        extra = _extra(self._size, self._size) if wide else b""
        size = _MAX_32_BIT if wide else self._size
        needed = _VERSION_ZIP64 if wide else _VERSION_STORED
        head = _LOCAL.pack(b"PK\3\4", needed, _UTF8, 0, *self._time, self._crc, size, size, len(self._name), len(extra))
        return head + self._name + extra

    def central(self) -> bytes:
        wide, far = self._size >= _MAX_32_BIT, self._offset >= _MAX_32_BIT
        extra = _extra(*([self._size] * 2 if wide else []), *([self._offset] if far else []))
        size, offset = _MAX_32_BIT if wide else self._size, _MAX_32_BIT if far else self._offset
        needed = _VERSION_ZIP64 if extra else _VERSION_STORED
        head = _CENTRAL.pack(
            b"PK\1\2", _UNIX | needed, needed, _UTF8, 0, *self._time, self._crc, size, size,
            len(self._name), len(extra), 0, 0, 0, self._mode << 16, offset,
        )  # fmt: skip
        return head + self._name + extra


class ZipBody:
    """An installation as a ZIP archive: its files in their order, then its links."""

    def __init__(self, table: FileTable, links: Sequence[LinkRecord] = ()) -> None:
        self.table = table
        self.links = links
        count = len(table) + len(links)
        heads = (len(self._member(index).local()) for index in range(count))
        lengths = (head + self._content_size(index) for index, head in enumerate(heads))
        self._starts = array("Q", accumulate(lengths, initial=0))
        centrals = (len(self._member(index, offset=self._starts[index]).central()) for index in range(count))
        self._central_starts = array("Q", accumulate(centrals, initial=self._starts[-1]))
        self._end = self._end_records()

    @property
    def size(self) -> int:
        return self._central_starts[-1] + len(self._end)

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        for begin, piece in chain(
            self._members(start), self._directory(start), [(self._central_starts[-1], self._end)]
        ):
            if begin >= end:
                return
            if part := _part(piece, start - begin, end - begin):
                yield part

    def _members(self, start: int) -> Iterator[tuple[int, Piece]]:
        for index in range(bisect_right(self._starts, start) - 1, len(self._starts) - 1):
            begin, head = self._starts[index], self._member(index).local()
            yield begin, head
            if content := self._content(index):
                yield begin + len(head), content

    def _directory(self, start: int) -> Iterator[tuple[int, Piece]]:
        for index in range(max(bisect_right(self._central_starts, start) - 1, 0), len(self._central_starts) - 1):
            yield self._central_starts[index], self._member(index, offset=self._starts[index]).central()

    def _member(self, index: int, *, offset: int = 0) -> _Member:
        if index >= len(self.table):
            link = self.links[index - len(self.table)]
            target = link.target.encode()
            mode = _LINK | 0o777
            return _Member(link.path, size=len(target), crc=crc32(target), mode=mode, mtime_ns=0, offset=offset)
        file = self.table[index]
        mode = _FILE | file.mode
        return _Member(file.path, size=file.size, crc=file.crc32, mode=mode, mtime_ns=file.mtime_ns, offset=offset)

    def _content(self, index: int) -> Piece:
        if index >= len(self.table):
            return self.links[index - len(self.table)].target.encode()
        file = self.table[index]
        return Span(file, 0, file.size) if file.size else b""

    def _content_size(self, index: int) -> int:
        if index >= len(self.table):
            return len(self.links[index - len(self.table)].target.encode())
        return self.table.sizes[index]

    def _end_records(self) -> bytes:
        """Return the end of the central directory, in Zip64 form if counts or offsets require it."""
        count, start, size = len(self._starts) - 1, self._starts[-1], self._central_starts[-1] - self._starts[-1]
        wide = b""
        if count >= _MAX_16_BIT or start >= _MAX_32_BIT or size >= _MAX_32_BIT:
            wide = _END64.pack(
                b"PK\6\6", _END64.size - 12, _UNIX | _VERSION_ZIP64, _VERSION_ZIP64, 0, 0, count, count, size, start
            )
            wide += _LOCATOR64.pack(b"PK\6\7", 0, self._central_starts[-1], 1)
        limited_count = min(count, _MAX_16_BIT)
        return wide + _END.pack(
            b"PK\5\6", 0, 0, limited_count, limited_count, min(size, _MAX_32_BIT), min(start, _MAX_32_BIT), 0
        )


def _part(piece: Piece, start: int, end: int) -> Piece:
    """Return the part of a piece between two offsets from its beginning."""
    if isinstance(piece, bytes):
        return piece[max(start, 0) : max(end, 0)]
    start, end = max(start, 0), min(end, piece.length)
    return Span(piece.file, piece.offset + start, end - start) if start < end else b""


def _extra(*wide: int) -> bytes:
    """Return the Zip64 extra field with the numbers that do not fit into their own fields."""
    return _EXTRA.pack(1, 8 * len(wide)) + b"".join(number.to_bytes(8, "little") for number in wide) if wide else b""


def _dos_time(mtime_ns: int) -> tuple[int, int]:
    """Return a time as DOS time and date, in UTC and to two seconds; times outside 1980 to 2106 become 1980-01-01."""
    seconds = mtime_ns // 1_000_000_000
    moment = datetime.fromtimestamp(seconds if _FIRST_SECOND <= seconds < _LAST_SECOND else _FIRST_SECOND, UTC)
    time = moment.hour << 11 | moment.minute << 5 | moment.second // 2
    return time, (moment.year - 1980) << 9 | moment.month << 5 | moment.day
