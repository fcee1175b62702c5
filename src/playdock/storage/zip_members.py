"""Reading the members of a `.zip` in several threads, each with its own descriptor.

Stored members are read in place. Deflated members are decompressed by isal, which is three times as fast as `zipfile`.
The other methods, which are rare, use `zipfile`.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from lzma import LZMAError
from typing import Self, cast
from zipfile import ZipInfo

from isal import igzip_lib
from msgspec import Struct

from playdock.content.errors import UnusableVersion
from playdock.storage.entries import Source, TreeEntry, changed, damaged
from playdock.storage.locations import VersionLocation

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
# isal's type stub declares its error as an instance.
_INFLATE_ERROR = cast("type[Exception]", igzip_lib.IsalError)
_UNPACK_ERRORS = (_INFLATE_ERROR, zipfile.BadZipFile, zlib.error, LZMAError, EOFError, struct.error)
DAMAGE = (*_UNPACK_ERRORS, ValueError, OverflowError, NotImplementedError)

_LOCAL_HEADER = struct.Struct("<4s22xHH")
# Large enough that system calls cost little, small enough for many threads.
_READ_BYTES = 256 * 1024


class Archive(Struct, frozen=True):
    """An archive when its directory was read: size in bytes, mtime_ns, members by name."""

    location: VersionLocation
    size: int
    mtime_ns: int
    infos: Mapping[str, ZipInfo]


class ZipReader:
    """Opens members for one thread. ``descriptor`` is one of the archive, which this closes."""

    def __init__(self, archive: Archive, descriptor: int) -> None:
        self._archive, self._descriptor = archive, descriptor
        self._others = ExitStack()
        self._zipfile: zipfile.ZipFile | None = None

    @classmethod
    def opened(cls, archive: Archive) -> Self:
        """Open an archive again. Raises as `VersionLocation.open`."""
        return cls(archive, archive.location.open())

    def open(self, entry: TreeEntry, *, offset: int = 0) -> Source:
        info = self._archive.infos[entry.path]
        start = self._start(info, entry)
        if info.compress_type == zipfile.ZIP_STORED:
            return StoredSource(self, entry, start=start, offset=offset)
        deflated = info.compress_type == zipfile.ZIP_DEFLATED
        pieces = self._inflate(start, end=start + info.compress_size) if deflated else self._decompress(info)
        return UnpackedSource(self, entry, pieces=pieces)

    def read(self, entry: TreeEntry) -> bytes:
        data = bytearray(entry.size + 1)
        view, filled = memoryview(data), 0
        with self.open(entry) as source:
            while count := source.readinto(view[filled:]):
                filled += count
        return bytes(view[:filled])

    def pread(self, length: int, position: int) -> bytes:
        return os.pread(self._descriptor, length, position)

    def start_of_stored(self, entry: TreeEntry) -> int | None:
        """Return the offset of a stored member's bytes in the archive, None if it is compressed."""
        info = self._archive.infos[entry.path]
        return self._start(info, entry) if info.compress_type == zipfile.ZIP_STORED else None

    def descriptor(self) -> int:
        """Return a descriptor of the archive, which the caller must close."""
        return os.dup(self._descriptor)

    def preadv(self, buffer: memoryview, position: int) -> int:
        return os.preadv(self._descriptor, [buffer], position)

    def check_unchanged(self, path: str) -> None:
        """Raise VersionChanged if the archive has changed since its directory was read."""
        status = os.fstat(self._descriptor)
        if (status.st_size, status.st_mtime_ns) != (self._archive.size, self._archive.mtime_ns):
            raise changed(path)

    def damage(self, path: str) -> UnusableVersion:
        """Return the error for a damaged member. Raises VersionChanged if the archive has changed since listing."""
        self.check_unchanged(path)
        return damaged(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._others.close()
        os.close(self._descriptor)

    def _start(self, info: ZipInfo, entry: TreeEntry) -> int:
        # zipfile computes offsets back from the end of the archive, so a wrong one may be negative.
        inside = 0 <= info.header_offset < self._archive.size
        header = self.pread(_LOCAL_HEADER.size, info.header_offset) if inside else b""
        if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
            raise self.damage(entry.path)
        _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        start: int = info.header_offset + _LOCAL_HEADER.size + name_length + extra_length
        return start

    def _inflate(self, position: int, *, end: int) -> Iterator[bytes]:
        inflater = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_DEFLATE)
        while not inflater.eof:
            data = self.pread(min(_READ_BYTES, end - position), position) if inflater.needs_input else b""
            if inflater.needs_input and not data:
                raise EOFError
            position += len(data)
            yield inflater.decompress(data, _READ_BYTES)

    def _decompress(self, info: ZipInfo) -> Iterator[bytes]:
        if self._zipfile is None:
            file = self._others.enter_context(os.fdopen(self.descriptor(), "rb"))
            self._zipfile = self._others.enter_context(zipfile.ZipFile(file))
        with self._zipfile.open(info) as member:
            while data := member.read(_READ_BYTES):
                yield data


class StoredSource:
    """The bytes of a member that is stored without compression."""

    def __init__(self, reader: ZipReader, entry: TreeEntry, *, start: int, offset: int) -> None:
        self._reader, self._entry = reader, entry
        self.start = offset
        self._position, self._end = start + offset, start + entry.size

    def readinto(self, buffer: memoryview) -> int:
        room = min(len(buffer), self._end - self._position)
        count = self._reader.preadv(buffer[:room], self._position) if room else 0
        if room and not count:
            raise self._reader.damage(self._entry.path)
        if not count:
            self._reader.check_unchanged(self._entry.path)
        self._position += count
        return count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


class UnpackedSource:
    """The bytes of a compressed member, always from its beginning."""

    start = 0

    def __init__(self, reader: ZipReader, entry: TreeEntry, *, pieces: Iterator[bytes]) -> None:
        self._reader, self._entry, self._pieces = reader, entry, pieces
        self._piece = memoryview(b"")
        self._length = 0

    def readinto(self, buffer: memoryview) -> int:
        while not self._piece and self._next():
            pass
        count = min(len(buffer), len(self._piece))
        buffer[:count], self._piece = self._piece[:count], self._piece[count:]
        return count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def _next(self) -> bool:
        """Decompress the next piece and return whether there was one."""
        path = self._entry.path
        try:
            piece = next(self._pieces, None)
        except OSError as error:
            # Disk errors have an errno; those that bz2 raises for invalid data have none.
            if error.errno is not None:
                raise
            raise self._reader.damage(path) from error
        except DAMAGE as error:
            raise self._reader.damage(path) from error
        self._piece = memoryview(piece or b"")
        self._length += len(self._piece)
        if self._length > self._entry.size or (piece is None and self._length < self._entry.size):
            raise self._reader.damage(path)
        if piece is None:
            self._reader.check_unchanged(path)
        return piece is not None
