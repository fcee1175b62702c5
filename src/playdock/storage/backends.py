"""Library backends: the folder layouts of libraries.

`Filesystem`: a game is a folder below the base folder, a version a folder, archive or installer below the game.
`FlatFilesystem`: every folder, archive or installer below the base folder is a game with the one version ``default``.
`MixedFilesystem`: a folder below the base folder is a game in the layout that its content shows.

Nothing outside the base folder is accessible: requested names must be in the listing, which contains no hidden names,
and symbolic links only if their target is inside the base folder. What is listed is opened by `VersionLocation`, so
that it cannot be replaced with a link to another place in between.
"""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import ClassVar, Protocol

from msgspec import Struct

from playdock.content.archive_names import is_version_file, parts_among
from playdock.content.errors import UnusableVersion
from playdock.content.layouts import DEFAULT_VERSION, Entry, holds_versions
from playdock.storage.entries import Tree
from playdock.storage.folder_tree import FolderTree
from playdock.storage.library_policy import UNRESTRICTED, LibraryPolicy, LocationUnusable, unusable
from playdock.storage.locations import VersionLocation
from playdock.storage.trees import open_tree


class GameUnreadable(LocationUnusable):
    """The library's folder is readable, but the game's folder is missing or not readable."""


class NotListed(Exception):
    """The library does not contain this game or version."""


class LibraryBackend(Protocol):
    """The games of a library. Every call reads the current state of the disk; nothing is cached.

    Raises:
        LocationUnusable: the library's folder cannot be read (raised by all methods).
    """

    def check(self) -> None:
        """Check that the library's folder can be read."""

    def games(self) -> list[str]:
        """Return the names of the games, sorted."""

    def loose_names(self) -> list[str]:
        """Return the names of the files beside the games, which are not listed, sorted."""

    def versions(self, game: str) -> list[str]:
        """Return the names of a game's versions, sorted.

        Raises:
            NotListed: the library does not contain the game.
            GameUnreadable: its folder cannot be read.
        """

    def versions_of_listed(self, game: str) -> list[str]:
        """Return the versions of a game whose name comes from `games`, without checking the name again.

        Raises:
            GameUnreadable: its folder cannot be read.
        """

    def loose_files(self, game: str) -> Tree | None:
        """Return the files in a game's folder that do not belong to a version, None if the layout has no such files.

        They are clues to which game it is and are never imported. Raises GameUnreadable if the folder cannot be read.
        """

    def open(self, game: str, version: str) -> Tree:
        """Open a version for reading.

        Raises:
            NotListed: the library does not contain the version.
            UnusableVersion: it is neither a folder nor a readable archive.
        """

    def open_listed(self, game: str, version: str) -> Tree:
        """Open a version whose name comes from `versions`, without checking the name again. Raises as `open`."""

    def location(self, game: str, version: str) -> VersionLocation:
        """Return the location of a version whose name comes from `versions`, without accessing the disk."""


class _BaseFolder(Struct, frozen=True):
    """A folder with the games of a library, whose layout the subclasses know."""

    base: Path
    policy: LibraryPolicy = UNRESTRICTED
    # Whether archives and installers in it are games, as folders are.
    lists_archives: ClassVar[bool] = True

    def check(self) -> None:
        _check(self._at(""))

    def games(self) -> list[str]:
        return sorted(_listed(self._at(""), archives=self.lists_archives))

    def loose_names(self) -> list[str]:
        return sorted(_loose(self._at(""), archives=self.lists_archives))

    def versions(self, game: str) -> list[str]:
        if game not in _listed(self._at(""), archives=self.lists_archives):
            raise NotListed(game)
        return self.versions_of_listed(game)

    def versions_of_listed(self, game: str) -> list[str]:
        raise NotImplementedError

    def location(self, game: str, version: str) -> VersionLocation:
        raise NotImplementedError

    def open(self, game: str, version: str) -> Tree:
        if version not in self.versions(game):
            raise NotListed(version)
        return self.open_listed(game, version)

    def open_listed(self, game: str, version: str) -> Tree:
        return open_tree(self.location(game, version))

    def _at(self, name: str) -> VersionLocation:
        return VersionLocation(self.base, name, self.policy)


class Filesystem(_BaseFolder, frozen=True):
    """Versions at ``base/game/version``, or archives such as ``base/game/version.zip``."""

    lists_archives: ClassVar[bool] = False

    def versions_of_listed(self, game: str) -> list[str]:
        try:
            return sorted(_listed(self._at(game), archives=True))
        except LocationUnusable as reason:
            raise GameUnreadable(reason.message) from None

    def loose_files(self, game: str) -> Tree | None:
        return FolderTree(self._at(game), without=frozenset(self.versions_of_listed(game)))

    def location(self, game: str, version: str) -> VersionLocation:
        return self._at(f"{game}/{version}")


