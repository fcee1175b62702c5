"""Looking at what could be imported, and starting the import of a game."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.content.naming import version_key
from playdock.db.database import Database
from playdock.features.artwork import queries as artwork_queries
from playdock.features.artwork.queries import Shown
from playdock.features.game_import.errors import (
    GameAlreadyImported,
    GameNotListed,
    LibraryOffline,
    MetadataAlreadyUsed,
    ProvidersAway,
)
from playdock.features.game_import.schemas import GameImportDraft, MetadataChoice
from playdock.features.games import queries as game_queries
from playdock.features.libraries import queries as library_queries
from playdock.features.libraries.errors import LibraryUnknown
from playdock.features.libraries.service import backend_of
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.kit.clock import Clock
from playdock.kit.errors import Fault, InvalidInput
from playdock.kit.secrets import new_id
from playdock.metadata.providers import Match, Providers
from playdock.models import Game, Library
from playdock.storage.backends import PlaceUnusable

GROUP = "import:game"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A library as it is at this moment: what it lists, and what of that could be imported (None: it is not read)."""

    library: Library
    listed: frozenset[str]
    unimported: list[str] | None


@dataclass(frozen=True, slots=True)
class ImportedGame:
    """A game and the versions that could be imported, None when its folder cannot be read or is not listed."""

    game: Game
    shown: Shown
    has_versions: bool
    unimported_versions: list[str] | None


@dataclass(frozen=True, slots=True)
class Overview:
    """All libraries and games at one view."""

    shelves: list[Shelf]
    games: list[ImportedGame]


@dataclass(frozen=True, slots=True)
class GameImports:
    """The way from a library's folder to a game."""

    db: Database
    clock: Clock
    providers: Providers
    wake: Callable[[], None]

    def unimported(self, actor: Actor) -> list[Shelf]:
        """List what could be imported: one scan of each library, no look into any game."""
        actor.require(Acl.IMPORT_GAME)
        return self._shelves()

    def overview(self, actor: Actor) -> Overview:
        """List what could be imported and what has been.

        One scan of each library, and one of each imported game's folder: each game's status names its unimported
        versions (decisions 5). What the library does not list is not looked at.
        """
        actor.require(Acl.LIBRARY_READ)
        shelves = self._shelves()
        with self.db.read() as session:
            games = game_queries.games_by_name(session)
            names = game_queries.version_names(session)
            shown = artwork_queries.shown(session)
        of_library = {shelf.library.id: shelf for shelf in shelves}
        imported = [
            ImportedGame(
                game,
                shown.get(game.id, Shown()),
                has_versions=game.id in names,
                unimported_versions=_missing(game, names.get(game.id, set()), of_library.get(game.library_id)),
            )
            for game in games
        ]
        return Overview(shelves, imported)

    def search(self, actor: Actor, query: str) -> list[Match]:
        """Look for a game's metadata at all providers, the likeliest first.

        Raises:
            ProvidersAway: none of them answered.
        """
        actor.require(Acl.IMPORT_GAME)
        outcome = self.providers.search(query)
        if outcome.failed:
            raise ProvidersAway(outcome.faults.values())
        return outcome.matches

    def start(self, actor: Actor, draft: GameImportDraft) -> str:
        """Start an import and give the task's id.

        Raises:
            LibraryUnknown, LibraryOffline, GameNotListed: there is nothing to import.
            GameAlreadyImported, MetadataAlreadyUsed: it has been imported.
            TaskAlreadyRunning: it is being imported.
            InvalidInput: the metadata's provider is not set up.
        """
        actor.require(Acl.IMPORT_GAME)
        self._refuse_unknown_provider(draft.metadata)
        with self.db.read() as session:
            library = library_queries.find(session, draft.library)
        if library is None:
            raise LibraryUnknown
        if draft.path not in _games_in(library):
            raise GameNotListed
        with self.db.write() as session:
            task_id = enqueue(session, _task_draft(library, draft), at=self.clock())
            _refuse_imported(session, draft)
        self.wake()
        return task_id

    def _shelves(self) -> list[Shelf]:
        with self.db.read() as session:
            libraries = library_queries.everything(session)
            imported = {library.id: game_queries.imported_paths(session, library.id) for library in libraries}
        return [_shelf(library, imported[library.id]) for library in libraries]

    def _refuse_unknown_provider(self, metadata: MetadataChoice | None) -> None:
        if metadata is not None and self.providers.find(metadata.source_id) is None:
            known = ", ".join(self.providers.names)
            detail = f"The provider {metadata.source_id} is not set up here. Known: {known}."
            raise InvalidInput([Fault("metadata.sourceId", detail)])


def _shelf(library: Library, imported: set[str]) -> Shelf:
    try:
        games = backend_of(library).games()
    except PlaceUnusable:
        return Shelf(library, frozenset(), None)
    return Shelf(library, frozenset(games), [game for game in games if game not in imported])


def _missing(game: Game, known: set[str], shelf: Shelf | None) -> list[str] | None:
    """Give the versions that could be imported, None when the folder cannot be read or is not listed."""
    if shelf is None or game.path not in shelf.listed:
        return None
    try:
        versions = backend_of(shelf.library).versions_of_listed(game.path)
    except PlaceUnusable:
        return None
    return sorted((version for version in versions if version not in known), key=version_key)


def _games_in(library: Library) -> list[str]:
    try:
        return backend_of(library).games()
    except PlaceUnusable as reason:
        raise LibraryOffline(str(reason)) from None


def _refuse_imported(session: Session, draft: GameImportDraft) -> None:
    if game_queries.game_of_path(session, draft.library, draft.path):
        raise GameAlreadyImported
    metadata = draft.metadata
    if metadata and game_queries.game_of_metadata(session, metadata.source_id, metadata.id):
        raise MetadataAlreadyUsed


def _task_draft(library: Library, draft: GameImportDraft) -> TaskDraft:
    arguments: dict[str, Any] = {"game": new_id(), "library": library.id, "path": draft.path}
    if draft.metadata:
        chosen = draft.metadata
        arguments["metadata"] = {"id": chosen.id, "sourceId": chosen.source_id, "name": chosen.name}
    return TaskDraft(
        group=GROUP,
        name=f"Import {draft.path}",
        subject=f"game:{library.id}:{draft.path}",
        lane=Lane.LIGHT,
        acls=(Acl.IMPORT_GAME,),
        arguments=arguments,
    )
