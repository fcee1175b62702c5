"""Where backups are, and what each consists of.

`BackupStorage` is the interface; `BackupFolder` keeps backups in a folder, `BackupBucket` in a part of an S3 bucket.
Both have the same files, so that backups can be copied from one to the other.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from playdock.backups import rules
from playdock.backups.errors import BackupUnreadable
from playdock.backups.rules import BackupList, StoredFile, StoredObjectLine
from playdock.storage.blobs import place_of


class BackupStorage(Protocol):
    """Backups by name, and the objects that they share by SHA-256 hash.

    Raises:
        OSError: the storage cannot be used (raised by all methods); for S3 it is a StorageFailure.
    """

    def place(self, name: str = "") -> str:
        """Return where the storage, or a backup or file in it, is: a path or a URL."""
        ...

    def prepared(self) -> AbstractContextManager[None]:
        """Prepare the storage for changes, and delete what interrupted backups have left.

        Raises:
            BackupFolderBusy: another process changes it.
            BackupFolderIsFile, BackupFolderNotWritable: the place cannot be a folder with backups.
        """
        ...

    def complete_names(self) -> list[str]:
        """Return the names of the complete backups, in no order. A person may have changed them."""
        ...

    def contains(self, name: str) -> bool:
        """Return whether there is a complete backup of a name."""
        ...

    def begin(self, name: str) -> Path:
        """Create a folder on this machine for the files of a new backup."""
        ...

    def complete(self, work: Path, name: str, *, check: Callable[[], None]) -> None:
        """Give a backup its name, after all its files are stored.

        ``check`` is called often, also directly before the backup is complete, and may raise.
        """
        ...

    def delete(self, name: str) -> None:
        """Delete a backup, but not its objects. Interrupted, it leaves one that is not complete."""
        ...

    def read(self, file: str) -> Iterator[bytes]:
        """Yield the content of a file.

        Raises:
            FileNotFoundError: there is none.
        """
        ...

    def local(self, file: str, *, into: Path) -> Path:
        """Return a file on this machine, downloaded into a folder if it is elsewhere.

        Raises:
            FileNotFoundError: there is none.
        """
        ...

    def has(self, sha256: str, size: int) -> bool:
        """Return whether there is an object."""
        ...

    def put(self, sha256: str, pieces: Iterable[bytes]) -> None:
        """Store an object."""
        ...

    def delete_objects(self, *, except_of: Collection[bytes], check: Callable[[], None]) -> None:
        """Delete all objects but those with one of the hashes. ``check`` is called often and may raise."""
        ...


class Backup(Struct, frozen=True):
    """A complete backup."""

    storage: BackupStorage
    name: str
    listed: BackupList

    @property
    def place(self) -> str:
        return self.storage.place(self.name)

    def path_of(self, file: StoredFile) -> str:
        """Return the path of a file in the storage."""
        return f"{self.name}/{file.path}"

    def objects(self) -> Iterator[StoredObjectLine]:
        """Yield the objects in the order of their keys.

        Raises:
            BackupUnreadable: the list is damaged.
        """
        return lines_of(self.storage, self.name)


def file_of(sha256: str) -> str:
    """Return the path of an object in the storage."""
    return place_of(f"{rules.SHARED}/{sha256}")


def open_backup(storage: BackupStorage, name: str) -> Backup:
    """Return a complete backup.

    Raises:
        BackupUnreadable: its list is missing or damaged.
    """
    try:
        content = b"".join(storage.read(f"{name}/{rules.LIST}"))
        listed = msgspec.json.decode(content, type=BackupList)
    except (msgspec.MsgspecError, FileNotFoundError, UnicodeDecodeError):
        raise BackupUnreadable(storage.place(name)) from None
    # Another release may have made it. What it needs of that is checked when it is used.
    if listed.format <= rules.FORMAT and not rules.is_whole(listed):
        raise BackupUnreadable(storage.place(name))
    return Backup(storage, name, listed)


def names_of(storage: BackupStorage) -> list[str]:
    """Return the names of the complete backups, oldest first."""
    return rules.in_order(storage.complete_names())


def lines_of(storage: BackupStorage, name: str) -> Iterator[StoredObjectLine]:
    """Yield the lines of a backup's list of objects.

    Raises:
        BackupUnreadable: the list is damaged.
    """
    try:
        for line in _lines(storage.read(f"{name}/{rules.OBJECTS}")):
            yield rules.line_of(line.decode("ascii"))
    except (ValueError, FileNotFoundError):
        raise BackupUnreadable(storage.place(name)) from None


def prune(storage: BackupStorage, *, new: str, kept: int, check: Callable[[], None]) -> int:
    """Delete the oldest backups, and the objects that only they have; return how many backups were deleted.

    The one that is ``new`` is kept in any case. ``check`` is called often and may raise.

    Raises:
        BackupUnreadable: the list of a backup that is kept is damaged. Nothing was deleted.
    """
    present = storage.complete_names()
    surplus = rules.surplus(present, new=new, kept=kept)
    if not surplus:
        return 0
    # 32 bytes each, and as much again for the set: 100 MB for a million objects, once a day.
    lines = (line for name in present if name not in surplus for line in lines_of(storage, name))
    needed = {bytes.fromhex(line.sha256) for line in lines}
    for name in surplus:
        check()
        storage.delete(name)
    storage.delete_objects(except_of=needed, check=check)
    return len(surplus)


def created(moment: datetime) -> str:
    """Return a time as it is written in sentences."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *complete, rest = (rest + piece).split(b"\n")
        yield from complete
    if rest:
        yield rest
