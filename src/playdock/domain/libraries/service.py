"""The backend of a library, and whether its folder can be used."""

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from playdock import stored
from playdock.content.layouts import DEFAULT_VERSION
from playdock.db.database import Database
from playdock.domain.libraries import queries, rules
from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.messages import Message
from playdock.kit.s3_location import S3Location, is_s3_url, split_roots
from playdock.kit.storage_failures import system_error
from playdock.models import Game, Library
from playdock.settings import Settings
from playdock.storage.backends import Filesystem, FlatFilesystem, LibraryBackend, MixedFilesystem
from playdock.storage.entries import Tree
from playdock.storage.file_cache import FileCache
from playdock.storage.library_policy import ArchiveLimits, LibraryPolicy, LocationUnusable
from playdock.storage.locations import VersionLocation
from playdock.storage.s3_backend import S3Library
from playdock.storage.s3_files import S3Base
from playdock.stored import LibraryOptions, LibraryRules

# SQLite writes these files next to the database (https://sqlite.org/tempfiles.html).
_DATABASE_FILES = ("", "-wal", "-shm", "-journal")
# The folder for libraries in the folder for the service's data.
_OWN_LIBRARIES = "games"

_BACKENDS: dict[BackendKind, Callable[[Path, LibraryPolicy], LibraryBackend]] = {
    BackendKind.FILESYSTEM: Filesystem,
    BackendKind.FLAT_FILESYSTEM: FlatFilesystem,
    BackendKind.MIXED_FILESYSTEM: MixedFilesystem,
}


def base_dir_of(library: Library) -> str:
    """Return the absolute path of a library's folder, or its URL in S3."""
    return stored.decode(library.options, LibraryOptions).base_dir


def base_dir_path(library: Library) -> Path:
    """Return the path of a library's folder."""
    return Path(base_dir_of(library))


def is_managed(library: Library) -> bool:
    """Return whether the service may write to a library's folder."""
    return stored.decode(library.options, LibraryOptions).managed


def rules_of(library: Library) -> LibraryRules:
    """Return what is imported from a library without a person."""
    return stored.decode(library.rules, LibraryRules) if library.rules else LibraryRules()


def policy_of(settings: Settings, unpacked: FileCache | None = None) -> LibraryPolicy:
    """Return where libraries may be: what the service writes must not be in a library.

    ``unpacked`` is the cache for what is unpacked from archives.
    """
    scheme, _, database = settings.database.partition(":///")
    files = [Path(database.partition("?")[0] + suffix) for suffix in _DATABASE_FILES] if scheme == "sqlite" else []
    archives = ArchiveLimits(settings.archive_max_files, settings.archive_max_bytes)
    if settings.backup_folder and not is_s3_url(settings.backup_folder):
        files.append(Path(settings.backup_folder))
    roots = settings.allowed_roots
    if settings.library_roots and not roots:
        # Only locations in S3 are allowed. No folder is inside this file.
        roots = (Path(os.devnull),)
    private = (settings.data_dir, settings.objects_dir, *files)
    return LibraryPolicy(private, roots, archives, unpacked, settings.data_dir / _OWN_LIBRARIES)


class S3Libraries:
    """The parts of the S3 server that are libraries, each with one client, which is loaded when it is needed."""

    def __init__(self, settings: Settings, cache: FileCache) -> None:
        self._settings, self._cache = settings, cache
        self._opened: dict[str, S3Base] = {}

    def at(self, url: str) -> S3Base:
        """Return the part at a URL, without connecting yet."""
        if url not in self._opened:
            from playdock.storage.s3_bucket import S3Bucket

            location = self._settings.s3_location(url)
            bucket = S3Bucket(location, public_endpoint=self._settings.objects_public_endpoint)
            self._opened[url] = S3Base(location.url, bucket, self._cache, self._objection(location))
        return self._opened[url]

    def _objection(self, location: S3Location) -> Message | None:
        settings = self._settings
        if any(each.overlaps(location) for each in self._in_s3(settings.objects_url, settings.backup_folder)):
            return Message("library-private")
        roots = split_roots(settings.library_roots)
        if roots and not any(root.contains(location) for root in self._in_s3(*roots)):
            return Message("library-outside-roots")
        return None

    def _in_s3(self, *places: str) -> Iterator[S3Location]:
        return (self._settings.s3_location(place) for place in places if is_s3_url(place))


class OnDisk(Protocol):
    """What identifies a version on disk: its name, and whether it is beside the folder of its game."""

    @property
    def name(self) -> str: ...
    @property
    def beside(self) -> bool: ...


class GameFiles(Struct, frozen=True):
    """Opens the versions of a game, those in its folder and those beside it; raises as its ``backend`` does.

    ``other`` is the backend for versions beside the folder, each of which is the whole content of another one.
    """

    path: str
    backend: LibraryBackend
    other: LibraryBackend

    def open(self, version: OnDisk) -> Tree:
        """Open a version for reading."""
        if version.beside:
            return self.other.open(version.name, DEFAULT_VERSION)
        return self.backend.open(self.path, version.name)

    def open_listed(self, version: OnDisk) -> Tree:
        """Open a version whose name comes from a listing, without checking it again."""
        if version.beside:
            return self.other.open_listed(version.name, DEFAULT_VERSION)
        return self.backend.open_listed(self.path, version.name)

    def location(self, version: OnDisk) -> VersionLocation:
        """Return the location of a version, without accessing the disk."""
        if version.beside:
            return self.other.location(version.name, DEFAULT_VERSION)
        return self.backend.location(self.path, version.name)


