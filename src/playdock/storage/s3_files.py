"""Files of versions in S3, for sending.

A file is identified by its ETag. It is sent from a cache on disk, into which parts of it are downloaded as they are
needed: so a reader uses no memory, and several readers of the same file download it once. An archive is downloaded as a
whole, because its directory is at its end and its members are anywhere.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blake3 import blake3
from msgspec import Struct

from playdock.content.archive_names import ArchiveFormat, archive_format
from playdock.content.file_table import ServedFile
from playdock.kit.messages import Message
from playdock.sending.files import OpenedFile
from playdock.storage.descriptors import closed_on_error
from playdock.storage.entries import changed
from playdock.storage.file_cache import FileCache
from playdock.storage.library_policy import LocationForbidden
from playdock.storage.locations import VersionLocation
from playdock.storage.s3_objects import NoSuchObject, ObjectTooShort, S3Content, S3Contents, S3Folder, S3Object

# A part takes one request. Larger parts delay the first byte, and download more than a short range needs.
_PART_BYTES = 4 * 1024 * 1024
# File systems store times from 1901 on: 2**60 nanoseconds are 36 years.
_STAMPS = 2**60
# A browser follows a redirect at once, and asks for a new link if it resumes a download later.
_LINK_SECONDS = 600


def is_s3_archive(name: str) -> bool:
    """Return whether a version is an archive: in S3 only a `.zip`, because all others must be unpacked as well."""
    return archive_format(name) is ArchiveFormat.ZIP


def stamp_of(etag: str) -> int:
    """Return a number for an ETag, which takes the place of the modification time.

    It is negative: no file that is not in S3 has it, and it is no time that anybody would take for one.
    """
    return -1 - int.from_bytes(blake3(etag.encode()).digest(length=8), "big") % _STAMPS


class S3Base(Struct, frozen=True):
    """The part of a bucket that is a library, at ``url``, with the cache of this machine.

    ``objection`` is the reason why it must not be a library, if there is one.

    Raises:
        FileNotFoundError: there is no such object, but a bucket.
        LocationForbidden: it must not be a library.
        StorageFailure: the server or the bucket cannot be used (all raised by all methods).
    """

    url: str
    contents: S3Contents
    cache: FileCache
    objection: Message | None = None

    def find(self, key: str) -> S3Object:
        with self._errors_translated(key):
            return self.contents.find(key)

    def fetch(self, key: str, start: int, end: int) -> S3Content:
        """Return a range of an object. Raises VersionChanged if it has none."""
        with self._errors_translated(key):
            found = self.contents.fetch(key, start, end)
        return S3Content(found.etag, self._pieces(key, found))

    def _pieces(self, key: str, found: S3Content) -> Iterator[bytes]:
        with self._errors_translated(key):
            yield from found.pieces

    def list(self, prefix: str) -> Iterator[S3Object]:
        with self._errors_translated(prefix):
            yield from self.contents.list(prefix)

    def folder(self, prefix: str) -> S3Folder:
        with self._errors_translated(prefix):
            return self.contents.folder(prefix)

    def link(self, key: str, *, seconds: int = _LINK_SECONDS) -> str | None:
        with self._errors_translated(key):
            return self.contents.link(key, seconds=seconds)

    def is_empty(self, prefix: str = "") -> bool:
        return next(self.list(prefix), None) is None

    @contextmanager
    def _errors_translated(self, key: str) -> Iterator[None]:
        if self.objection:
            raise LocationForbidden(self.objection)
        try:
            yield
        except NoSuchObject:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), key) from None
        except ObjectTooShort:
            raise changed(key.rpartition("/")[2]) from None


class S3Place(VersionLocation, frozen=True, kw_only=True):
    """A version in S3: a prefix below the library's, or an archive."""

    source: S3Base

    @property
    def path(self) -> Path:
        return Path(f"{self.source.url}/{self.name}")

    @property
    def is_archive(self) -> bool:
        return is_s3_archive(self.name)

    def key(self, path: str) -> str:
        """Return the key of a file of the version."""
        return f"{self.name}/{path}"

    def link(self, path: str, *, seconds: int) -> str | None:
        """Return a link to a file of the version, None if there are no links. The file may have changed."""
        return self.source.link(self.key(path), seconds=seconds)

    def library_is_present(self) -> bool:
        return not self.source.is_empty()

    def open(self) -> int:
        """Download the archive, unless it is in the cache, and return its descriptor, which the caller must close."""
        found = self.source.find(self.name)
        return cached_part(self.source, self.name, stamp_of(found.etag), 0, found.size)


class S3Files:
    """The files of a version that is not an archive. Used by one thread."""

    def __init__(self, place: S3Place) -> None:
        self._place = place

    def open(self, file: ServedFile, offset: int = 0) -> OpenedFile:
        """Open the part of a file with the byte at ``offset``, downloading it unless it is in the cache.

        Raises:
            VersionChanged: the file has changed since the import.
            FileNotFoundError, StorageFailure: it is missing, or the server cannot be used.
            CacheFull: all parts in the cache are in use.
        """
        start = offset - offset % _PART_BYTES
        end = min(start + _PART_BYTES, file.size)
        descriptor = cached_part(self._place.source, self._place.key(file.path), file.mtime_ns, start, end)
        with closed_on_error(descriptor):
            mtime_ns = os.fstat(descriptor).st_mtime_ns
        return OpenedFile(file, descriptor, -start, end - start, mtime_ns, end)

    def check(self, file: ServedFile) -> None:
        """Do nothing: a request for each file would delay the response. A file is checked when it is opened."""

    def link(self, file: ServedFile) -> str | None:
        """Return a short-lived link to a file that is unchanged, None if there are no links. Raises the same as `open`.

        Nobody checks what is downloaded with the link, so this asks the server whether the file is unchanged.
        """
        source, key = self._place.source, self._place.key(file.path)
        link = source.link(key)
        if link is not None:
            found = source.find(key)
            if (found.size, stamp_of(found.etag)) != (file.size, file.mtime_ns):
                raise changed(file.path)
        return link

    def close(self) -> None: ...


def cached_part(source: S3Base, key: str, stamp: int, start: int, end: int) -> int:
    """Return a descriptor of a part of an object with a stamp, which the file in the cache has as its time.

    Raises:
        VersionChanged: the object has another stamp, or is too short.
        FileNotFoundError, StorageFailure, LocationForbidden, CacheFull: the part cannot be had now.
    """

    def download(descriptor: int) -> None:
        if end > start:
            found = source.fetch(key, start, end)
            if stamp_of(found.etag) != stamp:
                raise changed(key.rpartition("/")[2])
            for piece in found.pieces:
                source.cache.check_running()
                _write(descriptor, piece)
        if os.lseek(descriptor, 0, os.SEEK_CUR) != end - start:
            raise changed(key.rpartition("/")[2])
        os.utime(descriptor, ns=(stamp, stamp))

    cache_key = b"\0".join((source.url.encode(), key.encode(), f"{stamp} {start} {end}".encode()))
    return source.cache.open(cache_key, size=end - start, unpack=download)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
