"""Adding, changing and removing libraries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import UNSET

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.db.turns import take_turn
from playdock.features.libraries import queries
from playdock.features.libraries.errors import LibraryInUse, LibraryUnknown
from playdock.features.libraries.schemas import BackendKind, FolderOptions, LibraryChanges, LibraryDraft
from playdock.kit.clock import Clock
from playdock.kit.errors import Fault, InvalidInput
from playdock.kit.secrets import new_id
from playdock.models import Library
from playdock.storage.backends import Filesystem, FlatFilesystem, LibraryBackend, PlaceUnusable

_BACKENDS: dict[BackendKind, Callable[[Path], LibraryBackend]] = {
    BackendKind.FILESYSTEM: Filesystem,
    BackendKind.FLAT_FILESYSTEM: FlatFilesystem,
}


def backend_of(library: Library) -> LibraryBackend:
    return _BACKENDS[BackendKind(library.backend)](Path(library.options["baseDir"]))


def fault_of(library: Library) -> str:
    """Say why a library's place cannot be read at this moment, and what to do; nothing if it can."""
    try:
        backend_of(library).check()
    except PlaceUnusable as reason:
        return str(reason)
    return ""


def is_working(library: Library) -> bool:
    return not fault_of(library)


@dataclass(frozen=True, slots=True)
class Libraries:
    """The libraries of the service."""

    db: Database
    clock: Clock

    def everything(self, actor: Actor) -> Sequence[Library]:
        actor.require(Acl.SOURCES_READ)
        with self.db.read() as session:
            return queries.everything(session)

    def add(self, actor: Actor, draft: LibraryDraft) -> Library:
        """Add a library.

        Raises:
            InvalidInput: its place cannot be read, and why.
        """
        actor.require(Acl.SOURCES_NEW)
        return self.establish(draft)

    def establish(self, draft: LibraryDraft) -> Library:
        """Add a library on behalf of whoever runs the server."""
        row = self._drafted(draft)
        _refuse_unusable(row)
        with self.db.write() as session:
            queries.add(session, row)
        return row

    def establish_first(self, base_dir: str) -> Library | None:
        """Add the library that the settings name, if there is none at all.

        Raises:
            PlaceUnusable: its place cannot be read, and why.
        """
        with self.db.read() as session:
            if queries.everything(session):
                return None
        options = FolderOptions(base_dir=str(Path(base_dir).absolute()))
        row = self._drafted(LibraryDraft(name="Library", backend=BackendKind.FILESYSTEM, options=options))
        backend_of(row).check()
        with self.db.write() as session:
            take_turn(session, "first library")
            if queries.everything(session):
                return None
            queries.add(session, row)
        return row

    def change(self, actor: Actor, changes: LibraryChanges) -> Library:
        """Rename or move a library.

        Raises:
            LibraryUnknown: there is none with this id.
            InvalidInput: the new place cannot be read, and why.
        """
        actor.require(Acl.SOURCES_UPDATE)
        with self.db.read() as session:
            row = queries.find(session, changes.id)
        if row is None:
            raise LibraryUnknown
        values: dict[str, Any] = {} if changes.name is UNSET else {"name": changes.name}
        if isinstance(changes.options, FolderOptions):
            values["options"] = row.options = _options(changes.options)
            _refuse_unusable(row)
        if not values:
            return row
        with self.db.write() as session:
            changed = queries.change(session, changes.id, values)
        if changed is None:
            raise LibraryUnknown
        return changed

    def remove(self, actor: Actor, library_id: str) -> None:
        """Remove a library that nothing was imported from.

        Raises:
            LibraryUnknown: there is none with this id.
            LibraryInUse: games have been imported from it.
        """
        actor.require(Acl.SOURCES_DELETE)
        with self.db.write() as session:
            if not queries.hold(session, library_id):
                raise LibraryUnknown
            if queries.has_games(session, library_id):
                raise LibraryInUse
            queries.remove(session, library_id)

    def _drafted(self, draft: LibraryDraft) -> Library:
        return Library(
            id=new_id(),
            name=draft.name,
            backend=draft.backend.value,
            options=_options(draft.options),
            created=self.clock(),
        )


def _options(options: FolderOptions) -> dict[str, str]:
    return {"baseDir": options.base_dir}


def _refuse_unusable(row: Library) -> None:
    try:
        backend_of(row).check()
    except PlaceUnusable as reason:
        raise InvalidInput([Fault("options.baseDir", str(reason))]) from None
