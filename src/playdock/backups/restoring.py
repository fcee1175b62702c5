"""Checking a backup, and restoring it into an empty place.

A restore writes the secrets and the objects first and the database last, in one step. Until it is complete, the place
is marked, so that no service starts there and another restore of the same backup continues.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from datetime import timedelta
from heapq import nsmallest
from pathlib import Path

from msgspec import Struct
from sqlalchemy import inspect

from playdock.backups import marker, rules
from playdock.backups.copying import OtherContentError, hash_of, verified
from playdock.backups.errors import (
    BackupDamaged,
    BackupTooNew,
    DestinationNotEmpty,
    OtherDatabaseKind,
    RestoreInterrupted,
)
from playdock.backups.parallel import results
from playdock.backups.queries import referenced_keys
from playdock.backups.rules import StoredObjectLine
from playdock.backups.storage import Backup, BackupStorage, file_of
from playdock.backups.writing import KIND_NAMES
from playdock.db import dumps, restore_mark
from playdock.db.database import Database, prepare_folder
from playdock.db.migrate import migrate, require_utf8, revisions
from playdock.domain.libraries.queries import list_all
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of
from playdock.kit.clock import utc_now
from playdock.kit.secret_key import FILE_NAME
from playdock.kit.storage_failures import StorageFailure
from playdock.settings import Settings
from playdock.storage.blobs import Blobs, blocks

_MAX_NAMED = 5
_BLOCK = 1024**2
# What a file system or an administrator may have put into a place that is empty otherwise.
_IGNORED = (marker.NAME, "lost+found")


class RestoreSummary(Struct, frozen=True):
    """What was restored, and what remains to be done, one sentence each."""

    objects: int
    remaining: tuple[str, ...]


def check(backup: Backup, *, work: Path) -> int:
    """Read a whole backup, and return the number of its objects. Files in S3 are downloaded into the folder ``work``.

    Raises:
        BackupTooNew: this release cannot read it.
        BackupDamaged: files are missing or have other content.
        DumpDamaged: the database cannot be read.
        DumpProgramUnsuitable: pg_restore is missing.
    """
    _require_known(backup)
    _require_intact(backup)
    database = _intact_database(backup, into=work)
    _require_objects(backup)
    dumps.require_readable(database, embedded=backup.listed.database == KIND_NAMES[True])
    return backup.listed.objects


def _require_objects(backup: Backup) -> None:
    # Objects with the same content share a file.
    damaged: set[bytes] = set()
    for line, is_intact in results(lambda line: (line, _is_intact_object(backup, line)), backup.objects()):
        if not is_intact:
            damaged.add(bytes.fromhex(line.sha256))
    if damaged:
        named = [file_of(each.hex()) for each in nsmallest(_MAX_NAMED, damaged)]
        raise _damaged(backup, named, count=len(damaged))


def _is_intact_object(backup: Backup, line: StoredObjectLine) -> bool:
    return _has_hash(backup.storage, file_of(line.sha256), line.sha256)


class Restoring(Struct, frozen=True):
    """Restores backups into the place that the settings name."""

    db: Database
    settings: Settings
    blobs: Blobs

    def restore(self, backup: Backup) -> RestoreSummary:
        """Restore a backup, and upgrade the database to the schema of this release.

        Raises:
            BackupTooNew, OtherDatabaseKind: this release, or the configured database, cannot take it.
            DestinationNotEmpty: something is there that the restore would replace.
            EncodingUnsuitable: the database cannot store all text.
            RestoreInterrupted: another backup was being restored here.
            BackupDamaged: files are missing or have other content.
            DumpProgramUnsuitable, DumpFailed: PostgreSQL cannot be restored.
        """
        _require_known(backup)
        if backup.listed.database != KIND_NAMES[self.db.embedded]:
            raise OtherDatabaseKind(made_from=backup.listed.database)
        _require_intact(backup)
        interrupted = marker.restored_in_part(self.settings.data_dir, self.db)
        if interrupted is None:
            self._require_empty()
            marker.mark(self.settings.data_dir, self.db, backup.name)
        elif interrupted != backup.name:
            raise RestoreInterrupted(interrupted)
        self._restore_secrets(backup)
        restored = self._restore_objects(backup)
        prepare_folder(self.db)
        if self.db.embedded or not self._has_tables():
            self._restore_database(backup)
        migrate(self.db)
        marker.unmark(self.settings.data_dir, self.db)
        return RestoreSummary(restored, tuple(self._remaining(backup)))

    def _require_empty(self) -> None:
        folder = self.settings.data_dir
        if folder.exists() and any(each.name not in _IGNORED for each in folder.iterdir()):
            raise DestinationNotEmpty("DATA_DIR")
        if any(next(self.blobs.entries(kind), None) for kind in rules.KINDS):
            raise DestinationNotEmpty("OBJECTS_URL")
        if self.db.embedded:
            if Path(self.db.url.database or "").exists():
                raise DestinationNotEmpty("The database")
        elif self._has_tables():
            raise DestinationNotEmpty("The database")
        else:
            with self.db.engine.connect() as connection:
                require_utf8(connection)

    def _has_tables(self) -> bool:
        return bool(set(inspect(self.db.engine).get_table_names()) - {restore_mark.TABLE})

    def _restore_secrets(self, backup: Backup) -> None:
        for file in backup.listed.files:
            folder, _, name = file.path.rpartition("/")
            if folder == rules.SECRETS:
                content = b"".join(_verified(backup, backup.path_of(file), file.sha256))
                _write(self.settings.data_dir / Path(name).name, content)

    def _restore_objects(self, backup: Backup) -> int:
        present = {entry.key: entry.size for kind in rules.KINDS for entry in self.blobs.entries(kind)}

        def put(line: StoredObjectLine) -> None:
            if present.get(line.key) != line.size:
                self.blobs.put(line.key, _verified(backup, file_of(line.sha256), line.sha256))

        count = sum(1 for _ in results(put, backup.objects()))
        # Nothing else writes here: what is unfinished is of an interrupted restore.
        self.blobs.delete_unfinished(before=utc_now() + timedelta(days=1))
        return count

    def _restore_database(self, backup: Backup) -> None:
        work = self.settings.data_dir / rules.WORK
        try:
            dumps.load(_intact_database(backup, into=work), self.db, check=lambda: None)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _remaining(self, backup: Backup) -> Iterator[str]:
        missing = [name for name in backup.listed.settings if name not in self.settings.changed]
        if "SECRET_KEY" in missing and not (self.settings.data_dir / FILE_NAME).exists():
            yield (
                "SECRET_KEY was a setting, so the backup does not contain it: set the same one, or unused invitations "
                "are lost."
            )
        if others := [name for name in missing if name != "SECRET_KEY"]:
            yield f"These settings were set when the backup was made, and are not now: {', '.join(others)}."
        with self.db.read() as session:
            folders = [library for library in list_all(session) if library.backend != BackendKind.S3]
            bases = [(library.name, base_dir_of(library)) for library in folders]
            present = {line.key for line in backup.objects()}
            lost = sum(key not in present for key in referenced_keys(session))
        for name, base in bases:
            if not Path(base).is_dir():
                yield f"The folder of the library {name} does not exist here: {base}. Mount it there, or change it."
        if lost:
            yield f"{lost:,} images or records were missing already when the backup was made."


def _require_known(backup: Backup) -> None:
    if backup.listed.format > rules.FORMAT or backup.listed.schema not in revisions():
        raise BackupTooNew(backup.listed.release)


def _require_intact(backup: Backup) -> None:
    """Check the files of a backup, except for the database, which may have to be downloaded."""
    files = backup.listed.files[1:]
    paths = [(backup.path_of(file), file.sha256) for file in files]
    damaged = [path for path, sha256 in paths if not _has_hash(backup.storage, path, sha256)]
    if not damaged and sum(1 for _ in backup.objects()) != backup.listed.objects:
        damaged = [f"{backup.name}/{rules.OBJECTS}"]
    if damaged:
        raise _damaged(backup, damaged)


def _intact_database(backup: Backup, *, into: Path) -> Path:
    """Return the dump of the database on this machine, with the hash that it had."""
    file = backup.listed.files[0]
    try:
        path = backup.storage.local(backup.path_of(file), into=into)
        if _is_hash_of(blocks(path.open("rb"), _BLOCK), file.sha256):
            return path
    except FileNotFoundError:
        pass
    raise _damaged(backup, [backup.path_of(file)])


def _damaged(backup: Backup, files: list[str], *, count: int | None = None) -> BackupDamaged:
    """Return the error that names the first of the damaged files of the storage, which are ``count``."""
    named = [backup.storage.place(file) for file in files[:_MAX_NAMED]]
    return BackupDamaged(named, count=len(files) if count is None else count)


def _has_hash(storage: BackupStorage, file: str, sha256: str) -> bool:
    try:
        return _is_hash_of(storage.read(file), sha256)
    except StorageFailure:
        # The server cannot be used; that says nothing about the file.
        raise
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        # A disk that cannot read one file may have lost it.
        if error.errno != errno.EIO:
            raise
        return False


def _is_hash_of(pieces: Iterator[bytes], sha256: str) -> bool:
    return hash_of(pieces)[0] == sha256


def _verified(backup: Backup, file: str, sha256: str) -> Iterator[bytes]:
    """Yield the content of a file, and raise an error at the end if it is another one."""
    try:
        yield from verified(backup.storage.read(file), sha256)
    except (FileNotFoundError, OtherContentError):
        raise _damaged(backup, [file]) from None


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
