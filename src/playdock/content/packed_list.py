"""Lists of a million items that take little memory.

A `PackedList` keeps its items as compressed pieces of MessagePack: a tenth to a quarter of the memory of the items.
What exceeds 16 MiB is in a temporary file, which no other process can open.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import IO, Generic, TypeVar, overload
from weakref import finalize

import zstandard
from msgspec import msgpack

_Item = TypeVar("_Item")

# Pieces have about 1 MiB, which bounds the memory for encoding, and count small items with an estimate of their size.
_PIECE_BYTES = 1024 * 1024
_MAX_ITEMS_PER_PIECE = 2000
# Fewer are quicker as a tuple, which takes 30 to 50 MB for as many items.
_MAX_UNPACKED_PIECES = 50
# Some 300,000 records of small files.
_MAX_BYTES_IN_MEMORY = 16 * 1024 * 1024

MANY = _MAX_UNPACKED_PIECES * _MAX_ITEMS_PER_PIECE


def pieces(items: Iterable[_Item], *, weigh: Callable[[_Item], int]) -> Iterator[list[_Item]]:
    """Yield items in lists of about 1 MiB; ``weigh`` returns the bytes that an item takes beside its fixed size."""
    pending: list[_Item] = []
    space = _PIECE_BYTES
    for item in items:
        pending.append(item)
        space -= weigh(item) + _PIECE_BYTES // _MAX_ITEMS_PER_PIECE
        if space <= 0:
            yield pending
            pending, space = [], _PIECE_BYTES
    if pending:
        yield pending


def collect(items: Iterable[_Item], kind: type[_Item], *, weigh: Callable[[_Item], int]) -> Sequence[_Item]:
    """Return items as a tuple, or as a packed list if there are more than 100,000 or they take more than 50 MiB."""
    return collect_pieces(pieces(items, weigh=weigh), kind)


def collect_pieces(found: Iterable[list[_Item]], kind: type[_Item]) -> Sequence[_Item]:
    """Return the items of `pieces` as `collect` does."""
    source = iter(found)
    first = list(islice(source, _MAX_UNPACKED_PIECES + 1))
    if len(first) <= _MAX_UNPACKED_PIECES:
        return tuple(chain.from_iterable(first))
    packed = PackedList(kind)
    while first:
        packed.append(first.pop(0))
    for piece in source:
        packed.append(piece)
    return packed


class PackedList(Sequence[_Item], Generic[_Item]):
    """Items of one type. After the last `append`, any number of threads may read it."""

    def __init__(self, kind: type[_Item]) -> None:
        self._decoder = msgpack.Decoder(list[kind])  # type: ignore[valid-type]
        self._pieces: list[bytes | tuple[int, int]] = []
        self._ends: list[int] = []
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._last: tuple[int, list[_Item]] = (-1, [])

    def append(self, piece: list[_Item]) -> None:
        """Add items; this should be called with the result of `pieces`."""
        # A copy, because what zstd returns takes as much memory as incompressible data would.
        packed = bytes(memoryview(zstandard.compress(msgpack.encode(piece), 1)))
        self._ends.append(len(self) + len(piece))
        if self._in_memory + len(packed) <= _MAX_BYTES_IN_MEMORY:
            self._in_memory += len(packed)
            self._pieces.append(packed)
            return
        if self._file is None:
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as this list
            finalize(self, self._file.close)
        self._pieces.append((self._file.tell(), len(packed)))
        self._file.write(packed)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[_Item]:
        return chain.from_iterable(map(self._unpacked, range(len(self._pieces))))

    @overload
    def __getitem__(self, index: int) -> _Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...

    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        """Return one item. Neighbors are in the same piece, of which the last one is kept."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        number = bisect_right(self._ends, place)
        last, items = self._last
        if last != number:
            items = self._unpacked(number)
            self._last = number, items
        return items[place - self._ends[number]]

    def _unpacked(self, number: int) -> list[_Item]:
        packed = self._pieces[number]
        if isinstance(packed, tuple):
            assert self._file is not None
            packed = os.pread(self._file.fileno(), packed[1], packed[0])
        return self._decoder.decode(zstandard.decompress(packed))
