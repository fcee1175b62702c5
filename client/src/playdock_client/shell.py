"""The environment of a command: folders, servers and output."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from playdock_client.choosing import NoMatch, find_one
from playdock_client.client_folders import ClientFolders
from playdock_client.connection import Server
from playdock_client.credentials import TOKEN_VARIABLE, Credentials, address_of
from playdock_client.errors import ALLOW_HTTP_VARIABLE, ClientError, NotInstalled, NotSignedIn, RequestRefused
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.installing import FetchOptions, is_started, read_installation
from playdock_client.machine import Machine
from playdock_client.registry import Registry, RegistryEntry
from playdock_client.responses import GameInfo, GamePage, VersionInfo
from playdock_client.screen import Screen
from playdock_client.wording import is_writable_name

# The type of the problem document.
_GAME_UNKNOWN = "game-unknown"
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Exit(IntEnum):
    """Exit statuses; `launch` exits with the game's."""

    DONE = 0
    FAILED = 1
    MISUSED = 2
    NOT_SIGNED_IN = 3
    DAMAGED = 4
    INTERRUPTED = 130


class UsageError(ClientError):
    """The arguments of a command are inconsistent."""


class FolderUnusable(ClientError):
    """The name of a folder is not valid Unicode."""


@dataclass(frozen=True, slots=True)
class InstalledGame:
    """An installation and its folder."""

    folder: Path
    installation: Installation


@dataclass(frozen=True, slots=True)
class Shell:
    """The environment of one command. ``requested_server`` is the server given with --server, if any.

    ``for_programs``: the output is for a program, so no browser is opened.
    """

    environment: Mapping[str, str]
    folders: ClientFolders
    machine: Machine
    screen: Screen
    options: FetchOptions
    requested_server: str | None = None
    for_programs: bool = False

    @property
    def credentials(self) -> Credentials:
        return Credentials(self.folders.credentials)

    @property
    def registry(self) -> Registry:
        return Registry(self.folders.installations)

    @property
    def selected_server(self) -> str | None:
        """Return the address of the default server: the one given with --server, else the one of the latest sign-in."""
        return address_of(self.requested_server) if self.requested_server else self.credentials.newest()

    @contextmanager
    def server(self, address: str | None = None, *, retry_seconds: float = 60.0) -> Iterator[Server]:
        """Connect to a server, by default the selected one. Raises NotSignedIn."""
        address = address or self.selected_server
        if address is None:
            raise NotSignedIn("You are not signed in. Sign in with: playdock-client login SERVER")
        token = self._token(address)
        if token is None:
            raise NotSignedIn(f"You are not signed in to {address}. Sign in with: playdock-client login {address}")
        try:
            with Server(address, token, retry_seconds=retry_seconds, allow_http=self.allows_http(address)) as server:
                yield server
        except NotSignedIn as error:
            if self._environment_token(address):
                raise NotSignedIn(
                    f"{address} rejected the token in {TOKEN_VARIABLE}. Correct it, or unset it and sign in."
                ) from error
            raise NotSignedIn(
                f"You are not signed in to {address} any more. Sign in with: playdock-client login {address}"
            ) from error

    def allows_http(self, address: str) -> bool:
        """Return whether connections to this server may be unencrypted: the environment or a sign-in allows it."""
        return self.environment.get(ALLOW_HTTP_VARIABLE) == "1" or self.credentials.allows_http(address)

    def _token(self, address: str) -> str | None:
        return self._environment_token(address) or self.credentials.token_for(address)

    def _environment_token(self, address: str) -> str | None:
        """Return the token of the environment, which is sent only to the selected server."""
        return self.environment.get(TOKEN_VARIABLE) if address == self.selected_server else None

    @contextmanager
    def listing(self, folder: Path, server: Server, game: GameInfo) -> Iterator[None]:
        """Add an installation to the list before it starts, so that it is listed if it is interrupted."""
        self.registry.add(RegistryEntry(folder=str(folder), server=server.address, game=game.id, name=game.name))
        try:
            yield
        finally:
            if not is_started(folder):
                self.registry.remove(folder)

    def report_installed(self, server: Server) -> None:
        """Tell a server what is installed from it, so that the player is notified of updates.

        Servers accept this only of devices. If it fails, the next command reports all of it.
        """
        versions: dict[str, str] = {}
        for entry in self.registry.entries():
            if entry.server == server.address:
                with suppress(ClientError):
                    installation = read_installation(Path(entry.folder))
                    versions[installation.game.id] = installation.version.id
        with suppress(ClientError):
            server.report_installations(versions)

    def entries(self) -> list[RegistryEntry]:
        """Return the installations, only those of the requested server if there is one."""
        return [
            each
            for each in self.registry.entries()
            if self.requested_server is None or each.server == self.selected_server
        ]

    def folder(self, requested_server: str) -> Path:
        """Return the folder of an installation, given as a folder, or as the id or name of its game.

        A bare word is never a folder; otherwise a folder in the working directory could pass for an installed game.

        Raises NoMatch, AmbiguousMatch.
        """
        if Path(requested_server).name != requested_server and (Path(requested_server) / OWN_FOLDER).is_dir():
            return folder_of(requested_server)
        entry = find_one(
            requested_server,
            self.entries(),
            name=_name,
            key=lambda entry: entry.game,
            label=_where,
            absent="“{}” is not installed.",
        )
        return Path(entry.folder)

    def installed(self, requested_server: str) -> InstalledGame:
        """Return the installation that matches. Raises NoMatch, AmbiguousMatch, NotInstalled."""
        return self.open(self.folder(requested_server))

    def open(self, folder: Path) -> InstalledGame:
        """Return the installation in a folder, and add it to the list in case it was moved. Raises NotInstalled."""
        if not folder.is_dir():
            raise NotInstalled(
                f"{folder} does not exist. If the game was moved, use its new folder instead of its name; to remove it "
                "from the list, uninstall it."
            )
        installation = read_installation(folder)
        game = installation.game
        self.registry.add(RegistryEntry(folder=str(folder), server=installation.server, game=game.id, name=game.name))
        return InstalledGame(folder, installation)


def folder_of(text: str) -> Path:
    """Return the absolute path of a folder. Raises FolderUnusable."""
    folder = Path(text).expanduser().resolve()
    if not is_writable_name(folder):
        raise FolderUnusable("The folder name is not valid Unicode. Choose another folder.")
    return folder


def find_game(server: Server, requested_server: str) -> GamePage:
    """Return the game of the store with this id or name. Raises NoMatch, AmbiguousMatch."""
    if not _ID.fullmatch(requested_server):
        requested_server = find_one(
            requested_server, server.search(requested_server), name=_name, key=lambda game: game.id, label=_id
        ).id
    return server.game(requested_server)


def versions_of(server: Server, game_id: str) -> Sequence[VersionInfo]:
    """Return the versions of an installed game. Raises NoMatch if the server no longer has it."""
    try:
        return server.versions(game_id)
    except RequestRefused as refused:
        if refused.type != _GAME_UNKNOWN:
            raise
        raise NoMatch("The server no longer offers this game. The installed version can still be played.") from refused


def _name(named: RegistryEntry | GameInfo) -> str:
    return named.name


def _id(game: GameInfo) -> str:
    return f"{game.name} ({game.id})"


def _where(entry: RegistryEntry) -> str:
    return f"{entry.name} ({entry.folder})"
