"""Serving members of archives: stored members in place, compressed members from a cache on disk.

The directory of an archive is read once and cached until the archive changes. A compressed member is decompressed
completely, once, into a file of the cache. A small one is decompressed into memory each time, which is cheaper than
creating a file.
"""

import os
import stat
from functools import partial
from pathlib import Path
from threading import Condition
from zlib import crc32

from cachetools import LRUCache, cached

from playdock.content.file_table import ServedFile
from playdock.sending.files import OpenedFile
from playdock.storage.descriptors import closed_on_error
from playdock.storage.entries import TreeEntry, changed
from playdock.storage.file_cache import FileCache, boot_id
from playdock.storage.locations import VersionLocation
from playdock.storage.zip_members import ZipReader
from playdock.storage.zip_tree import ZipTree

# About 600 bytes of memory each, so 60 MB in total.
_MAX_MEMBERS = 100_000
# Decompressing this much takes less time than creating and locking a file of the cache.
_MAX_IN_MEMORY_BYTES = 64 * 1024
# Large enough that system calls cost little, small enough for many threads.
_BUFFER_BYTES = 256 * 1024


class Archives:
    """The archives that are being served, shared by all threads of a process."""

    def __init__(self, folder: Path, max_bytes: int, *, max_members: int = _MAX_MEMBERS) -> None:
        self.unpacked = FileCache(folder, max_bytes=max_bytes, boot=boot_id())
        # The weight is capped so that the largest archive can be cached too.
        cache = LRUCache[object, ZipTree](
            max_members, getsizeof=lambda tree: min(1 + len(tree.member_names), max_members)
        )
        # Of several threads that need the same archive, one reads its directory and the others wait.
        self._read = cached(cache, key=_key_of, condition=Condition())(_read)

    def tree(self, location: VersionLocation, descriptor: int) -> ZipTree:
        """Return the tree of an open archive, cached until the archive changes.

        Raises:
            UnusableVersion, VersionChanged: it is not an archive, or is being changed.
            OSError: the disk failed.
        """
        return self._read(location, descriptor)

    def stop(self) -> None:
        """Cancel all decompression, and all waiting for it."""
        self.unpacked.stop()


class ArchiveFiles:
    """The files of a version that is an archive. Used by one thread.

    ``descriptor`` is one of the archive, which `close` closes.
    """

    def __init__(self, location: VersionLocation, descriptor: int, archives: Archives) -> None:
        self._unpacked = archives.unpacked
        self._tree = archives.tree(location, descriptor)
        self._reader = ZipReader(self._tree.archive, descriptor)

    def check(self, file: ServedFile) -> None:
        """Check that a file is unchanged since the import, without decompressing it. Raises the same as `open`."""
        self._entry(file)

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a file, decompressing it if necessary.

        Raises:
            VersionChanged: the archive or this member has changed since the import.
            UnusableVersion: the member is damaged.
            OSError: a disk failed or is full, or the service is stopping.
        """
        entry = self._entry(file)
        start = self._reader.start_of_stored(entry)
        if start is not None:
            archive = self._tree.archive
            return OpenedFile(file, self._reader.descriptor(), start, archive.size, archive.mtime_ns)
        descriptor = self._in_memory(entry) if entry.size <= _MAX_IN_MEMORY_BYTES else self._in_cache(entry)
        with closed_on_error(descriptor):
            mtime_ns = os.fstat(descriptor).st_mtime_ns
        return OpenedFile(file, descriptor, 0, file.size, mtime_ns)

    def close(self) -> None:
        self._reader.close()

    def _entry(self, file: ServedFile) -> TreeEntry:
        """Return the entry of a member. Raises VersionChanged if it has changed since the import."""
        self._reader.check_unchanged(file.path)
        entry = self._tree.entry(file.path)
        if (entry.size, entry.mtime_ns, entry.crc32) != (file.size, file.mtime_ns, file.crc32):
            raise changed(file.path)
        return entry

    def _key(self, entry: TreeEntry) -> bytes:
        archive = self._tree.archive
        names = (os.fsencode(archive.location.path), entry.path.encode())
        # NUL separates the parts unambiguously, because paths cannot contain it.
        return b"\0".join((*names, f"{archive.size} {archive.mtime_ns} {entry.crc32}".encode()))

    def _in_memory(self, entry: TreeEntry) -> int:
        descriptor = os.memfd_create("member")
        with closed_on_error(descriptor):
            self._unpack(entry, descriptor)
        return descriptor

    def _in_cache(self, entry: TreeEntry) -> int:
        return self._unpacked.open(self._key(entry), size=entry.size, unpack=partial(self._unpack, entry))

    def _unpack(self, entry: TreeEntry, descriptor: int) -> None:
        buffer = memoryview(bytearray(min(entry.size + 1, _BUFFER_BYTES)))
        crc = 0
        with self._reader.open(entry) as source:
            while count := source.readinto(buffer):
                self._unpacked.check_running()
                crc = crc32(buffer[:count], crc)
                _write(descriptor, buffer[:count])
        if crc != entry.crc32:
            raise self._reader.damage(entry.path)


def _key_of(location: VersionLocation, descriptor: int) -> tuple[Path, int, int]:
    """Return the status of an archive, which is the key of its cached tree."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise changed(location.path.name)
    return location.path, status.st_size, status.st_mtime_ns


def _read(location: VersionLocation, descriptor: int) -> ZipTree:
    key = _key_of(location, descriptor)
    tree = ZipTree.read(location, descriptor)
    if _key_of(location, descriptor) != key:
        raise changed(location.path.name)
    return tree


def _write(descriptor: int, data: memoryview) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
