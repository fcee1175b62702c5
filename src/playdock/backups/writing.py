"""Making a backup while the service runs."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from itertools import tee
from pathlib import Path
from typing import TextIO

import msgspec
from msgspec import Struct

from playdock import __version__
from playdock.backups import rules
from playdock.backups.errors import BackupInLibrary, BackupUnreadable
from playdock.backups.folder import BackupFolder, lines_of, open_backup, stored_file
from playdock.backups.rules import BackupList, StoredObjectLine
from playdock.db import dumps
from playdock.db.database import Database
from playdock.db.deletion_lock import deletions_held
from playdock.db.migrate import schema_of
from playdock.domain.libraries.queries import list_all
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of
from playdock.domain.server_settings.queries import all_values
from playdock.kit.clock import Clock
from playdock.settings import Settings
from playdock.storage.blobs import BlobEntry, Blobs, NoSuchBlob

DATABASE = {True: "database.sqlite3", False: "database.dump"}
KIND_NAMES = {True: "SQLite", False: "PostgreSQL"}
# Files of the data folder that are larger are no secrets.
_MAX_SECRET_BYTES = 1024**2
# What SQLite writes next to a database, and copies of it.
_DATABASE_MARKS = (".sqlite3", ".db")

# Is called often with the share of the work that is done, from 0 to 1, and may raise to end it.
Progress = Callable[[float], None]


class BackupSummary(Struct, frozen=True):
    """A backup that was made: where, how many objects it has, how many of these are new, and their bytes."""

    path: Path
    objects: int
    new_objects: int
    new_bytes: int
    pruned: int


class Backups(Struct, frozen=True):
    """Makes backups of the service."""

    db: Database
    clock: Clock
    settings: Settings
    blobs: Blobs

    def write(self, folder: Path, *, kept: int = 0, progress: Progress = lambda _share: None) -> BackupSummary:
        """Make a backup, and then keep only the newest ones, or all if ``kept`` is 0.

        The objects are copied after the database, while nobody may delete any: so all that the dump names are there.

        Raises:
            BackupFolderBusy, DeletionLockTaken: another backup is running.
            BackupInLibrary: players could download it.
            DumpProgramUnsuitable, DumpFailed: PostgreSQL cannot be dumped.
            OSError, sqlite3.Error: a file cannot be read or written.
        """
        self._require_apart(folder)
        target = BackupFolder(folder)
        with target.locked():
            names = target.names()
            started = self.clock()
            work = target.begin(rules.name_of(started, taken=names))
            dump = work / DATABASE[self.db.embedded]
            with deletions_held(self.db):
                schema, stored = schema_of(self.db), self._stored_settings()
                dumps.dump(self.db, dump, check=lambda: progress(0.0))
                copied = _Copying(self.blobs, target, progress).copy(work / rules.OBJECTS)
            secrets = self._copy_secrets(work)
            listed = BackupList(
                format=rules.FORMAT,
                release=__version__,
                schema=schema,
                database=KIND_NAMES[self.db.embedded],
                created=started,
                objects=copied.objects,
                object_bytes=copied.bytes,
                files=tuple(stored_file(path, within=work) for path in (dump, *secrets, work / rules.OBJECTS)),
                settings=tuple(name for name in self.settings.changed if name.lower() not in stored),
            )
            _write(work / rules.LIST, msgspec.json.format(msgspec.json.encode(listed)))
            path = target.complete(work)
            return BackupSummary(path, copied.objects, copied.new, copied.new_bytes, target.prune(kept=kept))

    def _stored_settings(self) -> Collection[str]:
        """Return the names of the settings in the database, which need not be set again after restoring it."""
        with self.db.read() as session:
            return all_values(session).keys()

    def _require_apart(self, folder: Path) -> None:
        with self.db.read() as session:
            libraries = list_all(session)
        place = folder.resolve()
        for library in libraries:
            base = Path(base_dir_of(library)).resolve()
            if library.backend != BackendKind.S3 and (place.is_relative_to(base) or base.is_relative_to(place)):
                raise BackupInLibrary(library.name)

    def _copy_secrets(self, work: Path) -> Iterator[Path]:
        """Copy the files that are directly in the data folder, such as the secret key, but not the database."""
        (work / rules.SECRETS).mkdir(mode=0o700)
        for file in sorted(self.settings.data_dir.iterdir()):
            if _is_secret(file):
                copy = work / rules.SECRETS / file.name
                _write(copy, file.read_bytes())
                yield copy


def _is_secret(file: Path) -> bool:
    of_database = any(mark in file.name for mark in _DATABASE_MARKS)
    return file.is_file() and not of_database and file.stat().st_size <= _MAX_SECRET_BYTES


class _Copying(Struct):
    """Copies the objects that the folder does not have yet, and writes the list of all."""

    blobs: Blobs
    target: BackupFolder
    progress: Progress
    objects: int = 0
    bytes: int = 0
    new: int = 0
    new_bytes: int = 0

    def copy(self, listing: Path) -> "_Copying":
        previous, since = self._previous()
        entries, again = tee(self._entries())
        with _new_text(listing) as file:
            for entry, known in zip(entries, rules.hashes_by_key(previous, (each.key for each in again)), strict=True):
                line = self._line_of(entry, known, since)
                if line is not None:
                    self.objects, self.bytes = self.objects + 1, self.bytes + line.size
                    file.write(f"{line}\n")
        return self

    def _previous(self) -> tuple[Iterator[StoredObjectLine], datetime | None]:
        """Return the objects of the newest backup that can be read, and when it was made."""
        for name in reversed(self.target.names()):
            path = self.target.root / name
            try:
                created = open_backup(self.target, path).listed.created
                for _line in lines_of(path):
                    pass
            except BackupUnreadable:
                continue
            return lines_of(path), created
        return iter(()), None

    def _entries(self) -> Iterator[BlobEntry]:
        for number, kind in enumerate(sorted(rules.KINDS)):
            for entry in self.blobs.entries(kind):
                # Names begin with two evenly distributed hexadecimal digits.
                share = int(entry.key.partition("/")[2][:2], 16) / 256
                self.progress((number + share) / len(rules.KINDS))
                yield entry

    def _line_of(
        self, entry: BlobEntry, known: StoredObjectLine | None, since: datetime | None
    ) -> StoredObjectLine | None:
        if known is not None and since is not None and known.size == entry.size:
            unchanged = not rules.may_have_changed(entry.modified, previous=since)
            if unchanged and self.target.has(known.sha256, known.size):
                return known
        return self._store(entry.key)

    def _store(self, key: str) -> StoredObjectLine | None:
        """Hash an object and copy it; None if somebody has deleted it by hand.

        An interrupted import may write an object again, with other content. Then it is read again.
        """
        while True:
            try:
                line = _line(key, self.blobs.open(key))
                if not self.target.has(line.sha256, line.size):
                    self.target.put(line.sha256, _same(self.blobs.open(key), line.sha256))
                    self.new, self.new_bytes = self.new + 1, self.new_bytes + line.size
            except NoSuchBlob:
                return None
            except _ContentChangedError:
                continue
            return line


class _ContentChangedError(Exception):
    """An object had other content when it was read again."""


def _line(key: str, pieces: Iterator[bytes]) -> StoredObjectLine:
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
    return StoredObjectLine(digest.hexdigest(), size, key)


def _same(pieces: Iterator[bytes], sha256: str) -> Iterator[bytes]:
    """Yield pieces, and raise an error if they do not have the expected hash."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        yield piece
    if digest.hexdigest() != sha256:
        raise _ContentChangedError


def _new_text(path: Path) -> TextIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w", encoding="ascii")


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
