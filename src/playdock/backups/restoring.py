"""Checking a backup, and restoring it into an empty place.

A restore writes the secrets and the objects first and the database last, in one step. Until it is complete, a file in
the data folder marks the place, so that no service starts there and another restore of the same backup continues.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from msgspec import Struct
from sqlalchemy import inspect

from playdock.backups import marker, rules
from playdock.backups.errors import (
    BackupDamaged,
    BackupTooNew,
    DestinationNotEmpty,
    OtherDatabaseKind,
    RestoreInterrupted,
)
from playdock.backups.folder import Backup, hash_of
from playdock.backups.queries import referenced_keys
from playdock.backups.writing import KIND_NAMES
from playdock.db import dumps
from playdock.db.database import Database, prepare_folder
from playdock.db.migrate import migrate, revisions
from playdock.domain.libraries.queries import list_all
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of
from playdock.kit.clock import utc_now
from playdock.kit.secret_key import FILE_NAME
from playdock.settings import Settings
from playdock.storage.blobs import Blobs

_MAX_NAMED = 5
_BLOCK = 1024**2
# What a file system or an administrator may have put into a place that is empty otherwise.
_IGNORED = (marker.NAME, "lost+found")


class RestoreSummary(Struct, frozen=True):
    """What was restored, and what remains to be done, one sentence each."""

    objects: int
    remaining: tuple[str, ...]


def check(backup: Backup) -> int:
    """Read a whole backup, and return the number of its objects.

    Raises:
        BackupTooNew: this release cannot read it.
        BackupDamaged: files are missing or have other content.
        DumpDamaged: the database cannot be read.
        DumpProgramUnsuitable: pg_restore is missing.
    """
    _require_known(backup)
    damaged: list[str] = []
    count = 0
    for file in backup.listed.files:
        if not _is_intact(backup.path / file.path, file.sha256):
            count, damaged = count + 1, [*damaged, file.path][:_MAX_NAMED]
    if not count:
        for line in backup.objects():
            if not _is_intact(backup.folder.path_of(line.sha256), line.sha256):
                count, damaged = count + 1, [*damaged, line.key][:_MAX_NAMED]
    if count:
        raise BackupDamaged(damaged, count=count)
    dumps.require_readable(backup.database, embedded=backup.listed.database == KIND_NAMES[True])
    return backup.listed.objects


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
            RestoreInterrupted: another backup was being restored here.
            BackupDamaged: files are missing or have other content.
            DumpProgramUnsuitable, DumpFailed: PostgreSQL cannot be restored.
        """
        _require_known(backup)
        if backup.listed.database != KIND_NAMES[self.db.embedded]:
            raise OtherDatabaseKind(made_from=backup.listed.database)
        interrupted = marker.restored_in_part(self.settings.data_dir)
        if interrupted is None:
            self._require_empty()
            marker.mark(self.settings.data_dir, backup.name)
        elif interrupted != backup.name:
            raise RestoreInterrupted(interrupted)
        self._restore_secrets(backup)
        restored = self._restore_objects(backup)
        prepare_folder(self.db)
        if self.db.embedded or not self._has_tables():
            _require_hash(backup.database, backup.listed.files[0].sha256, name=backup.listed.files[0].path)
            dumps.load(backup.database, self.db, check=lambda: None)
        migrate(self.db)
        marker.unmark(self.settings.data_dir)
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

    def _has_tables(self) -> bool:
        return bool(inspect(self.db.engine).get_table_names())

    def _restore_secrets(self, backup: Backup) -> None:
        hashes = {file.path: file.sha256 for file in backup.listed.files}
        for secret in backup.secrets:
            name = str(secret.relative_to(backup.path))
            _require_hash(secret, hashes[name], name=name)
            target = self.settings.data_dir / secret.name
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secret.read_bytes())
                os.fsync(descriptor)

    def _restore_objects(self, backup: Backup) -> int:
        present = {entry.key: entry.size for kind in rules.KINDS for entry in self.blobs.entries(kind)}
        count = 0
        for line in backup.objects():
            if present.get(line.key) != line.size:
                self.blobs.put(line.key, _verified(backup.folder.path_of(line.sha256), line.sha256, name=line.key))
            count += 1
        # Nothing else writes here: what is unfinished is of an interrupted restore.
        self.blobs.delete_unfinished(before=utc_now() + timedelta(days=1))
        return count

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


def _is_intact(path: Path, sha256: str) -> bool:
    try:
        return hash_of(path) == sha256
    except OSError:
        return False


def _require_hash(path: Path, sha256: str, *, name: str) -> None:
    if not _is_intact(path, sha256):
        raise BackupDamaged([name], count=1)


def _verified(path: Path, sha256: str, *, name: str) -> Iterator[bytes]:
    """Yield the content of a file whose hash has been checked."""
    _require_hash(path, sha256, name=name)
    with path.open("rb") as file:
        while piece := file.read(_BLOCK):
            yield piece
