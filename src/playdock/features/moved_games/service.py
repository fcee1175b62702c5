"""Finding the folders of lost games, and saying where a game lies now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.content.errors import UnusableVersion
from playdock.content.naming import words
from playdock.content.records import FileRecord
from playdock.db.database import Database
from playdock.features.game_import.errors import GameAlreadyImported, GameNotListed
from playdock.features.game_import.service import GameImports, Shelf
from playdock.features.games import queries as game_queries
from playdock.features.games.errors import GameUnknown
from playdock.features.installations.errors import LayerLost
from playdock.features.installations.service import Installations, Revision
from playdock.features.libraries import queries as library_queries
from playdock.features.libraries.errors import LibraryUnknown
from playdock.features.libraries.service import backend_of
from playdock.features.moved_games import rules
from playdock.features.moved_games.errors import ContentDiffers
from playdock.features.moved_games.schemas import MoveDraft
from playdock.features.reimport.service import draft_of
from playdock.features.version_import.service import explained
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import Clock
from playdock.models import Game, Library, Version
from playdock.storage.backends import LibraryBackend, NotListed, PlaceUnusable
from playdock.storage.comparing import compare, count_alike

_MOST_GAMES = 20
_MOST_FOLDERS = 50
_MOST_FILES = 100
_MOST_CANDIDATES = 5
_LEAST_SHARE = 0.5

Sample = Mapping[str, Sequence[FileRecord]]


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that a library lists and that is no game yet, and the words of its name."""

    library: Library
    path: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A folder and the share of a game's content that it seems to have, 0 to 1."""

    folder: Folder
    share: float


@dataclass(frozen=True, slots=True)
class Lost:
    """A game that is not where it was, and where it may be, the likeliest first."""

    game: Game
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class MovedGames:
    """Games whose folders were renamed or moved."""

    db: Database
    clock: Clock
    installations: Installations
    game_imports: GameImports
    wake: Callable[[], None]

    def lost(self, actor: Actor) -> list[Lost]:
        """List lost games for which there is a candidate.

        Bounded, so that it can be asked for: the twenty games and for each the fifty folders with the likeliest names,
        a hundred files of a version.
        """
        actor.require(Acl.IMPORT_GAME)
        shelves = self.game_imports.unimported(actor)
        folders = list(_folders(shelves))
        vocabulary = frozenset().union(*(folder.words for folder in folders))
        likely = nlargest(
            _MOST_GAMES,
            self._lost_games(shelves) if folders else (),
            key=lambda game: rules.occurring(frozenset(words(game.path)), vocabulary),
        )
        found = (Lost(game, self._candidates(game, folders)) for game in likely)
        return [lost for lost in found if lost.candidates]

    def move(self, actor: Actor, game_id: str, draft: MoveDraft) -> list[str]:
        """Say that a game lies elsewhere, and give the tasks that take over the times its files have there.

        Raises:
            GameUnknown, LibraryUnknown, GameNotListed, LibraryOffline, GameFolderUnreadable: there is no such game or
                place, or it cannot be read.
            GameAlreadyImported: it is a game's place already.
            ContentDiffers: it has other content.
            LayerLost: there is nothing to compare it with.
        """
        actor.require(Acl.GAME_UPDATE)
        actor.require(Acl.IMPORT_GAME)
        with self.db.read() as session:
            game = game_queries.find_game(session, game_id)
            library = library_queries.find(session, draft.library)
            versions = game_queries.versions_of(session, game_id)
            taken = game_queries.game_of_path(session, draft.library, draft.path)
        if game is None:
            raise GameUnknown
        if library is None:
            raise LibraryUnknown
        if taken:
            raise GameAlreadyImported
        differing = self._compared(library, draft.path, versions)
        with self.db.write() as session:
            tasks = [task for version in differing if (task := self._reimport(session, game, version))]
            _settle(session, game, draft)
        self.wake()
        return tasks

    def _lost_games(self, shelves: Sequence[Shelf]) -> list[Game]:
        """Give the games that their libraries do not list, though they can be read."""
        listed = {shelf.library.id: shelf.listed for shelf in shelves if shelf.unimported is not None}
        with self.db.read() as session:
            games = game_queries.games_by_name(session)
        return [game for game in games if game.path not in listed.get(game.library_id, {game.path})]

    def _candidates(self, game: Game, folders: Sequence[Folder]) -> list[Candidate]:
        sample, names = self._sample(game), [frozenset(words(name)) for name in (game.path, game.name)]
        likely = nlargest(
            _MOST_FOLDERS, folders, key=lambda folder: max(rules.shared(folder.words, name) for name in names)
        )
        found = (Candidate(folder, _share(folder, sample)) for folder in likely if sample)
        alike = [candidate for candidate in found if candidate.share >= _LEAST_SHARE]
        return sorted(alike, key=lambda each: each.share, reverse=True)[:_MOST_CANDIDATES]

    def _sample(self, game: Game) -> Sample:
        """Give some files of each version of a game, by the version's name."""
        with self.db.read() as session:
            versions = game_queries.versions_of(session, game.id)
        sample = {}
        for version in versions:
            try:
                files = self.installations.layer(Revision.of(version)).files
            except LayerLost:
                continue
            sample[version.name] = rules.spread(files, most=_MOST_FILES)
        return sample

    def _compared(self, library: Library, path: str, versions: Sequence[Version]) -> list[Version]:
        """Hold a folder to a game's versions, and give those whose files have other times there, or were damaged."""
        backend = backend_of(library)
        listed = _versions_in(backend, path)
        if absent := [version.name for version in versions if version.name not in listed]:
            raise ContentDiffers(f"The version {name} is not there." for name in absent)
        differing = []
        for version in versions:
            layer = self.installations.layer(Revision.of(version))
            with explained():
                found = compare(backend.open_listed(path, version.name), layer)
            if found.differences:
                raise ContentDiffers([f"In the version {version.name}:", *found.differences])
            if not found.same_times or version.damaged:
                differing.append(version)
        return differing

    def _reimport(self, session: Session, game: Game, version: Version) -> str | None:
        """Have a version imported again; an import of it that runs will notice by itself that the game was moved."""
        try:
            return enqueue(session, draft_of(game, version), at=self.clock())
        except TaskAlreadyRunning:
            return None


def _folders(shelves: Sequence[Shelf]) -> Iterator[Folder]:
    for shelf in shelves:
        for path in shelf.unimported or ():
            yield Folder(shelf.library, path, frozenset(words(path)))


def _share(folder: Folder, sample: Sample) -> float:
    backend = backend_of(folder.library)
    try:
        present = backend.versions_of_listed(folder.path)
        alike = sum(
            count_alike(backend.open_listed(folder.path, name), files)
            for name, files in sample.items()
            if name in present
        )
    except (PlaceUnusable, UnusableVersion, OSError):
        return 0.0
    return round(alike / (sum(map(len, sample.values())) or 1), 2)


def _versions_in(backend: LibraryBackend, path: str) -> list[str]:
    with explained():
        try:
            return backend.versions(path)
        except NotListed:
            raise GameNotListed from None


def _settle(session: Session, game: Game, draft: MoveDraft) -> None:
    """Write down where a game lies. What has the place first keeps it, be it a move or an import."""
    if not library_queries.hold(session, draft.library):
        raise LibraryUnknown
    if not game_queries.move_game(session, game.id, library_id=draft.library, path=draft.path):
        raise GameAlreadyImported if game_queries.game_of_path(session, draft.library, draft.path) else GameUnknown
