"""Making a backup while the service runs."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playdock import __version__
from playdock.backups import rules
from playdock.backups.copying import Copying, Progress
from playdock.backups.errors import BackupUnreadable
from playdock.backups.opening import open_storage, require_apart
from playdock.backups.rules import BackupList, StoredFile
from playdock.backups.storage import BackupStorage, prune
from playdock.db import dumps
from playdock.db.database import Database
from playdock.db.deletion_lock import deletions_held
from playdock.db.errors import DeletionLockLost
from playdock.db.migrate import schema_of
from playdock.domain.libraries.queries import list_all
from playdock.domain.server_settings.queries import all_values
from playdock.kit.clock import Clock
from playdock.kit.storage_failures import retryable_storage_failure, system_error
from playdock.settings import Settings
from playdock.storage.blobs import Blobs

DATABASE = dict(zip((True, False), rules.DATABASES, strict=True))
KIND_NAMES = {True: "SQLite", False: "PostgreSQL"}
# Files of the data folder that are larger are no secrets.
_MAX_SECRET_BYTES = 1024**2
# What SQLite writes next to a database, and copies of it.
_DATABASE_MARKS = (".sqlite3", ".db")


class BackupSummary(Struct, frozen=True):
    """A backup that was made: where, how many objects it has, how many of these are new, and their bytes.

    ``pruned`` is how many old backups were deleted, and ``prune_fault`` why they could not be.
    """

    name: str
    place: str
    objects: int
    new_objects: int
    new_bytes: int
    pruned: int = 0
    prune_fault: str | None = None


class Backups(Struct, frozen=True):
    """Makes backups of the service."""

    db: Database
    clock: Clock
    settings: Settings
    blobs: Blobs

    def write(self, place: str, *, kept: int = 0, progress: Progress = lambda _share: None) -> BackupSummary:
        """Make a backup in a folder or at a URL, and then keep only the newest ones, or all if ``kept`` is 0.

        The objects are copied after the database, while nobody may delete any: so all that the dump names are there.

        Raises:
            InvalidBackupUrl: it is not a URL of S3.
            BackupFolderBusy, DeletionLockTaken: another backup is running.
            DeletionLockLost: objects may have been deleted, and the files of this backup too.
            BackupInLibrary, BackupAmongObjects: players could download it, or the service could delete it.
            DumpProgramUnsuitable, DumpFailed: PostgreSQL cannot be dumped.
            OSError, sqlite3.Error: a file cannot be read or written.
        """
        with self.db.read() as session:
            require_apart(self.settings, place, list_all(session))
        target = open_storage(self.settings, place)
        with deletions_held(self.db) as require_held, target.prepared():
            started = self.clock()
            name = rules.name_of(started, taken=target.complete_names())
            work = target.begin(name)
            dump = work / DATABASE[self.db.embedded]
            schema, stored = schema_of(self.db), self._stored_settings()
            dumps.dump(self.db, dump, check=lambda: progress(0.0))
            copied = Copying(self.blobs, target, progress).copy(work / rules.OBJECTS)
            secrets = self._copy_secrets(work)
            listed = BackupList(
                format=rules.FORMAT,
                release=__version__,
                schema=schema,
                database=KIND_NAMES[self.db.embedded],
                created=started,
                objects=copied.objects,
                object_bytes=copied.total_bytes,
                files=tuple(_stored_file(path, within=work) for path in (dump, *secrets, work / rules.OBJECTS)),
                settings=tuple(name for name in self.settings.changed if name.lower() not in stored),
            )
            _write(work / rules.LIST, msgspec.json.format(msgspec.json.encode(listed)))

            def check() -> None:
                progress(1.0)
                require_held()

            _complete(target, work, name, check)
            made = BackupSummary(name, target.place(name), copied.objects, len(copied.new_hashes), copied.new_bytes)
            return _pruned(target, made, kept=kept, check=check)

    def _stored_settings(self) -> Collection[str]:
        """Return the names of the settings in the database, which need not be set again after restoring it."""
        with self.db.read() as session:
            return all_values(session).keys()

    def _copy_secrets(self, work: Path) -> Iterator[Path]:
        """Copy the files that are directly in the data folder, such as the secret key, but not the database."""
        (work / rules.SECRETS).mkdir(mode=0o700)
        for file in sorted(self.settings.data_dir.iterdir()):
            if _is_secret(file):
                copy = work / rules.SECRETS / file.name
                _write(copy, file.read_bytes())
                yield copy


def _complete(target: BackupStorage, work: Path, name: str, check: Callable[[], None]) -> None:
    target.complete(work, name, check=check)
    try:
        check()
    except DeletionLockLost:
        # Another backup may have deleted files of this one before it was complete.
        target.delete(name)
        raise


def _pruned(target: BackupStorage, made: BackupSummary, *, kept: int, check: Callable[[], None]) -> BackupSummary:
    """Delete old backups. If that fails, the new one is complete nevertheless, and need not be made again."""
    try:
        return replace(made, pruned=prune(target, new=made.name, kept=kept, check=check))
    except (BackupUnreadable, DeletionLockLost) as error:
        return replace(made, prune_fault=error.message())
    except OSError as error:
        return replace(made, prune_fault=retryable_storage_failure(error) or system_error(error))


def _is_secret(file: Path) -> bool:
    of_database = any(mark in file.name for mark in _DATABASE_MARKS)
    return file.is_file() and not of_database and file.stat().st_size <= _MAX_SECRET_BYTES


def _stored_file(path: Path, *, within: Path) -> StoredFile:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return StoredFile(str(path.relative_to(within)), path.stat().st_size, sha256)


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
