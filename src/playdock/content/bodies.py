"""Bodies: what an answer consists of, as arithmetic over files.

A body has a size and gives any part of itself as *pieces*: spans of files as they lie in the library, and bytes that
are made here. Nothing is read.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol, Self, TypeAlias

from playdock.content.chunks import unpack
from playdock.content.file_table import FileTable, ServedFile
from playdock.content.records import Layer


class Span(NamedTuple):
    """A part of a file: ``offset`` and ``length`` in bytes, the length never 0."""

    file: ServedFile
    offset: int
    length: int


Piece: TypeAlias = Span | bytes


class Body(Protocol):
    """Something that can be sent, whole or in part."""

    @property
    def size(self) -> int:
        """How many bytes it has."""
        ...

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """Give what lies from one byte to another, the end excluded; both within the size."""
        ...


@dataclass(frozen=True, slots=True)
class ImageBody:
    """All files of a table, laid end to end; ``borders`` are where its chunks end, in bytes."""

    table: FileTable
    borders: "array[int]"

    @classmethod
    def of(cls, layer: Layer, *, image: int) -> Self:
        """Take the image of a layer, which is the number ``image`` of its installation."""
        lengths = (chunk.length for file in layer.files for chunk in unpack(file.chunks))
        return cls(FileTable.of_layer(layer, image=image), array("Q", accumulate(lengths)))

    @property
    def size(self) -> int:
        return self.table.size

    def chunk_lengths(self, start: int, end: int) -> Iterator[int]:
        """Give the lengths of the chunks from one byte to another, the end excluded.

        Raises:
            ValueError: no chunk begins at the one, or none ends at the other.
        """
        first, last = bisect_right(self.borders, start), bisect_right(self.borders, end)
        begins = self.borders[first - 1] if first else 0
        ends = self.borders[last - 1] if last else 0
        if start > end or (begins, ends) != (start, end):
            raise ValueError(f"No chunks lie from {start} to {end}.")
        return (border - before for before, border in pairwise((start, *self.borders[first:last])))

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        for file, begin in self.table.from_byte(start):
            if max(begin, start) >= end:
                return
            offset = max(start - begin, 0)
            yield Span(file, offset, min(end - begin, file.size) - offset)


@dataclass(frozen=True, slots=True)
class FileBody:
    """One file."""

    file: ServedFile

    @property
    def size(self) -> int:
        return self.file.size

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        if start < end:
            yield Span(self.file, start, end - start)


@dataclass(frozen=True, slots=True)
class MultipartBody:
    """Several parts of a body in the form of multipart/byteranges (RFC 9110, section 14.6)."""

    body: Body
    ranges: Sequence[tuple[int, int]]
    media_type: str
    boundary: str

    @property
    def size(self) -> int:
        parts = sum(len(self._head(start, end)) + end - start for start, end in self.ranges)
        return parts + len(self._tail)

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """Give all of it; a part of several parts is never asked for."""
        assert (start, end) == (0, self.size)
        for first, last in self.ranges:
            yield self._head(first, last)
            yield from self.body.pieces(first, last)
        yield self._tail

    def _head(self, start: int, end: int) -> bytes:
        lines = f"Content-Type: {self.media_type}\r\nContent-Range: bytes {start}-{end - 1}/{self.body.size}\r\n\r\n"
        return f"\r\n--{self.boundary}\r\n{lines}".encode()

    @property
    def _tail(self) -> bytes:
        return f"\r\n--{self.boundary}--\r\n".encode()
