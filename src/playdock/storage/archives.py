"""Serving members of archives: stored ones in place, packed ones from a cache on disk.

The directory of an archive is read once and remembered as long as the archive is as it was. A packed member is unpacked
whole, once, into a file of the cache; a small one each time into memory, which is less work than to make a file.
"""

import os
import stat
from pathlib import Path
from threading import Condition
from typing import NamedTuple
from zlib import crc32

from cachetools import LRUCache, cached

from playdock.content.file_table import ServedFile
from playdock.sending.files import OpenedFile
from playdock.storage.entries import Entry, changed
from playdock.storage.unpacked import Unpacked, boot_id
from playdock.storage.zip_members import ZipReader
from playdock.storage.zip_tree import ZipTree

# Each takes some 600 bytes of memory.
_MOST_MEMBERS = 100_000
_SMALL = 64 * 1024
_BUFFER = 256 * 1024


class Archives:
    """The archives that are being served, for all threads of a process."""

    def __init__(self, folder: Path, most_bytes: int, *, most_members: int = _MOST_MEMBERS) -> None:
        self.unpacked = Unpacked(folder, most_bytes=most_bytes, boot=boot_id())
        # However large an archive is, one is remembered.
        remembered = LRUCache[object, ZipTree](
            most_members, getsizeof=lambda tree: min(1 + len(tree.names_found), most_members)
        )
        # Of several threads that want the same, one reads and the others wait.
        self._read = cached(remembered, condition=Condition())(_Seen.open)

    def tree(self, path: Path) -> ZipTree:
        """Give an archive's tree, remembered as long as the archive is the same.

        Raises:
            UnusableVersion, VersionChanged: it is no archive, or is just being changed.
            OSError: it is not there, or the disk failed.
        """
        return self._read(_Seen.look(path))

    def stop(self) -> None:
        """Let nobody unpack, or wait for it, any more."""
        self.unpacked.stop()


class ArchiveShelf:
    """The files of a version that is an archive, for one thread."""

    def __init__(self, path: Path, archives: Archives) -> None:
        self._unpacked = archives.unpacked
        self._tree = archives.tree(path)
        self._reader = ZipReader(self._tree.archive)

    def check(self, file: ServedFile) -> None:
        """Look whether a file is what was imported, without unpacking it. Raises as `open` does."""
        self._entry(file)

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a file, unpacked first if need be.

        Raises:
            VersionChanged: the archive, or this member, is not what was imported.
            UnusableVersion: the member is damaged.
            OSError: a disk failed or is full, or the service is being stopped.
        """
        entry = self._entry(file)
        start = self._reader.start_of_stored(entry)
        if start is not None:
            archive = self._tree.archive
            return OpenedFile(file, self._reader.descriptor(), start, archive.size, archive.mtime_ns)
        descriptor = self._in_memory(entry) if entry.size <= _SMALL else self._in_cache(entry)
        return OpenedFile(file, descriptor, 0, file.size, os.fstat(descriptor).st_mtime_ns)

    def close(self) -> None:
        self._reader.close()

    def _entry(self, file: ServedFile) -> Entry:
        """Look at a member, which must be what was imported."""
        self._reader.check_unchanged(file.path)
        entry = self._tree.entry(file.path)
        if (entry.size, entry.mtime_ns, entry.crc32) != (file.size, file.mtime_ns, file.crc32):
            raise changed(file.path)
        return entry

    def _key(self, entry: Entry) -> bytes:
        archive = self._tree.archive
        place = (os.fsencode(archive.path), entry.path.encode())
        # No path has a NUL in it.
        return b"\0".join((*place, f"{archive.size} {archive.mtime_ns} {entry.crc32}".encode()))

    def _in_memory(self, entry: Entry) -> int:
        descriptor = os.memfd_create("member")
        try:
            self._unpack(entry, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _in_cache(self, entry: Entry) -> int:
        return self._unpacked.open(self._key(entry), size=entry.size, unpack=lambda to: self._unpack(entry, to))

    def _unpack(self, entry: Entry, descriptor: int) -> None:
        buffer = memoryview(bytearray(min(entry.size + 1, _BUFFER)))
        crc = 0
        with self._reader.open(entry) as source:
            while count := source.readinto(buffer):
                self._unpacked.check_running()
                crc = crc32(buffer[:count], crc)
                _write(descriptor, buffer[:count])
        if crc != entry.crc32:
            raise self._reader.damage(entry.path)


class _Seen(NamedTuple):
    """An archive as a look at it tells it."""

    path: Path
    size: int
    mtime_ns: int

    @classmethod
    def look(cls, path: Path) -> "_Seen":
        status = path.stat()
        # Opening a pipe that took the archive's place would hold the thread for ever.
        if not stat.S_ISREG(status.st_mode):
            raise changed(path.name)
        return cls(path, status.st_size, status.st_mtime_ns)

    def open(self) -> ZipTree:
        tree = ZipTree.open(self.path)
        if (tree.archive.size, tree.archive.mtime_ns) != (self.size, self.mtime_ns):
            raise changed(self.path.name)
        return tree


def _write(descriptor: int, data: memoryview) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
