"""Looking at what could be imported, and starting the import of a game."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.naming import version_key
from playdock.content.unimportable import reason_against
from playdock.db.database import Database
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.artwork.queries import CardImages
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.domain.libraries.rules import not_ignored
from playdock.domain.libraries.service import LibraryBackends, rules_of
from playdock.features.game_import.errors import (
    GameAlreadyImported,
    GameNotListed,
    LibraryUnavailable,
    MetadataAlreadyUsed,
    ProvidersUnavailable,
)
from playdock.features.game_import.schemas import GameImportRequest, MetadataChoice
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.metadata.providers import Match, Providers
from playdock.models import Game, Library
from playdock.storage.backends import is_empty_folder
from playdock.storage.library_policy import LocationUnusable
from playdock.stored import ImportGameArguments, MetadataReference, game_subject, version_subject
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue

TASK_TYPE = "import:game"
# Some megabytes with their descriptions; all games of a large store take hundreds.
_BATCH_GAMES = 200


class LibraryListing(Struct, frozen=True):
    """A library as it is at this moment: what it lists, and what of that could be imported (None: it is not read).

    ``changing`` are versions that may still be copied.
    """

    library: Library
    listed: frozenset[str]
    unimported: list[str] | None
    changing: AbstractSet[Place]


class ImportedGame(Struct, frozen=True):
    """A game and the versions that could be imported, None when its folder cannot be read or is not listed."""

    game: Game
    shown: CardImages
    has_versions: bool
    # Without those that are being imported.
    unimported_versions: list[str] | None


class GamesOverview(Struct, frozen=True):
    """All libraries, and their games, which are read in batches while they are iterated."""

    listings: list[LibraryListing]
    games: Iterator[ImportedGame]


class LibraryCounts(Struct, frozen=True):
    """How many games of a library are imported, and how many could be, None when its folder cannot be read."""

    library: Library
    games: int
    unimported: int | None


class LooseFile(Struct, frozen=True):
    """A file or folder of a library that looks like a game, and why it cannot be imported."""

    library: Library
    name: str
    reason: Message


class GameImports(Struct, frozen=True):
    """Importing the folders of libraries as games."""

    db: Database
    clock: Clock
    providers: Providers
    backends: LibraryBackends
    notify_runner: Callable[[], None]

    def unimported(self, actor: Actor) -> list[LibraryListing]:
        """List what could be imported: one scan of each library, no look into any game."""
        actor.require(Permission.IMPORT_GAME)
        return self._listings()

    def loose_files(self, actor: Actor) -> list[LooseFile]:
        """List the files beside the folders of games that cannot be imported: one scan of each library."""
        actor.require(Permission.IMPORT_GAME)
        with self.db.read() as session:
            libraries = library_queries.list_all(session)
        return [found for library in libraries for found in self._loose_files(library)]

    def overview(self, actor: Actor) -> GamesOverview:
        """List what could be imported and what has been.

        One scan of each library, and one of each imported game's folder: each game's status names its unimported
        versions. Folders that the library does not list are not read.
        """
        actor.require(Permission.LIBRARY_READ)
        listings = self._listings()
        return GamesOverview(listings, self._imported(listings))

    def imported(self) -> Iterator[ImportedGame]:
        """Yield the imported games with their unimported versions; for tasks only."""
        return self._imported(self._listings())

    def counts(self, actor: Actor) -> list[LibraryCounts]:
        """Count what could be imported and what has been: one scan of each library, no look into any game."""
        actor.require(Permission.LIBRARY_READ)
        with self.db.read() as session:
            games = game_queries.count_games(session)
        return [
            LibraryCounts(
                listing.library,
                games.get(listing.library.id, 0),
                None if listing.unimported is None else len(listing.unimported),
            )
            for listing in self._listings()
        ]

    def search(self, actor: Actor, query: str) -> list[Match]:
        """Look for a game's metadata at all providers, the likeliest first.

        Raises:
            ProvidersUnavailable: none of them answered.
        """
        actor.require(Permission.IMPORT_GAME)
        outcome = self.providers.search(query)
        if outcome.failed:
            raise ProvidersUnavailable(outcome.errors.values())
        return outcome.matches

    def start(self, actor: Actor, data: GameImportRequest) -> str:
        """Start an import and return the task's id.

        Raises:
            LibraryUnknown, LibraryUnavailable, GameNotListed: there is nothing to import.
            GameAlreadyImported, MetadataAlreadyUsed: it has been imported.
            TaskAlreadyRunning: it is being imported.
            InvalidInput: the metadata's provider is not set up.
        """
        actor.require(Permission.IMPORT_GAME)
        self._refuse_unknown_provider(data.metadata)
        with self.db.read() as session:
            library = library_queries.find(session, data.library)
        if library is None:
            raise LibraryUnknown
        if data.path not in self._games_in(library):
            raise GameNotListed
        with self.db.write() as session:
            task_id = enqueue(session, _new_task(library, data), at=self.clock())
            _refuse_imported(session, data)
        self.notify_runner()
        return task_id

    def _imported(self, listings: Sequence[LibraryListing]) -> Iterator[ImportedGame]:
        """Yield all games. No transaction is open while one is yielded."""
        of_library = {listing.library.id: listing for listing in listings}
        last: Game | None = None
        while True:
            with self.db.read() as session:
                games = game_queries.games_by_name(session, after=last, limit=_BATCH_GAMES)
                ids = [game.id for game in games]
                busy = task_queries.active_subjects(session)
                names = game_queries.version_names(session, ids)
                shown = artwork_queries.shown(session, ids)
                without_folder = folder_queries.games_without_own_versions(session, ids)
            if not games:
                return
            for game in games:
                known = names.get(game.id, set())
                missing = self._missing(game, known, of_library.get(game.library_id))
                if missing is None and game.id in without_folder:
                    missing = []
                free = missing and [each for each in missing if version_subject(game.id, each) not in busy]
                yield ImportedGame(
                    game,
                    shown.get(game.id, CardImages()),
                    has_versions=game.id in names,
                    unimported_versions=free,
                )
            last = games[-1]

    def _listings(self) -> list[LibraryListing]:
        with self.db.read() as session:
            libraries = library_queries.list_all(session)
            imported = {library.id: folder_queries.imported_paths(session, library.id) for library in libraries}
            others = {library.id: folder_queries.paths_of_other_layouts(session, library) for library in libraries}
            now = self.clock()
            changing = {library.id: found_queries.changing(session, library.id, at=now) for library in libraries}
        return [
            self._listing(library, imported[library.id], others[library.id], changing[library.id])
            for library in libraries
        ]

    def _listing(self, library: Library, imported: set[str], others: set[str], changing: set[Place]) -> LibraryListing:
        try:
            games = self.backends.of(library).games()
            kept = self.backends.present(library, others.difference(games))
            unimported = self.backends.offered(library, [game for game in games if game not in imported])
        except LocationUnusable:
            return LibraryListing(library, frozenset(), None, changing)
        return LibraryListing(library, frozenset(games) | kept, unimported, changing)

    def _loose_files(self, library: Library) -> Iterator[LooseFile]:
        with suppress(LocationUnusable):
            for name in self.backends.of(library).loose_names():
                if reason := reason_against(name):
                    readable = name.encode(errors="surrogateescape").decode(errors="replace")
                    yield LooseFile(library, readable, reason)

    def _missing(self, game: Game, known: set[str], listing: LibraryListing | None) -> list[str] | None:
        """Return the versions with files that could be imported, None if the folder cannot be read or is not listed."""
        if listing is None or game.path not in listing.listed:
            return None
        try:
            backend = self.backends.of_game(game, listing.library)
            versions = backend.versions_of_listed(game.path)
        except LocationUnusable:
            return None
        left_out = known | {place.version for place in listing.changing if place.path == game.path}
        offered = not_ignored(set(versions) - left_out, rules_of(listing.library), game=game.path)
        return sorted((each for each in offered if not is_empty_folder(backend, game.path, each)), key=version_key)

    def _games_in(self, library: Library) -> list[str]:
        try:
            return self.backends.of(library).games()
        except LocationUnusable as reason:
            raise LibraryUnavailable(reason.message) from None

    def _refuse_unknown_provider(self, metadata: MetadataChoice | None) -> None:
        if metadata is not None and self.providers.find(metadata.source_id) is None:
            known = ", ".join(self.providers.names)
            error = Message("provider-not-set-up", provider=metadata.source_id, known=known)
            raise InvalidInput([FieldError("metadata.sourceId", error)])


def _refuse_imported(session: Session, data: GameImportRequest) -> None:
    if folder_queries.owner_of_path(session, data.library, data.path):
        raise GameAlreadyImported
    metadata = data.metadata
    if metadata and game_queries.game_of_metadata(session, metadata.source_id, metadata.id):
        raise MetadataAlreadyUsed


def _new_task(library: Library, data: GameImportRequest) -> NewTask:
    chosen = data.metadata
    metadata = MetadataReference(id=chosen.id, source_id=chosen.source_id, name=chosen.name) if chosen else None
    return NewTask(
        task_type=TASK_TYPE,
        name=Message("import-game", game=data.path),
        subject=game_subject(library.id, data.path),
        queue=Queue.DEFAULT,
        acls=(Permission.IMPORT_GAME,),
        arguments=ImportGameArguments(game=new_id(), library=library.id, path=data.path, metadata=metadata),
    )
