"""The backup folder: its lock, its backups, and the objects that they share."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from playdock.backups import rules
from playdock.backups.errors import BackupFolderBusy, BackupUnreadable, NoBackup
from playdock.backups.rules import BackupList, StoredFile, StoredObjectLine
from playdock.kit.clock import utc_now
from playdock.storage.blobs import LocalBlobs
from playdock.storage.sweeping import sweep

_KIND = "objects"
_MODE = 0o700
_BLOCK = 1024**2
# The lock keeps all other processes out, so that every blob without a reference is one to delete.
_AHEAD = timedelta(days=2)


class BackupFolder(Struct, frozen=True):
    """A folder with backups. Every change happens under its lock."""

    root: Path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Create the folder, keep other processes out of it, and delete what interrupted backups have left.

        Raises:
            BackupFolderBusy: another process has it.
        """
        self.root.mkdir(mode=_MODE, parents=True, exist_ok=True)
        (self.root / _KIND).mkdir(mode=_MODE, exist_ok=True)
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupFolderBusy from None
            for left in self.root.glob(f"{rules.UNFINISHED}*"):
                shutil.rmtree(left)
            yield
        finally:
            os.close(descriptor)

    def names(self) -> list[str]:
        """Return the names of the complete backups, oldest first."""
        try:
            return sorted(path.name for path in self.root.iterdir() if rules.is_name(path.name))
        except FileNotFoundError:
            return []

    def begin(self, name: str) -> Path:
        """Create the folder of a backup that is not complete yet."""
        folder = self.root / f"{rules.UNFINISHED}{name}"
        folder.mkdir(mode=_MODE)
        return folder

    def complete(self, folder: Path) -> Path:
        """Give a backup its name, after all its files have reached the disk."""
        for each in folder.rglob("*"):
            _sync(each)
        _sync(folder)
        target = self.root / folder.name.removeprefix(rules.UNFINISHED)
        folder.rename(target)
        _sync(self.root)
        return target

    def has(self, sha256: str, size: int) -> bool:
        try:
            return self.path_of(sha256).stat().st_size == size
        except FileNotFoundError:
            return False

    def path_of(self, sha256: str) -> Path:
        return self.root / _KIND / sha256[:2] / sha256

    def put(self, sha256: str, pieces: Iterable[bytes]) -> None:
        LocalBlobs(self.root).put(f"{_KIND}/{sha256}", pieces)

    def prune(self, *, kept: int) -> int:
        """Delete the oldest backups, and the objects that only they have; return how many backups were deleted."""
        surplus = rules.surplus(self.names(), kept=kept)
        for name in surplus:
            hidden = self.root / f"{rules.UNFINISHED}{name}"
            (self.root / name).rename(hidden)
            shutil.rmtree(hidden)
        if surplus:
            self._sweep()
        return len(surplus)

    def _sweep(self) -> None:
        # 32 bytes each, and as much again for the set: 100 MB for a million objects, once a day.
        needed = {bytes.fromhex(line.sha256) for name in self.names() for line in lines_of(self.root / name)}
        sweep(
            LocalBlobs(self.root),
            _KIND,
            before=utc_now() + _AHEAD,
            referenced=lambda names: {name for name in names if bytes.fromhex(name) in needed},
        )


class Backup(Struct, frozen=True):
    """A complete backup, and the folder with its objects."""

    folder: BackupFolder
    path: Path
    listed: BackupList

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def database(self) -> Path:
        return self.path / self.listed.files[0].path

    @property
    def secrets(self) -> list[Path]:
        return [self.path / file.path for file in self.listed.files if file.path.startswith(f"{rules.SECRETS}/")]

    def objects(self) -> Iterator[StoredObjectLine]:
        """Yield the objects in the order of their keys.

        Raises:
            BackupUnreadable: the list is damaged.
        """
        return lines_of(self.path)


def find(source: Path) -> Backup:
    """Return the backup in a folder, or the newest one of a backup folder.

    Raises:
        NoBackup: there is none.
        BackupUnreadable: its list is damaged.
    """
    if (source / rules.LIST).exists():
        return open_backup(BackupFolder(source.absolute().parent), source.absolute())
    folder = BackupFolder(source.absolute())
    names = folder.names()
    if not names:
        raise NoBackup(source)
    return open_backup(folder, folder.root / names[-1])


def open_backup(folder: BackupFolder, path: Path) -> Backup:
    """Return a complete backup.

    Raises:
        BackupUnreadable: its list is missing or damaged.
    """
    try:
        return Backup(folder, path, msgspec.json.decode((path / rules.LIST).read_bytes(), type=BackupList))
    except (msgspec.MsgspecError, FileNotFoundError, UnicodeDecodeError):
        raise BackupUnreadable(path) from None


def lines_of(path: Path) -> Iterator[StoredObjectLine]:
    """Yield the lines of a backup's list of objects.

    Raises:
        BackupUnreadable: the list is damaged.
    """
    try:
        with (path / rules.OBJECTS).open(encoding="ascii") as file:
            for line in file:
                yield rules.line_of(line)
    except (ValueError, FileNotFoundError):
        raise BackupUnreadable(path) from None


def stored_file(path: Path, *, within: Path) -> StoredFile:
    return StoredFile(str(path.relative_to(within)), path.stat().st_size, hash_of(path))


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def created(moment: datetime) -> str:
    """Return a time as it is written in sentences."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
