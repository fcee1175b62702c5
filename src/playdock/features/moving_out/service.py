"""Writing exports."""

import hashlib
import io
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

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
from playdock.kit.clock import Clock
from playdock.kit.storage_failures import system_error
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
            (folder / export_format.IMAGES).mkdir(mode=_FOLDER_MODE)
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
    """An export in a ZIP archive in memory, for what is small."""

    archive: zipfile.ZipFile

    def write(self, path: str, parts: Iterable[bytes]) -> None:
        self.archive.writestr(path, b"".join(parts))


class MovingOut(Struct, frozen=True):
    """Writes exports."""

    db: Database
    clock: Clock
    objects: Objects
    settings: Settings

    def own(self, actor: Actor) -> bytes:
        """Return the export of the caller, as a ZIP archive."""
        actor.require_session()
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
            self.person(ExportArchive(archive), actor.user.id)
        return written.getvalue()

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
            played = list(queries.play_records(session))
        for each in users:
            self._write_image(target, each.user.picture_id)
        return self._complete(
            target,
            Scope.SERVER,
            {
                ExportedUser: [schemas.user_record(each, with_credentials=True) for each in users],
                ExportedLibrary: map(schemas.library_record, libraries),
                ExportedGame: self._games(target, game_ids, progress),
                ExportedCollection: map(schemas.collection_record, collections),
                ExportedPlayRecord: map(schemas.play_record, played),
            },
            schemas.LEFT_OUT,
        )

    def person(self, target: Target, user_id: str) -> ExportInfo:
        """Write what belongs to a user; for the server's command line, and for `own`."""
        with self.db.read() as session:
            users = queries.users(session, only=user_id)
            collections, devices = queries.collections(session, only=user_id), queries.devices(session, user_id)
            played = list(queries.play_records(session, only=user_id))
            requests = queries.game_requests(session, user_id)
            preferences = queries.notification_preferences(session, user_id)
        for each in users:
            self._write_image(target, each.user.picture_id)
        return self._complete(
            target,
            Scope.PERSON,
            {
                ExportedUser: [schemas.user_record(each, with_credentials=False) for each in users],
                ExportedCollection: map(schemas.collection_record, collections),
                ExportedPlayRecord: map(schemas.play_record, played),
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
