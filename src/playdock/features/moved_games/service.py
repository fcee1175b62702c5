"""Finding the folders of lost games, and assigning games to folders."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import nlargest

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content import likeness
from playdock.content.errors import UnusableVersion
from playdock.content.layouts import DEFAULT_VERSION
from playdock.content.naming import words
from playdock.content.records import FileRecord
from playdock.db.database import Database
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_folders.queries import GameFolder
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown
from playdock.domain.installations.errors import LayerMissing
from playdock.domain.installations.service import Installations, VersionRevision
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.game_import.errors import GameAlreadyImported, GameNotListed
from playdock.features.game_import.service import GameImports, LibraryListing
from playdock.features.moved_games import rules
from playdock.features.moved_games.errors import ContentDiffers
from playdock.features.moved_games.schemas import MoveRequest
from playdock.features.version_import.rules import label_of
from playdock.features.version_import.service import new_reimport
from playdock.features.version_import.storage_errors import storage_errors_translated
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.models import Game, Library, Version
from playdock.storage.backends import LibraryBackend, NotListed
from playdock.storage.comparing import compare, count_alike
from playdock.storage.library_policy import LocationUnusable
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning

# Together these bound the work of one request: at most 20 times 50 folders are opened, and a sample of the files of
# each version is compared by name and size.
_MAX_GAMES = 20
_MAX_LISTED = 200
_MAX_FOLDERS = 50

Sample = Mapping[str, Sequence[FileRecord]]


class ListedFolder(Struct, frozen=True):
    """An unimported folder of a library, with the words of its name."""

    library: Library
    path: str
    words: frozenset[str]


class MoveCandidate(Struct, frozen=True):
    """A folder, and the share of a game's sampled files found in it, 0 to 1."""

    folder: ListedFolder
    share: float


class LostGameFolder(Struct, frozen=True):
    """A lost game, the folders that may contain it, most likely first, and one with a folder of its name in it."""

    game: Game
    candidates: Sequence[MoveCandidate]
    inside: ListedFolder | None = None


class MovedGames(Struct, frozen=True):
    """Operations on games whose folders were renamed or moved."""

    db: Database
    clock: Clock
    installations: Installations
    game_imports: GameImports
    backends: LibraryBackends
    notify_runner: Callable[[], None]

    def lost(self, actor: Actor) -> list[LostGameFolder]:
        """Return lost games, those first for which there are candidates.

        The work is bounded: candidates are sought for the 20 games and, for each, among the 50 folders with the most
        similar names; 100 files of each version are compared. For games without candidates, 200 folders are listed. At
        most 200 games are returned.
        """
        actor.require(Permission.IMPORT_GAME)
        listings = self.game_imports.unimported(actor)
        folders = list(_folders(listings))
        vocabulary = frozenset().union(*(folder.words for folder in folders))
        games = self._lost_games(listings, vocabulary)
        sought = rules.without_taken([self._candidates(game, folders) for game in games[:_MAX_GAMES]])
        found = [LostGameFolder(game, candidates) for game, candidates in zip(games, sought, strict=False)]
        found += [LostGameFolder(game, ()) for game in games[_MAX_GAMES:]]
        # A disk that is away often leaves an empty folder behind.
        empty = {each.library.id for each in listings if not each.listed}
        found = [lost for lost in found if lost.game.library_id not in empty or _is_found(lost)]
        if not all(map(_is_found, found)):
            inside = self._folders_inside(folders)
            found = [lost if _is_found(lost) else replace(lost, inside=inside.get(lost.game.path)) for lost in found]
        return sorted(found, key=lambda lost: not lost.candidates)

    def move(self, actor: Actor, game_id: str, data: MoveRequest) -> list[str]:
        """Assign a game to another folder, and return the ids of tasks that re-import versions with other file times.

        Raises:
            GameUnknown, LibraryUnknown, GameNotListed, LibraryUnavailable, GameFolderUnreadable: the game or the folder
                does not exist, or cannot be read.
            GameAlreadyImported: the folder belongs to a game.
            ContentDiffers: the folder has other content.
            LayerMissing: the records to compare with are missing.
        """
        actor.require(Permission.GAME_UPDATE)
        actor.require(Permission.IMPORT_GAME)
        with self.db.read() as session:
            game = game_queries.find_game(session, game_id)
            library = library_queries.find(session, data.library)
            versions = game_queries.versions_of(session, game_id)
            owner = folder_queries.owner_of_path(session, data.library, data.path)
        if game is None:
            raise GameUnknown
        if library is None:
            raise LibraryUnknown
        if owner:
            raise GameAlreadyImported
        _require_none_left(versions, game, data)
        differing = self._compare(library, data.path, [version for version in versions if not version.beside])
        layout = self.backends.layout_of(self.db, data.library, data.path)
        with self.db.write() as session:
            tasks = [task for version in differing if (task := self._reimport(session, game, version))]
            _save_folder(session, game, data, layout=layout)
        self.notify_runner()
        return tasks

    def _lost_games(self, listings: Sequence[LibraryListing], vocabulary: frozenset[str]) -> list[Game]:
        """Return lost games, those first whose names share most words with a vocabulary."""
        with self.db.read() as session:
            without = folder_queries.games_without_own_versions(session)
            folders = [each for each in folder_queries.game_folders(session) if each.game_id not in without]
        empty = {each.library.id for each in listings if not each.listed}
        likely = nlargest(
            _MAX_LISTED,
            _lost(folders, listings),
            key=lambda folder: (
                folder.library_id not in empty,
                rules.occurring(frozenset(words(folder.path)), vocabulary),
            ),
        )
        with self.db.read() as session:
            games = game_queries.games_of_ids(session, [folder.game_id for folder in likely])
        return [games[folder.game_id] for folder in likely if folder.game_id in games]

    def _candidates(self, game: Game, folders: Sequence[ListedFolder]) -> list[MoveCandidate]:
        sample, names = self._sample(game), [frozenset(words(name)) for name in (game.path, game.name)]
        likely = nlargest(
            _MAX_FOLDERS, folders, key=lambda folder: max(likeness.shared_words(folder.words, name) for name in names)
        )
        found = (
            MoveCandidate(folder, _share(self.backends.of(folder.library), folder.path, sample))
            for folder in likely
            if sample
        )
        return likeness.best(found)

    def _folders_inside(self, folders: Sequence[ListedFolder]) -> dict[str, ListedFolder]:
        """Return what is in unimported folders by its name: games that were moved there look like versions."""
        inside: dict[str, ListedFolder] = {}
        for folder in folders[:_MAX_LISTED]:
            with suppress(LocationUnusable):
                for name in self._content_of(folder):
                    inside.setdefault(name, folder)
        return inside

    def _content_of(self, folder: ListedFolder) -> Sequence[str]:
        """Return the folders and archives in a folder, also if its library takes it for one version."""
        layout = None if folder.library.backend == BackendKind.S3 else BackendKind.FILESYSTEM
        return self.backends.with_layout(folder.library, layout).versions_of_listed(folder.path)

    def _sample(self, game: Game) -> Sample:
        """Return some files of each version of a game, by the version's name."""
        with self.db.read() as session:
            versions = game_queries.versions_of(session, game.id)
        sample = {}
        for version in versions:
            if version.beside:
                continue
            try:
                files = self.installations.layer(VersionRevision.of(version)).files
            except LayerMissing:
                continue
            sample[version.name] = likeness.sample(files)
        return sample

    def _compare(self, library: Library, path: str, versions: Sequence[Version]) -> list[Version]:
        """Compare a folder with a game's versions; return those with other file times, or that were damaged."""
        backend = self.backends.of(library)
        listed = _versions_in(backend, path)
        if absent := [version.name for version in versions if version.name not in listed]:
            raise ContentDiffers(Message("version-missing", version=name) for name in absent)
        differing = []
        for version in versions:
            layer = self.installations.layer(VersionRevision.of(version))
            with storage_errors_translated(backend):
                found = compare(backend.open_listed(path, version.name), layer)
            if found.differences:
                raise ContentDiffers([Message("in-version", version=version.name), *found.differences])
            if not found.same_times or version.damaged:
                differing.append(version)
        return differing

    def _reimport(self, session: Session, game: Game, version: Version) -> str | None:
        """Start re-importing a version; a running import of it detects the move itself."""
        try:
            return enqueue(session, new_reimport(game, version), at=self.clock())
        except TaskAlreadyRunning:
            return None


