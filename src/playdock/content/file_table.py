"""A compact table of the files of an image or an installation, without their chunks, for serving them.

A table is kept in memory while its version is downloaded. Storing columns takes about 110 bytes per file.
"""

from abc import abstractmethod
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self, TypeVar, overload

import msgspec

from playdock.content.layers import Installation
from playdock.content.records import FileRecord, Layer

# The size of a BLAKE3 digest in bytes.
_HASH_SIZE = 32
_NANOSECONDS = 1_000_000_000

_Value = TypeVar("_Value")


class ServedFile(NamedTuple):
    """The expected state of a file in the library; ``image`` is the number of its layer, base first.

    ``size`` is in bytes, ``mode`` are permission bits, ``crc32`` is unsigned, and ``hash`` has 32 bytes.
    """

    image: int
    path: str
    size: int
    mode: int
    mtime_ns: int
    crc32: int
    hash: bytes


class _Column(Sequence[_Value]):
    """Values that are made from arrays when they are read."""

    @overload
    def __getitem__(self, index: int) -> _Value: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[_Value]: ...

    def __getitem__(self, index: int | slice) -> _Value | Sequence[_Value]:
        places = range(len(self))
        return [self._at(place) for place in places[index]] if isinstance(index, slice) else self._at(places[index])

    @abstractmethod
    def _at(self, place: int) -> _Value: ...


class _Paths(_Column[str]):
    """Paths, stored one after the other as UTF-8; ``ends`` are the offsets of their ends."""

    def __init__(self, names: bytes, ends: "array[int]") -> None:
        self._names = names
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends)

    def _at(self, place: int) -> str:
        return self._names[self._ends[place - 1] if place else 0 : self._ends[place]].decode()


class _Times(_Column[int]):
    """Times in nanoseconds. Those of some file systems do not fit into 64 bits, so seconds are stored separately."""

    def __init__(self) -> None:
        self._seconds = array("q")
        self._rest = array("I")

    def append(self, time: int) -> None:
        seconds, rest = divmod(time, _NANOSECONDS)
        self._seconds.append(seconds)
        self._rest.append(rest)

    def __len__(self) -> int:
        return len(self._rest)

    def _at(self, place: int) -> int:
        return self._seconds[place] * _NANOSECONDS + self._rest[place]


class FileTable(msgspec.Struct, frozen=True, eq=False):
    """Files sorted by path; ``ends`` are the offsets of their ends in the concatenation of all files."""

    paths: Sequence[str]
    images: "array[int]"
    sizes: "array[int]"
    ends: "array[int]"
    modes: "array[int]"
    mtimes: Sequence[int]
    crcs: "array[int]"
    hashes: bytes

    @classmethod
    def of_layer(cls, layer: Layer, *, image: int) -> Self:
        """Return the table of a layer, whose number in its installation is ``image``."""
        return cls._of((record, image) for record in layer.files)

    @classmethod
    def of_installation(cls, installation: Installation) -> Self:
        """Return the table of all files of an installation."""
        return cls._of((file.record, file.image) for file in installation.files)

    @classmethod
    def _of(cls, files: Iterable[tuple[FileRecord, int]]) -> Self:
        images, sizes, ends, modes, crcs = (array(kind) for kind in "HQQHI")
        mtimes = _Times()
        names, name_ends, hashes, size = bytearray(), array("Q"), bytearray(), 0
        for record, image in files:
            names += record.path.encode()
            name_ends.append(len(names))
            images.append(image)
            sizes.append(record.size)
            size += record.size
            ends.append(size)
            modes.append(record.mode)
            mtimes.append(record.mtime_ns)
            crcs.append(record.crc32)
            hashes += record.hash
        return cls(_Paths(bytes(names), name_ends), images, sizes, ends, modes, mtimes, crcs, bytes(hashes))

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def size(self) -> int:
        """The total size of the files in bytes."""
        return self.ends[-1] if self.ends else 0

    def __getitem__(self, index: int) -> ServedFile:
        return ServedFile(
            self.images[index],
            self.paths[index],
            self.sizes[index],
            self.modes[index],
            self.mtimes[index],
            self.crcs[index],
            self.hashes[index * _HASH_SIZE : (index + 1) * _HASH_SIZE],
        )

    def find(self, path: str) -> ServedFile | None:
        """Return the file at a path, or None if there is none."""
        index = bisect_left(self.paths, path)
        return self[index] if index < len(self.paths) and self.paths[index] == path else None

    def files_from_byte(self, position: int) -> Iterator[tuple[ServedFile, int]]:
        """Yield the non-empty files from the one that contains the byte at ``position``, each with its offset."""
        for index in range(bisect_right(self.ends, position), len(self.paths)):
            if self.sizes[index]:
                yield self[index], self.ends[index] - self.sizes[index]
