"""Library backends: places that hold games, and how they lay them out (decisions 5).

`Filesystem`: a game is a folder below the base folder, a version a folder or ``.zip`` below the game.
`FlatFilesystem`: every folder or ``.zip`` below the base folder is a game with the one version ``default``.

Nothing outside the base folder is ever given: what is asked for is looked for in the listing, hidden names are not
listed, and symbolic links are only if they lead to a place inside.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from playdock.storage.entries import Tree
from playdock.storage.folder_tree import FolderTree
from playdock.storage.serving import Place
from playdock.storage.trees import open_tree

DEFAULT_VERSION = "default"
_ARCHIVE = ".zip"


class PlaceUnusable(Exception):
    """The library's place is gone or may not be read; the message says which, without the path."""


class GameUnreadable(PlaceUnusable):
    """The place is there, but the game's own folder in it is gone or may not be read."""


class NotListed(Exception):
    """There is no such game or version in the library."""


class LibraryBackend(Protocol):
    """A place with games. Every call looks at the place as it is now.

    Raises:
        PlaceUnusable: the place itself cannot be read (every call).
    """

    def check(self) -> None:
        """Find out whether the place can be used."""

    def games(self) -> list[str]:
        """Give the names of the games, sorted."""

    def versions(self, game: str) -> list[str]:
        """Give the names of a game's versions, sorted.

        Raises:
            NotListed: there is no such game.
            GameUnreadable: its folder cannot be read.
        """

    def versions_of_listed(self, game: str) -> list[str]:
        """Give the versions of a game that is known to be listed, without looking through the listing again.

        Raises:
            GameUnreadable: its folder cannot be read.
        """

    def beside(self, game: str) -> Tree | None:
        """Give what lies in a listed game's folder beside its versions, if there is such a place.

        It tells what game it is, and is never imported. Raises GameUnreadable: the folder cannot be read.
        """

    def open(self, game: str, version: str) -> Tree:
        """Open a version for reading.

        Raises:
            NotListed: there is no such version.
            UnusableVersion: it is neither a folder nor an archive that can be read.
        """

    def open_listed(self, game: str, version: str) -> Tree:
        """Open a version that is known to be listed, without looking through the listing again. Raises as `open`."""

    def place(self, game: str, version: str) -> Place:
        """Tell where a version that was listed lies, without a look at it."""


@dataclass(frozen=True, slots=True)
class Filesystem:
    """``base/game/version`` or ``base/game/version.zip``."""

    base: Path

    def check(self) -> None:
        _check(self.base)

    def games(self) -> list[str]:
        return sorted(_listed(self.base, self.base, archives=False))

    def versions(self, game: str) -> list[str]:
        if game not in _listed(self.base, self.base, archives=False):
            raise NotListed(game)
        return self.versions_of_listed(game)

    def versions_of_listed(self, game: str) -> list[str]:
        try:
            return sorted(_listed(self.base / game, self.base, archives=True))
        except PlaceUnusable as reason:
            raise GameUnreadable(str(reason)) from None

    def beside(self, game: str) -> Tree | None:
        return FolderTree(self.base / game, without=frozenset(self.versions_of_listed(game)))

    def open(self, game: str, version: str) -> Tree:
        if version not in self.versions(game):
            raise NotListed(version)
        return self.open_listed(game, version)

    def open_listed(self, game: str, version: str) -> Tree:
        return open_tree(self.base / game / version)

    def place(self, game: str, version: str) -> Place:
        return Place(self.base, self.base / game / version)


@dataclass(frozen=True, slots=True)
class FlatFilesystem:
    """``base/game`` or ``base/game.zip``, each with one version."""

    base: Path

    def check(self) -> None:
        _check(self.base)

    def games(self) -> list[str]:
        return sorted(_listed(self.base, self.base, archives=True))

    def versions(self, game: str) -> list[str]:
        if game not in _listed(self.base, self.base, archives=True):
            raise NotListed(game)
        return self.versions_of_listed(game)

    def versions_of_listed(self, game: str) -> list[str]:  # noqa: ARG002 - every game has the same
        return [DEFAULT_VERSION]

    def beside(self, game: str) -> Tree | None:  # noqa: ARG002 - all of a game's folder is its version
        return None

    def open(self, game: str, version: str) -> Tree:
        if version not in self.versions(game):
            raise NotListed(version)
        return self.open_listed(game, version)

    def open_listed(self, game: str, version: str) -> Tree:  # noqa: ARG002 - every game has the same
        return open_tree(self.base / game)

    def place(self, game: str, version: str) -> Place:  # noqa: ARG002 - every game has the same
        return Place(self.base, self.base / game)


def _check(base: Path) -> None:
    """List the first entry: that is what everything else needs."""
    next(iter(_scan(base)), None)


def _listed(folder: Path, base: Path, *, archives: bool) -> set[str]:
    """Give the names in a folder that are games or versions: one scan, and no look at what is in them."""
    return {entry.name for entry in _scan(folder) if _is_listed(entry, base, archives=archives)}


def _scan(folder: Path) -> Iterable[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except PermissionError:
        raise PlaceUnusable(
            "The folder may not be read. Give the account that the service runs as the right."
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        raise PlaceUnusable("There is no such folder. Check the path, and that the disk is mounted.") from None
    except OSError as error:
        raise PlaceUnusable(f"The folder cannot be read: {error.strerror}.") from None


def _is_listed(entry: os.DirEntry[str], base: Path, *, archives: bool) -> bool:
    name = entry.name
    if name.startswith(".") or not _is_text(name):
        return False
    try:
        if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(base.resolve()):
            return False
        return entry.is_dir() or (archives and name.lower().endswith(_ARCHIVE) and entry.is_file())
    # Up to Python 3.12, pathlib answers links that lead round in circles with a RuntimeError.
    except (OSError, RuntimeError):
        return False


def _is_text(name: str) -> bool:
    """Tell whether a name can be written in JSON: bytes that are not UTF-8 come as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
