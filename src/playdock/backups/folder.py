"""Backups in a folder."""

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from playdock.backups import rules
from playdock.backups.errors import BackupFolderBusy, BackupFolderIsFile, BackupFolderNotWritable
from playdock.backups.storage import file_of
from playdock.kit.clock import utc_now
from playdock.storage.blobs import LocalBlobs, blocks
from playdock.storage.sweeping import sweep

_MODE = 0o700
_BLOCK = 1024**2
# The lock keeps all other processes out, so that every blob without a reference is one to delete.
_AHEAD = timedelta(days=2)
# What the names of folders of backups that are not complete begin with.
_UNFINISHED = ".unfinished-"


class BackupFolder(Struct, frozen=True):
    """A folder with backups."""

    root: Path

    def place(self, name: str = "") -> str:
        return str(self.root / name)

    @contextmanager
    def prepared(self) -> Iterator[None]:
        try:
            self.root.mkdir(mode=_MODE, parents=True, exist_ok=True)
            (self.root / rules.SHARED).mkdir(mode=_MODE, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise BackupFolderIsFile(str(self.root)) from None
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            raise BackupFolderNotWritable(str(self.root), os.geteuid()) from None
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupFolderBusy from None
            for left in self.root.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left)
            yield
        finally:
            os.close(descriptor)

    def complete_names(self) -> list[str]:
        try:
            return [path.name for path in self.root.iterdir() if self.contains(path.name)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def contains(self, name: str) -> bool:
        return not name.startswith(_UNFINISHED) and (self.root / name / rules.LIST).exists()

    def begin(self, name: str) -> Path:
        folder = self._unfinished(name)
        folder.mkdir(mode=_MODE)
        return folder

    def complete(self, work: Path, name: str, *, check: Callable[[], None]) -> None:
        for each in work.rglob("*"):
            check()
            _sync(each)
        _sync(work)
        check()
        work.rename(self.root / name)
        _sync(self.root)

    def delete(self, name: str) -> None:
        hidden = self._unfinished(name)
        (self.root / name).rename(hidden)
        shutil.rmtree(hidden)

    def read(self, file: str) -> Iterator[bytes]:
        return blocks((self.root / file).open("rb"), _BLOCK)

    def local(self, file: str, *, into: Path) -> Path:  # noqa: ARG002 - it is on this machine already
        path = self.root / file
        path.stat()
        return path

    def has(self, sha256: str, size: int) -> bool:
        try:
            return (self.root / file_of(sha256)).stat().st_size == size
        except FileNotFoundError:
            return False

    def put(self, sha256: str, pieces: Iterable[bytes]) -> None:
        LocalBlobs(self.root).put(f"{rules.SHARED}/{sha256}", pieces)

    def delete_objects(self, *, except_of: Collection[bytes], check: Callable[[], None]) -> None:
        def kept(names: Collection[str]) -> set[str]:
            check()
            return {name for name in names if not rules.is_hash(name) or bytes.fromhex(name) in except_of}

        sweep(LocalBlobs(self.root), rules.SHARED, before=utc_now() + _AHEAD, referenced=kept)

    def _unfinished(self, name: str) -> Path:
        return self.root / f"{_UNFINISHED}{name}"


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