def _is_found(lost: LostGameFolder) -> bool:
    return any(each.share >= rules.SAME_SHARE for each in lost.candidates)


def _lost(folders: Sequence[GameFolder], listings: Sequence[LibraryListing]) -> Iterator[GameFolder]:
    """Return the folders that are not listed by their libraries, if these can be read."""
    listed = {listing.library.id: listing.listed for listing in listings if listing.unimported is not None}
    return (folder for folder in folders if folder.path not in listed.get(folder.library_id, {folder.path}))


def _folders(listings: Sequence[LibraryListing]) -> Iterator[ListedFolder]:
    for listing in listings:
        for path in listing.unimported or ():
            yield ListedFolder(listing.library, path, frozenset(words(path)))


def _share(backend: LibraryBackend, path: str, sample: Sample) -> float:
    try:
        listed = backend.versions_of_listed(path)
        matching = sum(
            count_alike(backend.open_listed(path, name), files) for name, files in sample.items() if name in listed
        )
    except (LocationUnusable, UnusableVersion, OSError):
        return 0.0
    return round(matching / (sum(map(len, sample.values())) or 1), 2)


def _versions_in(backend: LibraryBackend, path: str) -> list[str]:
    with storage_errors_translated(backend):
        try:
            return backend.versions(path)
        except NotListed:
            raise GameNotListed from None


def _require_none_left(versions: Sequence[Version], game: Game, data: MoveRequest) -> None:
    """Raise ContentDiffers if a version is beside the folder of a game that is assigned to another library."""
    beside = [version.name for version in versions if version.beside]
    if beside and data.library != game.library_id:
        raise ContentDiffers(Message("version-left-behind", version=name) for name in beside)


def _save_folder(session: Session, game: Game, data: MoveRequest, *, layout: str | None) -> None:
    """Save a game's folder. If it was assigned to another game in the meantime, raise an error."""
    if not all(library_queries.lock(session, each) for each in sorted({game.library_id, data.library})):
        raise LibraryUnknown
    _require_none_left(game_queries.versions_of(session, game.id), game, data)
    if folder_queries.owner_of_path(session, data.library, data.path):
        raise GameAlreadyImported
    own = game_queries.version_of_name(session, game.id, DEFAULT_VERSION)
    # The folder names the only version in it.
    if own and (label := label_of(data.path, DEFAULT_VERSION, {})):
        game_queries.change_version(session, own, {"label": label})
    if not game_queries.move_game(session, game.id, library_id=data.library, path=data.path, layout=layout):
        raise GameAlreadyImported if folder_queries.game_of_path(session, data.library, data.path) else GameUnknown
