"""What every command has at hand: the places of this machine, the servers, and the screen."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from playdock_client.answers import GameInfo, GamePage
from playdock_client.choosing import the_one
from playdock_client.connection import Server
from playdock_client.credentials import TOKEN_VARIABLE, Credentials, address_of
from playdock_client.errors import ClientError, NotInstalled, NotSignedIn
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.installing import Options, is_begun, read_installation
from playdock_client.machine import Machine
from playdock_client.places import Places
from playdock_client.registry import Entry, Registry
from playdock_client.screen import Screen
from playdock_client.wording import is_writable_name

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Exit(IntEnum):
    """How a command ends; `launch` ends as the game does."""

    DONE = 0
    FAILED = 1
    MISUSED = 2
    NOT_SIGNED_IN = 3
    DAMAGED = 4
    INTERRUPTED = 130


class Misused(ClientError):
    """The command line asks for what does not go together."""


class FolderUnusable(ClientError):
    """A folder's name is no text."""


@dataclass(frozen=True, slots=True)
class InstalledGame:
    """An installation and where it lies."""

    folder: Path
    installation: Installation


@dataclass(frozen=True, slots=True)
class Shell:
    """The surroundings of one command. ``wanted`` is the server that the player named, if any.

    ``for_programs``: whether a program reads along, so that nothing must come up unasked.
    """

    environment: Mapping[str, str]
    places: Places
    machine: Machine
    screen: Screen
    options: Options
    wanted: str | None = None
    for_programs: bool = False

    @property
    def credentials(self) -> Credentials:
        return Credentials(self.places.credentials)

    @property
    def registry(self) -> Registry:
        return Registry(self.places.installations)

    @property
    def meant(self) -> str | None:
        """Give the address of the server that is meant where nothing says otherwise: the named, else the newest."""
        return address_of(self.wanted) if self.wanted else self.credentials.newest()

    @contextmanager
    def server(self, address: str | None = None, *, patience: float = 60.0) -> Iterator[Server]:
        """Open a server, by default the one that is meant. Raises NotSignedIn."""
        address = address or self.meant
        if address is None:
            raise NotSignedIn("You are not signed in. Sign in with: playdock-client login SERVER.")
        token = self._token(address)
        if token is None:
            raise NotSignedIn(f"You are not signed in at {address}. Sign in with: playdock-client login {address}.")
        try:
            with Server(address, token, patience=patience) as server:
                yield server
        except NotSignedIn as error:
            if self._given(address):
                raise NotSignedIn(
                    f"{address} does not know the token in {TOKEN_VARIABLE}. Correct it, or unset it and sign in."
                ) from error
            raise

    def _token(self, address: str) -> str | None:
        return self._given(address) or self.credentials.token_for(address)

    def _given(self, address: str) -> str | None:
        """Give the environment's token, which goes to the server that is meant and to no other."""
        return self.environment.get(TOKEN_VARIABLE) if address == self.meant else None

    @contextmanager
    def listing(self, folder: Path, server: Server, game: GameInfo) -> Iterator[None]:
        """List an installation from its beginning, so that one that is interrupted is found again."""
        self.registry.add(Entry(folder=str(folder), server=server.address, game=game.id, name=game.name))
        try:
            yield
        finally:
            if not is_begun(folder):
                self.registry.remove(folder)

    def entries(self) -> list[Entry]:
        """Give the installations, of one server if the player named one."""
        return [each for each in self.registry.entries() if self.wanted is None or each.server == self.meant]

    def folder(self, wanted: str) -> Path:
        """Give the folder of the installation that the player means: a folder, a game's id, or its name.

        A bare word is never a folder, or a game could be slipped in where the player happens to be.

        Raises NothingMatches, SeveralMatch.
        """
        if Path(wanted).name != wanted and (Path(wanted) / OWN_FOLDER).is_dir():
            return folder_of(wanted)
        found = the_one(wanted, self.entries(), name=_name, key=lambda entry: entry.game, telling=_where)
        return Path(found.folder)

    def installed(self, wanted: str) -> InstalledGame:
        """Open the installation that the player means. Raises NothingMatches, SeveralMatch, NotInstalled."""
        return self.open(self.folder(wanted))

    def open(self, folder: Path) -> InstalledGame:
        """Open the installation in a folder, and list it, as it may have been moved there. Raises NotInstalled."""
        if not folder.is_dir():
            raise NotInstalled(
                f"{folder} is gone. If the game was moved, name its new folder instead of the game; to strike it off "
                "the list, uninstall it."
            )
        installation = read_installation(folder)
        game = installation.game
        self.registry.add(Entry(folder=str(folder), server=installation.server, game=game.id, name=game.name))
        return InstalledGame(folder, installation)


def folder_of(text: str) -> Path:
    """Give the one form of a folder's name. Raises FolderUnusable."""
    folder = Path(text).expanduser().resolve()
    if not is_writable_name(folder):
        raise FolderUnusable("The folder's name is no text in any alphabet. Choose another.")
    return folder


def offered(server: Server, wanted: str) -> GamePage:
    """Find a game of the store by its id or its name. Raises NothingMatches, SeveralMatch."""
    if not _ID.fullmatch(wanted):
        wanted = the_one(wanted, server.search(wanted), name=_name, key=lambda game: game.id, telling=_id).id
    return server.game(wanted)


def _name(named: Entry | GameInfo) -> str:
    return named.name


def _id(game: GameInfo) -> str:
    return f"{game.name} ({game.id})"


def _where(entry: Entry) -> str:
    return f"{entry.name} ({entry.folder})"
