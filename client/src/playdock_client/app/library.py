"""The installed games of one server, as the pages show them."""

import threading
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from playdock_client.choosing import NoMatch, choose_version
from playdock_client.connection import Server
from playdock_client.errors import ClientError, NotInstalled, RequestRefused, UnfinishedInstallation
from playdock_client.installing import read_installation
from playdock_client.registry import Registry, RegistryEntry
from playdock_client.responses import ApiStruct, VersionInfo


class GameState(StrEnum):
    """The state of an installation. ``UNKNOWN``: the folder cannot be read."""

    INSTALLED = "installed"
    UNFINISHED = "unfinished"
    MISSING = "missing"
    UNKNOWN = "unknown"


class LibraryGame(ApiStruct, frozen=True):
    """An installed game. ``newest`` is the version to update to, if there is one."""

    game: str
    name: str
    folder: str
    state: GameState
    version: VersionInfo | None = None
    newest: VersionInfo | None = None
    problem: str = ""


class Library:
    """The installations of one server, with the versions that it offers as far as they are known."""

    def __init__(self, registry: Registry, server: str) -> None:
        self._registry = registry
        self._server = server
        self._lock = threading.Lock()
        self._versions: dict[str, Sequence[VersionInfo]] = {}
        self._games: list[LibraryGame] = []

    def games(self) -> list[LibraryGame]:
        with self._lock:
            return list(self._games)

    def find(self, game_id: str) -> LibraryGame:
        """Return an installed game. Raises NotInstalled."""
        found = next((each for each in self.games() if each.game == game_id), None)
        if found is None:
            raise NotInstalled("This game is not installed.")
        return found

    def refresh(self) -> bool:
        """Read the installations again, and return whether anything has changed."""
        entries = [each for each in self._registry.entries() if each.server == self._server]
        games = [self._read(entry) for entry in entries]
        with self._lock:
            changed = games != self._games
            self._games = games
        return changed

    def fetch_versions(self, server: Server) -> None:
        """Fetch which versions the server offers of the installed games. Raises ClientError."""
        found: dict[str, Sequence[VersionInfo]] = {}
        for game in self.games():
            try:
                found[game.game] = server.versions(game.game)
            except RequestRefused:
                # The game was removed from the server; what is installed stays playable.
                continue
        self._versions = found

    def _read(self, entry: RegistryEntry) -> LibraryGame:
        if not Path(entry.folder).is_dir():
            return LibraryGame(entry.game, entry.name, entry.folder, GameState.MISSING)
        try:
            version = read_installation(Path(entry.folder)).version
        except UnfinishedInstallation:
            return LibraryGame(entry.game, entry.name, entry.folder, GameState.UNFINISHED)
        except ClientError as error:
            return LibraryGame(entry.game, entry.name, entry.folder, GameState.UNKNOWN, problem=str(error))
        newest = newer_version(version, self._versions.get(entry.game, ()))
        return LibraryGame(entry.game, entry.name, entry.folder, GameState.INSTALLED, version, newest)


def newer_version(installed: VersionInfo, offered: Sequence[VersionInfo]) -> VersionInfo | None:
    """Return the version to update to, or None if the installed one is the newest for its platform."""
    try:
        newest = choose_version(offered, platforms=(installed.platform,))
    except NoMatch:
        return None
    return None if newest.id == installed.id else newest
