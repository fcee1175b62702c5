"""Writing exports."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Protocol

import msgspec
from msgspec import Struct

from playdock import __version__
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.domain.game_metadata.queries import complete
from playdock.domain.objects.service import Objects
from playdock.features.accounts.queries import find_by_name
from playdock.features.moving_out import queries, schemas
from playdock.features.moving_out.errors import ExportFolderUnwritable, ExportFolderUsed
from playdock.features.moving_out.queries import SaveSlotRows
from playdock.kit.clock import Clock
from playdock.kit.storage_failures import system_error, writing
from playdock.metadata.game_metadata import Role
from playdock.other_servers import export_format
from playdock.other_servers.export_format import (
    Exported,
    ExportedCollection,
    ExportedDevice,
    ExportedFile,
    ExportedGame,
    ExportedLibrary,
    ExportedPlayRecord,
    ExportedPreferences,
    ExportedRequest,
    ExportedSaveSlot,
    ExportedUser,
    ExportInfo,
    NotExported,
    Scope,
)
from playdock.settings import Settings
from playdock.storage.blobs import NoSuchBlob

# Statements for this many games take some milliseconds, and stay below SQLite's limit of bound parameters.
_BATCH_GAMES = 200
# Only the person who exports may read the files: they have password hashes and email addresses.
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
# An archive up to this size is never written to a temporary file.
_SPOOLED_BYTES = 8 * 1024**2
_BLOCK_BYTES = 256 * 1024
Progress = Callable[[str, int, int], None]


class Target(Protocol):
    """Where an export is written to."""

    def write(self, path: str, parts: Iterable[bytes]) -> None:
        """Write a file."""


class ExportFolder(Struct, frozen=True):
    """An export in a new folder."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> "ExportFolder":
        """Make the folder.

        Raises:
            ExportFolderUsed: it is not empty.
            ExportFolderUnwritable: it cannot be made.
        """
        try:
            folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise ExportFolderUsed(str(folder))
            for name in (export_format.IMAGES, export_format.SAVES):
                (folder / name).mkdir(mode=_FOLDER_MODE)
        except OSError as error:
            raise ExportFolderUnwritable(str(folder), system_error(error)) from None
        return cls(folder)

    def write(self, path: str, parts: Iterable[bytes]) -> None:
        try:
            descriptor = os.open(self.folder / path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _FILE_MODE)
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(parts)
        except OSError as error:
            raise ExportFolderUnwritable(str(self.folder), system_error(error)) from None


class ExportArchive(Struct, frozen=True):
    """An export in a ZIP archive."""

    archive: zipfile.ZipFile
    written: datetime

    def write(self, path: str, parts: Iterable[bytes]) -> None:
        # Saves are archives themselves.
        info = zipfile.ZipInfo(path, self.written.timetuple()[:6])
        info.compress_type = zipfile.ZIP_STORED if path.startswith(export_format.SAVES) else zipfile.ZIP_DEFLATED
        with self.archive.open(info, "w", force_zip64=True) as file:
            for part in parts:
                file.write(part)


