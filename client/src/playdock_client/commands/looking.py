"""`list`, `search` and `info`."""

from argparse import ArgumentParser
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from playdock_client.answers import VersionInfo
from playdock_client.choosing import NothingMatches, choose_version, describe
from playdock_client.commands.command import Command
from playdock_client.connection import Server
from playdock_client.errors import ClientError, Refused, Unfinished
from playdock_client.installing import read_installation
from playdock_client.registry import Entry
from playdock_client.screen import Document, Listing
from playdock_client.shell import Exit, Shell, offered

_PATIENCE = 3.0
_MOST_GAMES = 1000


class State(StrEnum):
    """How an installation is, compared with what its server offers."""

    CURRENT = "current"
    OUTDATED = "outdated"
    UNKNOWN = "unknown"
    UNFINISHED = "unfinished"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Listed:
    """An installation as it is listed; `trouble` says why its state is not known."""

    entry: Entry
    state: State
    version: VersionInfo | None = None
    newest: VersionInfo | None = None
    trouble: str = ""

    def document(self) -> Document:
        version, newest = msgspec.to_builtins((self.version, self.newest))
        entry = msgspec.to_builtins(self.entry)
        return {**entry, "state": self.state, "version": version, "newest": newest, "trouble": self.trouble}

    def row(self) -> Sequence[str]:
        version = f"{self.version.name} ({self.version.platform})" if self.version else ""
        return self.entry.name, version, self._told(), self.entry.folder

    def _told(self) -> str:
        match self.state:
            case State.CURRENT:
                return "up to date"
            case State.OUTDATED if self.newest:
                return f"update available: {self.newest.name}"
            case State.UNFINISHED:
                return "unfinished: run install again"
            case State.MISSING:
                return "the folder is gone"
            case _:
                return self.trouble


@dataclass(frozen=True, slots=True)
class Offer:
    """The versions that a server has of a game, or why that is not known."""

    versions: Sequence[VersionInfo]
    trouble: str = ""


def _list(shell: Shell) -> int:
    """List what is installed, with what is newer as far as the servers can be reached."""
    entries = shell.entries()
    servers = {entry.server for entry in entries}
    offers = {address: _offers(shell, address, {e.game for e in entries if e.server == address}) for address in servers}
    listed = [_listed(entry, offers[entry.server][entry.game]) for entry in entries]
    shown = Listing(("Game", "Version", "State", "Folder"), [each.row() for each in listed], "No games are installed.")
    shell.screen.answer({"installations": [each.document() for each in listed]}, shown)
    return Exit.DONE


def _offers(shell: Shell, address: str, games: Collection[str]) -> Mapping[str, Offer]:
    """Ask a server for the versions of games; when it cannot be reached, it is not asked again."""
    offers: dict[str, Offer] = {}
    try:
        with shell.server(address, patience=_PATIENCE) as server:
            for game in games:
                offers[game] = _offer(server, game)
    except ClientError as error:
        offers.update((game, Offer((), str(error))) for game in games if game not in offers)
    return offers


def _offer(server: Server, game: str) -> Offer:
    try:
        return Offer(server.versions(game))
    except Refused as refused:
        return Offer((), str(refused))


def _listed(entry: Entry, offer: Offer) -> Listed:
    if not Path(entry.folder).is_dir():
        return Listed(entry, State.MISSING)
    try:
        version = read_installation(Path(entry.folder)).version
    except Unfinished as error:
        return Listed(entry, State.UNFINISHED, trouble=str(error))
    except ClientError as error:
        return Listed(entry, State.UNKNOWN, trouble=str(error))
    if offer.trouble:
        return Listed(entry, State.UNKNOWN, version, trouble=offer.trouble)
    try:
        newest = choose_version(offer.versions, platforms=(version.platform,))
    except NothingMatches as error:
        return Listed(entry, State.UNKNOWN, version, trouble=str(error))
    return Listed(entry, State.CURRENT if newest.id == version.id else State.OUTDATED, version, newest)


def _offer_search(parser: ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="?", default="", help="words to look for; all games if left out")


def _search(shell: Shell, *, text: str) -> int:
    with shell.server() as server:
        found = server.search(text, limit=_MOST_GAMES)
    rows = [(each.name, ", ".join(each.platforms), each.id) for each in found]
    shown = Listing(("Game", "Platforms", "Id"), rows, "No game was found.")
    shell.screen.answer({"games": msgspec.to_builtins(found)}, shown)
    return Exit.DONE


def _offer_info(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="name or id of a game of the store")


def _info(shell: Shell, *, game: str) -> int:
    with shell.server() as server:
        page = offered(server, game)
    about = [page.short_description] if page.short_description else []
    versions = [f"  {describe(each)}" for each in page.versions]
    head = "Versions, oldest first:" if versions else "There are no versions yet."
    shell.screen.answer(msgspec.to_builtins(page), [f"{page.name} ({page.id})", *about, head, *versions])
    return Exit.DONE


COMMANDS = (
    Command("list", "List the installed games, and which have an update.", _list),
    Command("search", "Search the store.", _search, _offer_search),
    Command("info", "Tell of a game and its versions.", _info, _offer_info),
)
