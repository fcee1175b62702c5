"""Finding where lost versions are now, and assigning them to these places."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content import likeness
from playdock.content.errors import UnusableVersion
from playdock.content.records import FileRecord
from playdock.db.database import Database
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.domain.installations.errors import LayerMissing
from playdock.domain.installations.service import Installations, VersionRevision
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.rules import not_ignored
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import LibraryBackends, rules_of
from playdock.domain.library_files import queries as file_queries
from playdock.features.damage import queries as damage_queries
from playdock.features.damage.queries import VersionOnDisk
from playdock.features.editing.service import reject_running_imports
from playdock.features.game_import.service import GameImports, LibraryListing
from playdock.features.lost_versions import rules
from playdock.features.lost_versions.errors import OtherVersion, VersionNotMissing
from playdock.features.lost_versions.schemas import VersionMoveRequest
from playdock.features.version_import.errors import VersionAlreadyImported, VersionNotListed
from playdock.features.version_import.rules import NameOnDisk, label_of
from playdock.features.version_import.service import new_reimport, require_unchanged
from playdock.features.version_import.storage_errors import storage_errors_translated
from playdock.kit.clock import Clock
from playdock.models import Game, Version
from playdock.storage.backends import NotListed
from playdock.storage.comparing import additions, compare, count_alike
from playdock.storage.library_policy import LocationUnusable
from playdock.stored import version_subject
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning

# Together these bound the work of one request: the folders of 200 games are listed, candidates are sought for 20
# versions and, for each, among 50 folders and archives, in which a sample of files is compared by name and size.
_MAX_MISSING = 2000
_MAX_LISTED = 200
_MAX_SOUGHT = 20
_MAX_PLACES = 50


class PlaceCandidate(Struct, frozen=True):
    """A folder or archive, and the share of a version's sampled files found in it, 0 to 1."""

    place: NameOnDisk
    share: float


class LostVersionPlace(Struct, frozen=True):
    """A lost version, and the folders and archives that may be it, most likely first; None if they were not sought."""

    game: Game
    version: Version
    candidates: Sequence[PlaceCandidate] | None


class _Lost(Struct, frozen=True):
    """A lost version, and where it may be, most likely first."""

    on_disk: VersionOnDisk
    places: Sequence[NameOnDisk]
    # How similar the name of the likeliest place is, and 1 for one in the folder of the game.
    likelihood: float


class _Unimported(Struct, frozen=True):
    """A library, and its unimported folders and archives in which versions may be beside their games, also by word."""

    listing: LibraryListing
    paths: Sequence[str]
    by_word: Mapping[str, Sequence[str]]


