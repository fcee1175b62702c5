"""The layout of an installation as a ZIP archive (PKWARE APPNOTE 6.3): stored, Zip64 where needed, names in UTF-8.

Sizes and CRC-32 of all files are known, so the place of every byte is arithmetic: any part of the archive can be made
without the rest of it. Links are members with their target as content, as Info-ZIP has them.
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
_UTF8 = 0x800
_UNIX = 3 << 8
_PLAIN, _WITH_ZIP64 = 20, 45
_FILE, _LINK = 0o100000, 0o120000
_WIDE = 0xFFFFFFFF
_MANY = 0xFFFF
_FIRST_SECOND, _LAST_SECOND = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1980, 2107))


class _Member:
    """A member as the archive's headers tell it; ``offset`` is where its local header lies."""

    __slots__ = ("_crc", "_mode", "_moment", "_name", "_offset", "_size")

    def __init__(self, name: str, *, size: int, crc: int, mode: int, mtime_ns: int, offset: int = 0) -> None:
        self._name = name.encode()
        self._size, self._crc, self._mode, self._offset = size, crc, mode, offset
        self._moment = _dos_moment(mtime_ns)

    def local(self) -> bytes:
        wide = self._size >= _WIDE
        extra = _extra(self._size, self._size) if wide else b""
        size = _WIDE if wide else self._size
        needed = _WITH_ZIP64 if wide else _PLAIN
        head = _LOCAL.pack(
            b"PK\3\4", needed, _UTF8, 0, *self._moment, self._crc, size, size, len(self._name), len(extra)
        )
        return head + self._name + extra

    def central(self) -> bytes:
        wide, far = self._size >= _WIDE, self._offset >= _WIDE
        extra = _extra(*([self._size] * 2 if wide else []), *([self._offset] if far else []))
        size, offset = _WIDE if wide else self._size, _WIDE if far else self._offset
        needed = _WITH_ZIP64 if extra else _PLAIN
        head = _CENTRAL.pack(
            b"PK\1\2", _UNIX | needed, needed, _UTF8, 0, *self._moment, self._crc, size, size,
            len(self._name), len(extra), 0, 0, 0, self._mode << 16, offset,
        )  # fmt: skip
        return head + self._name + extra


class ZipBody:
    """An installation as an archive: its files in their order, then its links."""

    def __init__(self, table: FileTable, links: Sequence[LinkRecord] = ()) -> None:
        self._table = table
        self._links = links
        count = len(table) + len(links)
        heads = (len(self._member(index).local()) for index in range(count))
        lengths = (head + self._content_size(index) for index, head in enumerate(heads))
        self._starts = array("Q", accumulate(lengths, initial=0))
        centrals = (len(self._member(index, offset=self._starts[index]).central()) for index in range(count))
        self._centrals = array("Q", accumulate(centrals, initial=self._starts[-1]))
        self._end = self._ending()

    @property
    def size(self) -> int:
        return self._centrals[-1] + len(self._end)

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        for begin, piece in chain(self._members(start), self._directory(start), [(self._centrals[-1], self._end)]):
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
        for index in range(max(bisect_right(self._centrals, start) - 1, 0), len(self._centrals) - 1):
            yield self._centrals[index], self._member(index, offset=self._starts[index]).central()

    def _member(self, index: int, *, offset: int = 0) -> _Member:
        if index >= len(self._table):
            link = self._links[index - len(self._table)]
            target = link.target.encode()
            mode = _LINK | 0o777
            return _Member(link.path, size=len(target), crc=crc32(target), mode=mode, mtime_ns=0, offset=offset)
        file = self._table[index]
        mode = _FILE | file.mode
        return _Member(file.path, size=file.size, crc=file.crc32, mode=mode, mtime_ns=file.mtime_ns, offset=offset)

    def _content(self, index: int) -> Piece:
        if index >= len(self._table):
            return self._links[index - len(self._table)].target.encode()
        file = self._table[index]
        return Span(file, 0, file.size) if file.size else b""

    def _content_size(self, index: int) -> int:
        if index >= len(self._table):
            return len(self._links[index - len(self._table)].target.encode())
        return self._table.sizes[index]

    def _ending(self) -> bytes:
        """Make what ends the archive, with the wide form where counts or places need it."""
        count, start, size = len(self._starts) - 1, self._starts[-1], self._centrals[-1] - self._starts[-1]
        wide = b""
        if count >= _MANY or start >= _WIDE or size >= _WIDE:
            wide = _END64.pack(
                b"PK\6\6", _END64.size - 12, _UNIX | _WITH_ZIP64, _WITH_ZIP64, 0, 0, count, count, size, start
            )
            wide += _LOCATOR64.pack(b"PK\6\7", 0, self._centrals[-1], 1)
        few = min(count, _MANY)
        return wide + _END.pack(b"PK\5\6", 0, 0, few, few, min(size, _WIDE), min(start, _WIDE), 0)


def _part(piece: Piece, start: int, end: int) -> Piece:
    """Cut a piece to what lies between two places counted from its beginning."""
    if isinstance(piece, bytes):
        return piece[max(start, 0) : max(end, 0)]
    start, end = max(start, 0), min(end, piece.length)
    return Span(piece.file, piece.offset + start, end - start) if start < end else b""


def _extra(*wide: int) -> bytes:
    """Make the extra field of Zip64 with what did not fit into its own."""
    return _EXTRA.pack(1, 8 * len(wide)) + b"".join(number.to_bytes(8, "little") for number in wide) if wide else b""


def _dos_moment(mtime_ns: int) -> tuple[int, int]:
    """Give time and date as DOS had them, to two seconds, in UTC; what DOS did not know becomes its first second."""
    seconds = mtime_ns // 1_000_000_000
    moment = datetime.fromtimestamp(seconds if _FIRST_SECOND <= seconds < _LAST_SECOND else _FIRST_SECOND, UTC)
    time = moment.hour << 11 | moment.minute << 5 | moment.second // 2
    return time, (moment.year - 1980) << 9 | moment.month << 5 | moment.day
