"""A cache of files on disk with a size limit, shared by all processes of a machine.

It contains decompressed members of archives, parts of files of libraries in S3, or blobs of an object storage.

A file is written by one thread of one process, which holds an exclusive lock that the system releases if the process
ends; others wait. The file is renamed to its final name when it is complete, and never changes afterwards. Readers hold
a shared lock, which prevents eviction: deleting an open file would not free disk space. Names depend on the boot of the
machine, so that files that a power failure may have left incomplete are never used.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import NamedTuple
from uuid import uuid4

from blake3 import blake3

from playdock.kit.storage_failures import writing
from playdock.storage.descriptors import closed_on_error

# The file with the total size of all files, which is also the lock for changing it.
_TOTAL = "total"
_UNFINISHED = ".part"
_CREATE = os.O_RDWR | os.O_CREAT
_EXCLUSIVE = fcntl.LOCK_EX | fcntl.LOCK_NB
# A boot id of 36 characters, a space, and a number.
_MAX_TOTAL_LENGTH = 100
# File locks of other processes can only be polled; this adds little to the time of decompressing a file.
_POLL_SECONDS = 0.02
# A request fails after this time instead of waiting longer; the client can retry it.
_MAX_WAIT_SECONDS = 10
# Eviction lists all files, which takes a while. It frees an additional eighth of the limit, so that it is rare.
_FREE_FRACTION = 8
# What large files leave free on the disk, which the database may share: so much, or on a small disk this part of it.
_RESERVED_BYTES = 1024**3
_RESERVED_FRACTION = 20
# Smaller files are many, and a server whose disk is nearly full still needs them.
_LARGE_BYTES = 64 * 1024**2
# The unit of ``st_blocks``.
_BLOCK_BYTES = 512
_NO_ROOM = "All files in the cache are in use, or its disk is full. Try again later, raise its limit, or free space."


class CacheUnusable(OSError):
    """The cache folder cannot be used; ``errno`` contains the reason."""


class CacheFull(CacheUnusable):
    """All files in the cache are being read or written, or the disk is too full for another one."""


class FileCache:
    """The cache: files of at most ``max_bytes`` in total, or a single larger one.

    Large files leave a part of the disk free. A caller waits at most ``max_wait`` seconds for space that is used by
    files that others read or write.
    """

    def __init__(self, folder: Path, *, max_bytes: int, boot: str, max_wait: float = _MAX_WAIT_SECONDS) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        self._boot = boot
        self._max_wait = max_wait
        self._stopping = Event()

    def open(
        self, key: bytes, *, size: int, unpack: Callable[[int], None], check: Callable[[], None] = lambda: None
    ) -> int:
        """Return a descriptor for reading a file, which is not evicted before the descriptor is closed.

        If the file is not in the cache, ``unpack`` is called with a descriptor, to which it must write ``size`` bytes.
        If it raises, the incomplete file is deleted. ``check`` is called while another thread or process writes the
        file; if it raises, waiting ends.

        Raises:
            CacheUnusable: the folder cannot be used, or there is no space (ENOSPC) because all files are in use.
            OSError: the disk failed or is full, or the service is stopping.
        """
        path, until = self._path(key), monotonic() + self._max_wait
        while (descriptor := self._find(path)) is None:
            if (locked := self._lock_for_writing(path)) is not None:
                return self._fill(path, locked, size=size, until=until, unpack=unpack)
            check()
            self._sleep()
        return descriptor

    def cached(self, key: bytes) -> int | None:
        """Return a descriptor for reading a file as `open` does, or None if the file is not in the cache.

        Raises:
            CacheUnusable: the folder cannot be used.
        """
        return self._find(self._path(key))

    def discard(self, key: bytes) -> None:
        """Delete a file unless it is being read. Its size is counted until the next eviction."""
        with _translating_errors():
            _delete_unused(self._path(key))

    @property
    def used_bytes(self) -> int:
        """The total size of all files, 0 if it is unknown or there is no cache yet."""
        try:
            total = os.open(self.folder / _TOTAL, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return 0
        try:
            return self._used(total) or 0
        finally:
            os.close(total)

    def stop(self) -> None:
        """Cancel all waiting and writing."""
        self._stopping.set()

    def check_running(self) -> None:
        """Raise OSError if the service is stopping."""
        if self._stopping.is_set():
            raise OSError(errno.ECANCELED, "The service is stopping")

    def _path(self, key: bytes) -> Path:
        return self.folder / blake3(self._boot.encode() + key).hexdigest(length=16)

    def _find(self, path: Path) -> int | None:
        with _translating_errors():
            return _lock(path, os.O_RDONLY, fcntl.LOCK_SH)

    def _lock_for_writing(self, path: Path) -> int | None:
        """Return an exclusively locked descriptor of the unfinished file, None if another writer has been faster."""
        with _translating_errors():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = _lock(_unfinished(path), _CREATE, _EXCLUSIVE)
            if descriptor is None:
                return None
            with closed_on_error(descriptor):
                is_complete = path.exists()
            if is_complete:
                _discard(_unfinished(path), descriptor)
                return None
        return descriptor

    def _fill(self, path: Path, descriptor: int, *, size: int, until: float, unpack: Callable[[int], None]) -> int:
        try:
            self._wait_for_room(descriptor, size, until=until)
            unpack(descriptor)
            with _translating_errors(), self._lock_total():
                _unfinished(path).replace(path)
                # Converting the lock releases it for a moment. Holding the total prevents eviction in between.
                fcntl.flock(descriptor, fcntl.LOCK_SH)
        except BaseException:
            _discard(_unfinished(path), descriptor)
            raise
        return descriptor

    def _wait_for_room(self, descriptor: int, size: int, *, until: float) -> None:
        while not self._reserve(descriptor, size):
            if monotonic() >= until:
                raise CacheFull(errno.ENOSPC, _NO_ROOM)
            self._sleep()

    def _reserve(self, descriptor: int, size: int) -> bool:
        """Extend a file to its final size if there is space for it, and return whether there was."""
        with _translating_errors(), self._lock_total() as total:
            # A writer that was killed may have left data.
            os.ftruncate(descriptor, 0)
            used = self._used(total)
            if used is None or used + size > self._max_bytes or not self._has_room(size):
                used = self._evict(size)
            fits = (not used or used + size <= self._max_bytes) and self._has_room(size)
            if fits:
                os.ftruncate(descriptor, size)
                used += size
            os.ftruncate(total, 0)
            os.pwrite(total, f"{self._boot} {used}".encode(), 0)
        return fits

    def _has_room(self, size: int) -> bool:
        """Return whether the disk stays free enough if this file and those that are being written become complete."""
        return size < _LARGE_BYTES or size <= self._room()

    def _room(self) -> int:
        """Return how much large files may still take on the disk."""
        disk = os.statvfs(self.folder)
        reserved = min(_RESERVED_BYTES, disk.f_blocks * disk.f_frsize // _RESERVED_FRACTION)
        return disk.f_bavail * disk.f_frsize - reserved - self._unwritten()

    def _unwritten(self) -> int:
        """Return how much the files that are being written will still take on the disk."""
        sizes = []
        for path in self.folder.glob(f"*{_UNFINISHED}"):
            with suppress(FileNotFoundError):
                status = path.stat()
                sizes.append(max(status.st_size - status.st_blocks * _BLOCK_BYTES, 0))
        return sum(sizes)

    @contextmanager
    def _lock_total(self) -> Iterator[int]:
        """Lock the file with the total, so that no other thread or process adds or evicts files; yield a descriptor."""
        descriptor = os.open(self.folder / _TOTAL, _CREATE | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def _used(self, total: int) -> int | None:
        """Return the total size of all files, or an upper bound after failed writes; None if it is unknown."""
        boot, _, used = os.pread(total, _MAX_TOTAL_LENGTH, 0).decode().partition(" ")
        return int(used) if boot == self._boot and used.isdecimal() else None

    def _evict(self, size: int) -> int:
        """Delete the oldest files that are not in use, to make space for ``size`` bytes. Return the remaining total."""
        files = sorted(self._files())
        used = sum(file.size for file in files)
        # What does not fit on the disk in any case evicts nothing for that.
        needed = size if _LARGE_BYTES <= size <= self._room() + used else 0
        for file in files:
            if used <= self._max_bytes - self._max_bytes // _FREE_FRACTION - size and needed <= self._room():
                break
            if _delete_unused(file.path):
                used -= file.size
        return used

    def _files(self) -> Iterator["_File"]:
        for path in self.folder.iterdir():
            if path.name != _TOTAL:
                with suppress(FileNotFoundError):
                    status = path.stat()
                    # Archives from S3 have a number for their ETag instead of a time.
                    age = status.st_mtime_ns if status.st_mtime_ns > 0 else status.st_ctime_ns
                    yield _File(age, path, status.st_size)

    def _sleep(self) -> None:
        self._stopping.wait(_POLL_SECONDS)
        self.check_running()


class _File(NamedTuple):
    time_ns: int
    path: Path
    size: int


def _unfinished(path: Path) -> Path:
    return path.with_suffix(_UNFINISHED)


def _lock(path: Path, flags: int, kind: int) -> int | None:
    """Open a file and lock it until the descriptor is closed. Return None if it does not exist or is locked."""
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        return None
    locked = False
    try:
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(descriptor, kind)
            # The previous holder of the lock may have renamed or deleted the file.
            locked = os.path.samestat(os.fstat(descriptor), path.stat())
    finally:
        if not locked:
            os.close(descriptor)
    return descriptor if locked else None


def _delete_unused(path: Path) -> bool:
    """Delete a file unless it is being written or read, and return whether it was deleted."""
    descriptor = _lock(path, os.O_RDWR, _EXCLUSIVE)
    if descriptor is None:
        return False
    try:
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
    return True


def _discard(path: Path, descriptor: int) -> None:
    with suppress(OSError):
        path.unlink()
    os.close(descriptor)


@contextmanager
def _translating_errors() -> Iterator[None]:
    """Raise CacheUnusable for an OSError, so that it is not mistaken for a missing file of a library."""
    try:
        with writing():
            yield
    except OSError as error:
        raise CacheUnusable(error.errno, f"The cache of files cannot be used: {error.strerror}") from error


def boot_id() -> str:
    """Return an identifier of this boot of the machine, or a random one if the system does not provide it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return str(uuid4())