class LostVersions(Struct, frozen=True):
    """Operations on versions that were renamed or moved within their library."""

    db: Database
    clock: Clock
    installations: Installations
    game_imports: GameImports
    backends: LibraryBackends
    # Deletes the rows of folders of a library, given by its id and their paths, from the import plan.
    delete_plan_rows: Callable[[Session, str, Sequence[str]], None]
    notify_runner: Callable[[], None]

    def lost(self, actor: Actor) -> list[LostVersionPlace]:
        """Return lost versions, those first for which there are candidates, at most 200.

        Versions of games whose whole folder is missing are not among them. The work is bounded: candidates are sought
        for the 20 versions that most likely have some, among 50 folders and archives each.
        """
        actor.require(Permission.IMPORT_GAME)
        actor.require(Permission.IMPORT_VERSION)
        with self.db.read() as session:
            missing = damage_queries.missing_versions(session, most=_MAX_MISSING)
        if not missing:
            return []
        listings = self.game_imports.unimported(actor)
        unimported = {listing.library.id: _unimported(listing) for listing in listings}
        present = [each for each in missing if _has_listed_folder(each, unimported[each.library.id].listing)]
        found = [self._where(each, unimported[each.library.id]) for each in present[:_MAX_LISTED]]
        lost = sorted(filter(None, found), key=lambda each: -each.likelihood)
        shown = [
            LostVersionPlace(
                each.on_disk.game, each.on_disk.version, self._candidates(each) if number < _MAX_SOUGHT else None
            )
            for number, each in enumerate(lost)
        ]
        return sorted(shown, key=lambda each: not each.candidates)

    def move(self, actor: Actor, version_id: str, data: VersionMoveRequest) -> str:
        """Assign a version to the place where it is now, and return the id of the task that reads it again.

        Raises:
            VersionUnknown: no version has this id.
            VersionNotListed, LibraryUnavailable, GameFolderUnreadable, VersionUnusable: the place does not exist, or
                cannot be read.
            VersionNotMissing: the version still is where it was imported.
            VersionAlreadyImported: what is there belongs to a version.
            OtherVersion: what is there has other content.
            LayerMissing: the records to compare with are missing.
            TaskAlreadyRunning: the version or what is there is being imported or moved.
        """
        actor.require(Permission.VERSION_UPDATE)
        actor.require(Permission.IMPORT_VERSION)
        with self.db.read() as session:
            on_disk = damage_queries.find_on_disk(session, version_id)
        if on_disk is None:
            raise VersionUnknown
        place = NameOnDisk(data.name, data.beside)
        self._compare(on_disk, place)
        with self.db.write() as session:
            self._require_free(session, on_disk, place)
            label = _label_at(place, on_disk)
            game_queries.change_version(
                session, version_id, {"name": place.name, "beside": place.beside, "label": label}
            )
            if place.beside:
                self.delete_plan_rows(session, on_disk.library.id, [place.name])
            task = new_reimport(on_disk.game, on_disk.version, name=place.name)
            task_id = enqueue(session, task, at=self.clock())
        self.notify_runner()
        return task_id

    def _where(self, on_disk: VersionOnDisk, folders: _Unimported) -> _Lost | None:
        """Return where a version may be, None if it is where it was imported, or if nobody can tell."""
        version, game, listing = on_disk.version, on_disk.game, folders.listing
        try:
            inside = set(self._inside(on_disk)) if game.path in listing.listed else set()
        except LocationUnusable:
            return None
        if version.name in (listing.listed if version.beside else inside):
            return None
        with self.db.read() as session:
            known = {each.name for each in game_queries.versions_of(session, game.id)}
        known |= {place.version for place in listing.changing if place.path == game.path}
        offered = sorted(not_ignored(inside - known, rules_of(on_disk.library), game=game.path))
        places = [NameOnDisk(name) for name in offered]
        similarity = rules.similar((game.path, game.name), folders.by_word)
        beside = dict.fromkeys((*similarity, *folders.paths[:_MAX_PLACES]))
        places += [NameOnDisk(path, beside=True) for path in islice(beside, _MAX_PLACES)]
        likelihood = 1.0 if offered else max(similarity.values(), default=0.0)
        return _Lost(on_disk, places[:_MAX_PLACES], likelihood)

    def _inside(self, on_disk: VersionOnDisk) -> Sequence[str]:
        """Return what is in the folder of a game. Raises LocationUnusable if it cannot be read."""
        return self.backends.of_game(on_disk.game, on_disk.library).versions_of_listed(on_disk.game.path)

    def _candidates(self, lost: _Lost) -> list[PlaceCandidate]:
        try:
            layer = self.installations.layer(VersionRevision.of(lost.on_disk.version))
        except LayerMissing:
            return []
        files = likeness.sample(layer.files)
        return likeness.best(PlaceCandidate(place, self._share(lost.on_disk, place, files)) for place in lost.places)

    def _share(self, on_disk: VersionOnDisk, place: NameOnDisk, files: Sequence[FileRecord]) -> float:
        try:
            if place.beside and not self.backends.is_one_version(on_disk.library, place.name):
                return 0.0
            tree = self.backends.files_of(on_disk.game, on_disk.library).open_listed(place)
            return round(count_alike(tree, files) / (len(files) or 1), 2)
        except (LocationUnusable, NotListed, UnusableVersion, OSError):
            return 0.0

    def _compare(self, on_disk: VersionOnDisk, place: NameOnDisk) -> None:
        """Raise an error if a version is where it was imported, or a place does not have its content."""
        files = self.backends.files_of(on_disk.game, on_disk.library)
        layer = self.installations.layer(VersionRevision.of(on_disk.version))
        with storage_errors_translated(files.backend):
            if self._is_present(on_disk):
                raise VersionNotMissing
            if place.beside and not self.backends.has_one_version(on_disk.library, place.name):
                raise VersionNotListed
            tree = files.open(place)
            # With more files it is another version: updates have few files, and editions the same ones and others.
            differences = compare(tree, layer).differences or list(additions(tree, layer))
        if differences:
            raise OtherVersion(differences)

    def _is_present(self, on_disk: VersionOnDisk) -> bool:
        if on_disk.version.beside:
            return on_disk.version.name in self.backends.present(on_disk.library, [on_disk.version.name])
        return on_disk.version.name in self._inside(on_disk)

    def _require_free(self, session: Session, on_disk: VersionOnDisk, place: NameOnDisk) -> None:
        """Lock a library and a game, and raise an error if a version or a place has changed since it was read."""
        game, version = on_disk.game, on_disk.version
        if place.beside:
            require_unchanged(session, on_disk.library, place.name)
        else:
            library_queries.lock(session, on_disk.library.id)
        game_queries.lock_game(session, game.id)
        current = damage_queries.find_on_disk(session, version.id)
        if current is None or _place_of(current) != _place_of(on_disk):
            raise VersionUnknown
        if change := file_queries.earlier_change(session, game.id):
            raise TaskAlreadyRunning(change.task_id)
        reject_running_imports(session, version)
        if running := task_queries.active_task_on(session, version_subject(game.id, place.name)):
            raise TaskAlreadyRunning(running)
        owner = place.beside and folder_queries.owner_of_path(session, on_disk.library.id, place.name)
        if owner or game_queries.version_of_name(session, game.id, place.name) not in {None, version.id}:
            raise VersionAlreadyImported


def _unimported(listing: LibraryListing) -> _Unimported:
    may_be_beside = listing.library.backend in {BackendKind.FLAT_FILESYSTEM, BackendKind.MIXED_FILESYSTEM}
    paths = (listing.unimported or ()) if may_be_beside else ()
    return _Unimported(listing, paths, rules.by_word(paths))


def _label_at(place: NameOnDisk, on_disk: VersionOnDisk) -> str | None:
    """Return what the new name says, or else the label until now: the version is the same."""
    folder, version = on_disk.game.path, on_disk.version
    return label_of(folder, place.name, {}) or version.label


def _place_of(on_disk: VersionOnDisk) -> tuple[str, ...]:
    """Return where a version is, and what identifies its content."""
    version, game = on_disk.version, on_disk.game
    return game.library_id, game.path, version.name, str(version.beside), version.record_name, version.label or ""


def _has_listed_folder(on_disk: VersionOnDisk, listing: LibraryListing) -> bool:
    """Return whether a library can be read, and lists the folder of a game unless the version is beside it."""
    return listing.unimported is not None and (on_disk.version.beside or on_disk.game.path in listing.listed)