class MovingOut(Struct, frozen=True):
    """Writes exports."""

    db: Database
    clock: Clock
    objects: Objects
    settings: Settings

    def own(self, actor: Actor) -> Iterator[bytes]:
        """Return the export of the caller, as the pieces of a ZIP archive, which is complete."""
        actor.require_session()
        with ExitStack() as stack:
            # The folder of the system is often in memory.
            folder = str(self.settings.data_dir)
            written = stack.enter_context(tempfile.SpooledTemporaryFile(_SPOOLED_BYTES, dir=folder))
            with writing(), zipfile.ZipFile(written, "w") as archive:
                self.person(ExportArchive(archive, self.clock()), actor.user.id)
            return _pieces(written, stack.pop_all())

    def user_id(self, username: str) -> str | None:
        """Return the id of a user; for the server's command line only."""
        with self.db.read() as session:
            found = find_by_name(session, username)
        return found.id if found else None

    def server(self, target: Target, progress: Progress) -> ExportInfo:
        """Write everything; for the server's command line only."""
        with self.db.read() as session:
            users, libraries = queries.users(session), queries.libraries(session)
            collections, game_ids = queries.collections(session), queries.game_ids(session)
            played, slots = list(queries.play_records(session)), queries.save_slots(session)
        for each in users:
            self._write_image(target, each.user.picture_id)
        self._write_saves(target, slots)
        return self._complete(
            target,
            Scope.SERVER,
            {
                ExportedUser: [schemas.user_record(each, with_credentials=True) for each in users],
                ExportedLibrary: map(schemas.library_record, libraries),
                ExportedGame: self._games(target, game_ids, progress),
                ExportedCollection: map(schemas.collection_record, collections),
                ExportedPlayRecord: map(schemas.play_record, played),
                ExportedSaveSlot: map(schemas.save_slot_record, slots),
            },
            schemas.LEFT_OUT,
        )

    def person(self, target: Target, user_id: str) -> ExportInfo:
        """Write what belongs to a user; for the server's command line, and for `own`."""
        with self.db.read() as session:
            users = queries.users(session, only=user_id)
            collections, devices = queries.collections(session, only=user_id), queries.devices(session, user_id)
            played = list(queries.play_records(session, only=user_id))
            slots = queries.save_slots(session, only=user_id)
            requests = queries.game_requests(session, user_id)
            preferences = queries.notification_preferences(session, user_id)
        for each in users:
            self._write_image(target, each.user.picture_id)
        self._write_saves(target, slots)
        return self._complete(
            target,
            Scope.PERSON,
            {
                ExportedUser: [schemas.user_record(each, with_credentials=False) for each in users],
                ExportedCollection: map(schemas.collection_record, collections),
                ExportedPlayRecord: map(schemas.play_record, played),
                ExportedSaveSlot: map(schemas.save_slot_record, slots),
                ExportedDevice: map(schemas.device_record, devices),
                ExportedRequest: [
                    schemas.request_record(each, user_id=user_id, voted=voted) for each, voted in requests
                ],
                ExportedPreferences: [schemas.preferences_record(preferences)],
            },
            schemas.LEFT_OUT_OF_A_PERSONS,
        )

    def _games(self, target: Target, game_ids: Sequence[str], progress: Progress) -> Iterator[Exported]:
        """Yield games, and write their images; those that are deleted in between are left out."""
        for start in range(0, len(game_ids), _BATCH_GAMES):
            ids = game_ids[start : start + _BATCH_GAMES]
            with self.db.read() as session:
                found = complete(session, ids, roles=tuple(Role))
            for rows in (found[each] for each in ids if each in found):
                for picture_id in {picture.id for picture in rows.pictures}:
                    self._write_image(target, picture_id)
                yield schemas.game_record(rows)
            progress("games", start + len(ids), len(game_ids))

    def _write_saves(self, target: Target, slots: Iterable[SaveSlotRows]) -> None:
        for each in (save for rows in slots for save in rows.saves):
            with suppress(NoSuchBlob):
                target.write(schemas.save_path(each.id), self.objects.open(each.id))

    def _write_image(self, target: Target, object_id: str) -> None:
        # What is deleted in between has no file, and is reported when the export is imported.
        with suppress(NoSuchBlob):
            target.write(schemas.image_path(object_id), [self.objects.fetch(object_id)])

    def _complete(
        self,
        target: Target,
        scope: Scope,
        records: dict[type[Exported], Iterable[Exported]],
        left_out: Sequence[NotExported],
    ) -> ExportInfo:
        """Write the files, and last the one that says what they are."""
        files = {}
        for kind, each in records.items():
            name = export_format.file_of(kind)
            summing = _Summing(each)
            target.write(name, summing)
            files[name] = ExportedFile(records=summing.count, sha256=summing.digest.hexdigest())
        info = ExportInfo(
            format=export_format.NAME,
            version=export_format.VERSION,
            release=__version__,
            scope=scope,
            server=self.settings.external_url,
            created=self.clock(),
            files=files,
            left_out=tuple(left_out),
        )
        target.write(export_format.INFO, [msgspec.json.format(msgspec.json.encode(info))])
        return info


def _pieces(file: IO[bytes], opened: ExitStack) -> Iterator[bytes]:
    """Yield what was written to a file, and close it."""
    with opened:
        file.seek(0)
        while piece := file.read(_BLOCK_BYTES):
            yield piece


class _Summing:
    """Records as lines, counted and hashed on the way."""

    def __init__(self, records: Iterable[Exported]) -> None:
        self._records = records
        self.count, self.digest = 0, hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for record in self._records:
            line = export_format.encode_line(record)
            self.count += 1
            self.digest.update(line)
            yield line
