"""A cache of unpacked files on disk, within a budget, shared by all processes of a machine.

A file is written by one thread of one process under a lock that ends with its holder, while others wait, and takes its
final name when it is whole. From then on it never changes. Whoever reads it shares a lock on it: what would still take
up the disk is not thrown away. Names are other ones after every boot of the machine: what a power cut left may be
incomplete, and is never used.
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

_TOTAL = "total"
_UNFINISHED = ".part"
_MADE = os.O_RDWR | os.O_CREAT
_ALONE = fcntl.LOCK_EX | fcntl.LOCK_NB
_LONGEST_TOTAL = 100
_PAUSE_SECONDS = 0.02
_PATIENCE_SECONDS = 10
# Looking through all files takes a while, so whoever has to leaves this part of the budget free.
_LEFT_FREE = 8
_NO_ROOM = "All that is in the cache of unpacked files is in use. Try again later, or raise UNPACKED_MAX_BYTES."


class CacheUnusable(OSError):
    """The cache's folder cannot be used; the number of the error says why."""


class CacheFull(CacheUnusable):
    """All that is in the cache is being read or written."""


class Unpacked:
    """The cache: files of at most so many bytes together, or a single one that is larger.

    Nobody waits longer than ``patience`` seconds for others to be done with files whose room is needed.
    """

    def __init__(self, folder: Path, *, most_bytes: int, boot: str, patience: float = _PATIENCE_SECONDS) -> None:
        self._folder = folder
        self._most = most_bytes
        self._boot = boot
        self._patience = patience
        self._stopping = Event()

    def open(self, key: bytes, *, size: int, unpack: Callable[[int], None]) -> int:
        """Give a descriptor to read a file with, which is not thrown away before the descriptor is closed.

        If it is not there, ``unpack`` is called with a descriptor that it must write ``size`` bytes to. If that raises,
        nothing is left behind.

        Raises:
            CacheUnusable: the folder cannot be used, or (ENOSPC) there is no room: too much is being read or written.
            OSError: the disk failed or is full, or the service is being stopped.
        """
        path, until = self._path(key), monotonic() + self._patience
        while (descriptor := self._find(path)) is None:
            if (claimed := self._claim(path)) is not None:
                return self._fill(path, claimed, size=size, until=until, unpack=unpack)
            self._pause()
        return descriptor

    def stop(self) -> None:
        """Let nobody wait or write any more."""
        self._stopping.set()

    def check_running(self) -> None:
        """Raise OSError if the service is being stopped."""
        if self._stopping.is_set():
            raise OSError(errno.ECANCELED, "The service is being stopped")

    def _path(self, key: bytes) -> Path:
        return self._folder / blake3(self._boot.encode() + key).hexdigest(length=16)

    def _find(self, path: Path) -> int | None:
        with _explained():
            return _lock(path, os.O_RDONLY, fcntl.LOCK_SH)

    def _claim(self, path: Path) -> int | None:
        """Take the right to write a file, as a locked descriptor, unless somebody else has it or just had."""
        with _explained():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = _lock(_unfinished(path), _MADE, _ALONE)
            if descriptor is not None and path.exists():
                _give_up(_unfinished(path), descriptor)
                return None
        return descriptor

    def _fill(self, path: Path, descriptor: int, *, size: int, until: float, unpack: Callable[[int], None]) -> int:
        try:
            self._wait_for_room(descriptor, size, until=until)
            unpack(descriptor)
            with _explained(), self._counting():
                _unfinished(path).replace(path)
                # For a moment there is no lock at all, so this is done while nobody throws files away.
                fcntl.flock(descriptor, fcntl.LOCK_SH)
        except BaseException:
            _give_up(_unfinished(path), descriptor)
            raise
        return descriptor

    def _wait_for_room(self, descriptor: int, size: int, *, until: float) -> None:
        while not self._reserve(descriptor, size):
            if monotonic() >= until:
                raise CacheFull(errno.ENOSPC, _NO_ROOM)
            self._pause()

    def _reserve(self, descriptor: int, size: int) -> bool:
        """Make a file as long as it will be, if there is room for it; tell whether there is."""
        with _explained(), self._counting() as total:
            # Whoever was killed may have left something.
            os.ftruncate(descriptor, 0)
            used = self._used(total)
            if used is None or used + size > self._most:
                used = self._make_room(size)
            fits = not used or used + size <= self._most
            if fits:
                os.ftruncate(descriptor, size)
                used += size
            os.ftruncate(total, 0)
            os.pwrite(total, f"{self._boot} {used}".encode(), 0)
        return fits

    @contextmanager
    def _counting(self) -> Iterator[int]:
        """Be the only one who makes files or throws them away."""
        descriptor = os.open(self._folder / _TOTAL, _MADE | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def _used(self, total: int) -> int | None:
        """Read how large all files are together, or were before some were given up; None if that is not known."""
        boot, _, used = os.pread(total, _LONGEST_TOTAL, 0).decode().partition(" ")
        return int(used) if boot == self._boot and used.isdecimal() else None

    def _make_room(self, size: int) -> int:
        """Throw the oldest files away, but none that is being written or read; give how large the rest is."""
        files = sorted(self._files())
        used = sum(file.size for file in files)
        for file in files:
            if used <= self._most - self._most // _LEFT_FREE - size:
                break
            if _throw_away(file.path):
                used -= file.size
        return used

    def _files(self) -> Iterator["_File"]:
        for path in self._folder.iterdir():
            if path.name != _TOTAL:
                with suppress(FileNotFoundError):
                    status = path.stat()
                    yield _File(status.st_mtime_ns, path, status.st_size)

    def _pause(self) -> None:
        self._stopping.wait(_PAUSE_SECONDS)
        self.check_running()


class _File(NamedTuple):
    mtime_ns: int
    path: Path
    size: int


def _unfinished(path: Path) -> Path:
    return path.with_suffix(_UNFINISHED)


def _lock(path: Path, flags: int, kind: int) -> int | None:
    """Open a file and lock it until the descriptor is closed; None if it is not there or others keep it."""
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        return None
    locked = False
    try:
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(descriptor, kind)
            # Whoever had the lock before may have moved or removed the file.
            locked = os.path.samestat(os.fstat(descriptor), path.stat())
    finally:
        if not locked:
            os.close(descriptor)
    return descriptor if locked else None


def _throw_away(path: Path) -> bool:
    """Remove a file, unless it is being written or read; tell whether it was."""
    descriptor = _lock(path, os.O_RDWR, _ALONE)
    if descriptor is None:
        return False
    try:
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
    return True


def _give_up(path: Path, descriptor: int) -> None:
    with suppress(OSError):
        path.unlink()
    os.close(descriptor)


@contextmanager
def _explained() -> Iterator[None]:
    """Tell what the cache's folder fails with from what a library fails with, where a missing file means something."""
    try:
        yield
    except OSError as error:
        raise CacheUnusable(error.errno, f"The cache of unpacked files cannot be used: {error.strerror}") from error


def boot_id() -> str:
    """Give what tells this boot of the machine from others; this start of the service where nothing does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return str(uuid4())