class LibraryBackends(Struct, frozen=True):
    """The backends of libraries; the policy says where libraries may be."""

    policy: LibraryPolicy
    s3: S3Libraries

    def of(self, library: Library) -> LibraryBackend:
        """Return the backend of a library, with which folders are read that are not imported."""
        return self.with_layout(library, None)

    def of_game(self, game: Game, library: Library) -> LibraryBackend:
        """Return the backend with which the folder of an imported game is read."""
        return self.with_layout(library, game.layout)

    def files_of(self, game: Game, library: Library) -> GameFiles:
        """Return what opens the versions of an imported game."""
        is_in_s3 = library.backend == BackendKind.S3
        other = self.with_layout(library, None if is_in_s3 else BackendKind.FLAT_FILESYSTEM)
        return GameFiles(game.path, self.of_game(game, library), other)

    def layout_of(self, db: Database, library_id: str, game: str) -> str | None:
        """Return the layout of an unimported game's folder, None if it cannot be read."""
        with db.read() as session:
            library = queries.find(session, library_id)
        if library is None:
            return None
        if library.backend != BackendKind.MIXED_FILESYSTEM:
            return library.backend
        try:
            has_one = self.of(library).versions_of_listed(game) == [DEFAULT_VERSION]
        except LocationUnusable:
            return None
        return BackendKind.FLAT_FILESYSTEM if has_one else BackendKind.FILESYSTEM

    def has_one_version(self, library: Library, folder: str) -> bool:
        """Return whether a library lists a folder or archive that is one version of a game.

        Raises:
            LocationUnusable: it cannot be read.
        """
        return folder in self.of(library).games() and self.is_one_version(library, folder)

    def is_one_version(self, library: Library, folder: str) -> bool:
        """Return whether a folder or archive that a library has listed is one version of a game. Raises the same."""
        if library.backend not in {BackendKind.FLAT_FILESYSTEM, BackendKind.MIXED_FILESYSTEM}:
            return False
        return self.of(library).versions_of_listed(folder) == [DEFAULT_VERSION]

    def present(self, library: Library, games: Collection[str]) -> set[str]:
        """Return those of some names of games that the library lists in any layout.

        Raises:
            LocationUnusable: its folder cannot be read.
        """
        if not games:
            return set()
        if library.backend == BackendKind.S3:
            return set(games).intersection(self.of(library).games())
        return set(games).intersection(self.with_layout(library, BackendKind.MIXED_FILESYSTEM).games())

    def offered(self, library: Library, games: Collection[str]) -> list[str]:
        """Return those games of a library that are not ignored, nor all of their versions.

        Only games of which a pattern names a version are looked into.
        """
        ignore, backend = rules_of(library), self.of(library)
        return [
            game
            for game in rules.not_ignored(games, ignore)
            if not rules.has_ignored_versions(ignore, game) or _has_offered_version(backend, game, ignore)
        ]

    def with_layout(self, library: Library, layout: str | None) -> LibraryBackend:
        """Return the backend that reads a library's folder in a layout, None for its own."""
        kind, base = BackendKind(layout or library.backend), base_dir_of(library)
        if kind is BackendKind.S3:
            return S3Library(self.s3.at(base), self.policy)
        return _BACKENDS[kind](Path(base), self.policy)

    def prepare_managed(self, library: Library) -> None:
        """Make the folder of a library that the service writes to, unless it exists.

        Raises:
            LocationUnusable: the service must not write there, or cannot.
        """
        if library.backend == BackendKind.S3:
            raise LocationUnusable(Message("library-not-writable-here"))
        folder = base_dir_path(library)
        self.policy.require_writable_place(folder)
        try:
            if self.policy.own and folder.parent == self.policy.own.absolute():
                self.policy.own.mkdir(exist_ok=True)
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise LocationUnusable(Message("folder-failed", reason=system_error(error))) from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise LocationUnusable(Message("library-not-writable"))

    def fault_of(self, library: Library, *, has_games: bool) -> Message | None:
        """Return why a library's folder cannot currently be used, and what to do; None if it can.

        A disk that is away often leaves an empty folder behind, which is no fault if no game was imported from it.
        """
        # Games may have been imported with another layout.
        layout = None if library.backend == BackendKind.S3 else BackendKind.MIXED_FILESYSTEM
        backend = self.with_layout(library, layout)
        try:
            backend.check()
            return Message("library-empty") if has_games and not backend.games() else None
        except LocationUnusable as reason:
            return reason.message


def _has_offered_version(backend: LibraryBackend, game: str, ignore: LibraryRules) -> bool:
    try:
        versions = backend.versions_of_listed(game)
    except LocationUnusable:
        # An import tells why that is not possible.
        return True
    return not versions or bool(rules.not_ignored(versions, ignore, game=game))
