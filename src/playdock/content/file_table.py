"""Files of an image or of an installation, in columns: what serving needs of them, without their chunks.

A table is kept in memory as long as its version is being fetched; columns take some 200 bytes a file.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple, Self

import msgspec

from playdock.content.layers import Installation
from playdock.content.records import FileRecord, Layer

_HASH_SIZE = 32


class ServedFile(NamedTuple):
    """A file as it must lie in the library: ``image`` is the number of the layer that it belongs to, base first.

    Size is in bytes, ``mode`` permission bits, ``crc32`` an unsigned number, ``hash`` 32 bytes.
    """

    image: int
    path: str
    size: int
    mode: int
    mtime_ns: int
    crc32: int
    hash: bytes


class FileTable(msgspec.Struct, frozen=True, eq=False):
    """Files by position, sorted by path; ``ends`` are where each ends if all are laid end to end."""

    paths: tuple[str, ...]
    images: "array[int]"
    sizes: "array[int]"
    ends: "array[int]"
    modes: "array[int]"
    mtimes: tuple[int, ...]
    crcs: "array[int]"
    hashes: bytes

    @classmethod
    def of_layer(cls, layer: Layer, *, image: int) -> Self:
        """Take the files of one layer, which is the number ``image`` of its installation."""
        return cls._of(layer.files, images=array("H", (image for _ in layer.files)))

    @classmethod
    def of_installation(cls, installation: Installation) -> Self:
        """Take the files of all layers together."""
        images = array("H", (file.image for file in installation.files))
        return cls._of([file.record for file in installation.files], images=images)

    @classmethod
    def _of(cls, records: Iterable[FileRecord], *, images: "array[int]") -> Self:
        records = tuple(records)
        sizes = array("Q", (record.size for record in records))
        return cls(
            paths=tuple(record.path for record in records),
            images=images,
            sizes=sizes,
            ends=array("Q", accumulate(sizes)),
            modes=array("H", (record.mode for record in records)),
            mtimes=tuple(record.mtime_ns for record in records),
            crcs=array("I", (record.crc32 for record in records)),
            hashes=b"".join(record.hash for record in records),
        )

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def size(self) -> int:
        """The size of all files in bytes."""
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
        """Give the file of this path."""
        index = bisect_left(self.paths, path)
        return self[index] if index < len(self.paths) and self.paths[index] == path else None

    def from_byte(self, position: int) -> Iterator[tuple[ServedFile, int]]:
        """Give the files from a byte of the image on, each with where it begins in the image; empty ones are left out.

        What comes first holds the byte at ``position``.
        """
        for index in range(bisect_right(self.ends, position), len(self.paths)):
            if self.sizes[index]:
                yield self[index], self.ends[index] - self.sizes[index]
