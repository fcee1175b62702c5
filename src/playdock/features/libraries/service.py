"""Adding, changing and removing libraries."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.locks import LockLevel, advisory_lock
from playdock.domain.libraries import queries
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import backend_of
from playdock.features.libraries.errors import LibraryInUse
from playdock.features.libraries.schemas import FolderOptions, LibraryChanges, LibraryCreate
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Library
from playdock.settings import Settings
from playdock.storage.backends import LocationUnusable
from playdock.stored import LibraryOptions


class Libraries(Struct, frozen=True):
    """Operations on libraries."""

    db: Database
    clock: Clock
    settings: Settings

    def list_all(self, actor: Actor) -> Sequence[Library]:
        actor.require(Permission.SOURCES_READ)
        with self.db.read() as session:
            return queries.list_all(session)

    def add(self, actor: Actor, data: LibraryCreate) -> Library:
        """Add a library.

        Raises:
            InvalidInput: its folder cannot be read or contains the service's data, with the reason.
        """
        actor.require(Permission.SOURCES_NEW)
        return self.establish(data)

    def establish(self, data: LibraryCreate) -> Library:
        """Add a library without an actor; for the server's command line only."""
        row = self._new_library(data)
        self._require_usable(row, data.options)
        with self.db.write() as session:
            queries.add(session, row)
        return row

    def establish_first(self, base_dir: str) -> Library | None:
        """Add the library specified in the settings if there are no libraries.

        Raises:
            LocationUnusable: its folder cannot be read, with the reason.
        """
        with self.db.read() as session:
            if queries.list_all(session):
                return None
        options = FolderOptions(base_dir=str(Path(base_dir).absolute()))
        row = self._new_library(LibraryCreate(name="Library", backend=BackendKind.FILESYSTEM, options=options))
        backend_of(row).check()
        with self.db.write() as session:
            advisory_lock(session, LockLevel.FIRST_LIBRARY)
            if queries.list_all(session):
                return None
            queries.add(session, row)
        return row

    def change(self, actor: Actor, changes: LibraryChanges) -> Library:
        """Change a library's name or folder.

        Raises:
            LibraryUnknown: no library has this id.
            InvalidInput: the new folder cannot be read or contains the service's data, with the reason.
        """
        actor.require(Permission.SOURCES_UPDATE)
        with self.db.read() as session:
            row = queries.find(session, changes.id)
        if row is None:
            raise LibraryUnknown
        values: dict[str, Any] = {} if changes.name is UNSET else {"name": changes.name}
        if isinstance(changes.options, FolderOptions):
            values["options"] = row.options = _options(changes.options)
            self._require_usable(row, changes.options)
        if not values:
            return row
        with self.db.write() as session:
            changed = queries.change(session, changes.id, values)
        if changed is None:
            raise LibraryUnknown
        return changed

    def remove(self, actor: Actor, library_id: str) -> None:
        """Remove a library without imported games.

        Raises:
            LibraryUnknown: no library has this id.
            LibraryInUse: games have been imported from it.
        """
        actor.require(Permission.SOURCES_DELETE)
        with self.db.write() as session:
            if not queries.lock(session, library_id):
                raise LibraryUnknown
            if queries.has_games(session, library_id):
                raise LibraryInUse
            queries.remove(session, library_id)

    def _require_usable(self, row: Library, options: FolderOptions) -> None:
        try:
            backend_of(row).check()
        except LocationUnusable as reason:
            raise InvalidInput([FieldError("options.baseDir", reason.message)]) from None
        # Otherwise a token for adding folders, importing and downloading could read the database.
        folder = Path(options.base_dir).resolve()
        if any(path.resolve().is_relative_to(folder) for path in self._own_paths()):
            raise InvalidInput([FieldError("options.baseDir", Message("folder-of-service"))])

    def _own_paths(self) -> Iterator[Path]:
        yield from (self.settings.data_dir, self.settings.objects_dir)
        if self.db.embedded and self.db.url.database:
            yield Path(self.db.url.database)

    def _new_library(self, data: LibraryCreate) -> Library:
        return Library(
            id=new_id(),
            name=data.name,
            backend=data.backend.value,
            options=_options(data.options),
            created=self.clock(),
        )


def _options(options: FolderOptions) -> dict[str, Any]:
    return stored.encode(LibraryOptions(base_dir=options.base_dir))
