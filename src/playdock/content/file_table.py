"""A compact table of the files of an image or an installation, without their chunks, for serving them.

A table is kept in memory while its version is downloaded. Storing columns takes about 200 bytes per file.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple, Self

import msgspec

from playdock.content.layers import Installation
from playdock.content.records import FileRecord, Layer

# The size of a BLAKE3 digest in bytes.
_HASH_SIZE = 32


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


class FileTable(msgspec.Struct, frozen=True, eq=False):
    """Files sorted by path; ``ends`` are the offsets of their ends in the concatenation of all files."""

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
        """Return the table of a layer, whose number in its installation is ``image``."""
        return cls._of(layer.files, images=array("H", (image for _ in layer.files)))

    @classmethod
    def of_installation(cls, installation: Installation) -> Self:
        """Return the table of all files of an installation."""
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
