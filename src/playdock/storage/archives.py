"""Serving members of archives: stored members in place, compressed members from a cache on disk.

The directory of an archive is read once and cached until the archive changes. A compressed member of a `.zip` is
decompressed completely, once, into a file of the cache. A small one is decompressed into memory each time, which is
cheaper than creating a file. A sequential archive is unpacked as a whole, in a thread that continues when nobody waits
for it any longer.
"""

import errno
import os
import stat
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Condition, Lock
from zlib import crc32

from cachetools import LRUCache, cached
from msgspec import Struct, field

from playdock.content.file_table import ServedFile
from playdock.sending.files import OpenedFile
from playdock.storage.descriptors import closed_on_error
from playdock.storage.entries import TreeEntry, changed
from playdock.storage.file_cache import FileCache, boot_id
from playdock.storage.locations import VersionLocation
from playdock.storage.sequential_tree import SequentialTree
from playdock.storage.trees import read_archive
from playdock.storage.zip_members import ZipReader
from playdock.storage.zip_tree import ZipTree

# About 600 bytes of memory each, so 60 MB in total.
_MAX_MEMBERS = 100_000
# Decompressing this much takes less time than creating and locking a file of the cache.
_MAX_IN_MEMORY_BYTES = 64 * 1024
# Large enough that system calls cost little, small enough for many threads.
_BUFFER_BYTES = 256 * 1024


# A request for what is not unpacked by then is answered that it must be repeated, so that few of them wait at a time.
MAX_WAIT_SECONDS = 5.0
# Unpacking is limited by the processor and the disk.
_UNPACKING_THREADS = 2

_Tree = ZipTree | SequentialTree


class Unpacking(OSError):
    """The archive is still being unpacked. ``percent`` is how much of it is done."""

    def __init__(self, percent: int) -> None:
        super().__init__(errno.EAGAIN, "The archive is being unpacked")
        self.percent = percent


class Archives:
    """The archives that are being served, shared by all threads of a process."""

    def __init__(self, folder: Path, max_bytes: int, *, max_members: int = _MAX_MEMBERS) -> None:
        self.unpacked = FileCache(folder, max_bytes=max_bytes, boot=boot_id())
        # The weight is capped so that the largest archive can be cached too.
        cache = LRUCache[object, _Tree](
            max_members, getsizeof=lambda tree: min(1 + len(tree.member_names), max_members)
        )
        # Of several threads that need the same archive, one reads its directory and the others wait.
        self._read = cached(cache, key=_key_of, condition=Condition())(_read)
        self._threads = ThreadPoolExecutor(_UNPACKING_THREADS, thread_name_prefix="unpacking")
        self._running: dict[bytes, _Unpacking] = {}
        self._lock = Lock()

    def tree(self, location: VersionLocation, descriptor: int) -> _Tree:
        """Return the tree of an open archive, cached until the archive changes.

        Raises:
            UnusableVersion, VersionChanged: it is not an archive, or is being changed.
            OSError: the disk failed.
        """
        return self._read(location, descriptor)

    def image(self, tree: SequentialTree, *, max_wait: float | None = MAX_WAIT_SECONDS) -> int:
        """Return a descriptor of the unpacked image of an archive, which is unpacked if it is not in the cache.

        Raises:
            Unpacking: it takes longer than ``max_wait`` seconds, and continues; repeat the call later.
            UnusableVersion, VersionChanged, OSError: as `SequentialTree.open_image`.
        """
        while (image := tree.cached_image()) is None:
            running = self._unpack(tree)
            try:
                running.future.result(max_wait)
            except TimeoutError:
                raise Unpacking(running.percent) from None
        return image

    def _unpack(self, tree: SequentialTree) -> "_Unpacking":
        """Unpack an archive in another thread, if that does not happen already."""
        with self._lock:
            running = self._running.get(tree.key)
            if running is None or running.future.done():
                running = _Unpacking(tree.image_size)
                running.future = self._threads.submit(running.run, tree)
                self._running[tree.key] = running
                running.future.add_done_callback(lambda _: self._running.pop(tree.key, None))
        return running

    def stop(self) -> None:
        """Cancel all decompression, and all waiting for it."""
        self.unpacked.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Unpacking(Struct):
    """An archive that is being unpacked: its size, and how many bytes have been written."""

    size: int
    written: int = 0
    future: Future[None] = field(default_factory=Future)

    @property
    def percent(self) -> int:
        return 100 * self.written // max(self.size, 1)

    def run(self, tree: SequentialTree) -> None:
        os.close(tree.open_image(self._note))

    def _note(self, written: int) -> None:
        self.written = written


class ZipFiles:
    """The files of a version that is a `.zip`. Used by one thread.

    ``descriptor`` is one of the archive, which `close` closes.
    """

    def __init__(self, tree: ZipTree, descriptor: int, archives: Archives) -> None:
        self._unpacked = archives.unpacked
        self._tree = tree
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


class SequentialFiles:
    """The files of a version that is a sequential archive. Used by one thread.

    ``descriptor`` is one of the archive, which `close` closes. ``max_wait`` is that of `Archives.image`.
    """

    def __init__(self, tree: SequentialTree, descriptor: int, archives: Archives, *, max_wait: float | None) -> None:
        self._tree, self._descriptor = tree, descriptor
        self._archives, self._max_wait = archives, max_wait
        self._image: int | None = None

    def check(self, file: ServedFile) -> None:
        """Check that a file is unchanged since the import, without unpacking. Raises VersionChanged if it has."""
        entry = self._tree.entry(file.path)
        if (entry.size, entry.mtime_ns) != (file.size, file.mtime_ns):
            raise changed(file.path)

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a file, unpacking the archive if necessary. Raises as `check` and `Archives.image`."""
        self.check(file)
        if self._image is None:
            self._image = self._archives.image(self._tree, max_wait=self._max_wait)
        descriptor = os.dup(self._image)
        with closed_on_error(descriptor):
            status = os.fstat(descriptor)
        base = self._tree.member(file.path).offset
        return OpenedFile(file, descriptor, base, status.st_size, status.st_mtime_ns)

    def close(self) -> None:
        os.close(self._descriptor)
        if self._image is not None:
            os.close(self._image)
            self._image = None


ArchiveFiles = ZipFiles | SequentialFiles


def open_archive(
    location: VersionLocation, descriptor: int, archives: Archives, *, max_wait: float | None
) -> ArchiveFiles:
    """Return the files of an open archive. Raises as `Archives.tree`."""
    tree = archives.tree(location, descriptor)
    if isinstance(tree, ZipTree):
        return ZipFiles(tree, descriptor, archives)
    return SequentialFiles(tree, descriptor, archives, max_wait=max_wait)


def _key_of(location: VersionLocation, descriptor: int) -> tuple[Path, int, int]:
    """Return the status of an archive, which is the key of its cached tree."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise changed(location.path.name)
    return location.path, status.st_size, status.st_mtime_ns


def _read(location: VersionLocation, descriptor: int) -> _Tree:
    key = _key_of(location, descriptor)
    tree = read_archive(location, descriptor)
    if _key_of(location, descriptor) != key:
        raise changed(location.path.name)
    return tree


def _write(descriptor: int, data: memoryview) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