class FlatFilesystem(_BaseFolder, frozen=True):
    """Games at ``base/game``, or archives such as ``base/game.zip``, each with one version."""

    def versions_of_listed(self, game: str) -> list[str]:  # noqa: ARG002 - every game has the same
        return [DEFAULT_VERSION]

    def loose_files(self, game: str) -> Tree | None:  # noqa: ARG002 - the whole folder of a game is its version
        return None

    def location(self, game: str, version: str) -> VersionLocation:  # noqa: ARG002 - every game has the same
        return self._at(game)


class MixedFilesystem(_BaseFolder, frozen=True):
    """Games at ``base/game`` or archives, with versions at ``base/game/version`` or the one version ``default``.

    Which of both is a guess from the names in the game's folder.
    """

    def versions_of_listed(self, game: str) -> list[str]:
        try:
            # The name of the whole folder cannot be that of a folder in it too.
            return sorted(self._folders_of_versions(game) - {DEFAULT_VERSION}) or [DEFAULT_VERSION]
        except LocationUnusable as reason:
            raise GameUnreadable(reason.message) from None

    def loose_files(self, game: str) -> Tree | None:
        versions = self.versions_of_listed(game)
        return None if versions == [DEFAULT_VERSION] else FolderTree(self._at(game), without=frozenset(versions))

    def location(self, game: str, version: str) -> VersionLocation:
        return self._at(game if version == DEFAULT_VERSION else f"{game}/{version}")

    def _folders_of_versions(self, game: str) -> set[str]:
        """Return the names of the versions in a game's folder, none if the game has no folders for versions."""
        if is_version_file(game) and not self._at(game).is_folder():
            return set()
        entries = entries_in(self._at(game))
        return {each.name for each in entries if each.is_version} if holds_versions(game, entries) else set()


def entries_in(folder: VersionLocation, *, most: int | None = None) -> list[Entry]:
    """Return what is in a folder and has no hidden name, at most ``most`` of it.

    Raises:
        LocationUnusable: the folder cannot be read.
    """
    visible = (entry for entry in _scan(folder) if not entry.name.startswith(".") and is_text(entry.name))
    return [_entry(entry, folder) for entry in islice(visible, most)]


def is_empty_folder(library: LibraryBackend, game: str, version: str) -> bool:
    """Return whether a listed version is a folder without files."""
    try:
        tree = library.open_listed(game, version)
        return isinstance(tree, FolderTree) and next(tree.names(), None) is None
    except (LocationUnusable, UnusableVersion, OSError):
        return False


def _entry(entry: os.DirEntry[str], folder: VersionLocation) -> Entry:
    is_version = _is_listed(entry, folder, archives=True)
    return Entry(entry.name, is_folder=is_version and entry.is_dir(), is_version=is_version)


def _check(library: VersionLocation) -> None:
    """Read the first entry of the folder, because all methods need to list it."""
    next(iter(_scan(library)), None)


def _listed(folder: VersionLocation, *, archives: bool) -> set[str]:
    """Return the names of the games or versions in a folder, with one scan that does not enter them."""
    return {entry.name for entry in _scan(folder) if _is_listed(entry, folder, archives=archives)}


def _loose(folder: VersionLocation, *, archives: bool) -> set[str]:
    """Return the names of the files in a folder that are neither listed nor hidden, nor parts of installers.

    Also those of files and folders whose names are not text.
    """
    visible = [entry for entry in _scan(folder) if not entry.name.startswith(".")]
    loose = {
        entry.name
        for entry in visible
        if not _is_listed(entry, folder, archives=archives)
        and (entry.is_file(follow_symlinks=False) or not is_text(entry.name))
    }
    return loose - parts_among(entry.name for entry in visible)


def _scan(folder: VersionLocation) -> Iterator[os.DirEntry[str]]:
    try:
        descriptor = folder.open()
        try:
            with os.scandir(descriptor) as entries:
                yield from entries
        finally:
            os.close(descriptor)
    except OSError as error:
        raise unusable(error) from None


def _is_listed(entry: os.DirEntry[str], folder: VersionLocation, *, archives: bool) -> bool:
    name = entry.name
    if name.startswith(".") or not is_text(name):
        return False
    try:
        if entry.is_symlink() and not (folder.path / name).resolve().is_relative_to(folder.base.resolve()):
            return False
        return entry.is_dir() or (archives and is_version_file(name) and entry.is_file())
    # Up to Python 3.12, pathlib raises RuntimeError for circular links.
    except (OSError, RuntimeError):
        return False


def is_text(name: str) -> bool:
    """Return whether a name can be encoded as JSON. Bytes that are not UTF-8 are decoded as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
