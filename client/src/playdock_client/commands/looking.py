"""`list`, `search` and `info`."""

from argparse import ArgumentParser
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import msgspec

from playdock_client.choosing import NoMatch, choose_version, describe
from playdock_client.commands.command import Command
from playdock_client.connection import Server
from playdock_client.errors import ClientError, RequestRefused, UnfinishedInstallation
from playdock_client.installing import read_installation
from playdock_client.playing.running_games import play_times, running_games
from playdock_client.playing.sessions import GameKey, PlayTime
from playdock_client.registry import RegistryEntry
from playdock_client.responses import VersionInfo
from playdock_client.screen import Document, Listing
from playdock_client.shell import Exit, Shell, find_game, versions_of
from playdock_client.wording import duration

# Short, because `list` is useful without the servers.
_RETRY_SECONDS = 3.0
# More than a terminal shows usefully; a search narrows the list.
_MAX_GAMES = 1000


class InstallationState(StrEnum):
    """The state of an installation compared with its server."""

    CURRENT = "current"
    OUTDATED = "outdated"
    UNKNOWN = "unknown"
    UNFINISHED = "unfinished"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class ListedInstallation:
    """An installation in the list. `problem` says why its state is unknown."""

    entry: RegistryEntry
    state: InstallationState
    version: VersionInfo | None = None
    newest: VersionInfo | None = None
    problem: str = ""
    played: PlayTime | None = None
    running: bool = False

    def document(self) -> Document:
        version, newest, played = msgspec.to_builtins((self.version, self.newest, self.played))
        entry = msgspec.to_builtins(self.entry)
        state = {"state": self.state, "version": version, "newest": newest, "trouble": self.problem}
        return {**entry, **state, "played": played, "running": self.running}

    def row(self, *, explained: Collection[str] = ()) -> Sequence[str]:
        """Return the cells of its row; ``explained`` are the problems that are shown elsewhere."""
        version = self.version.summary if self.version else ""
        played = duration(self.played.seconds) if self.played else ""
        return self.entry.name, version, played, self._status_text(explained), self.entry.folder

    def _status_text(self, explained: Collection[str]) -> str:
        if self.running:
            return "running"
        match self.state:
            case InstallationState.CURRENT:
                return "up to date"
            case InstallationState.OUTDATED if self.newest:
                return "update available" if self.newest.is_unnamed else f"update available: {self.newest.title}"
            case InstallationState.UNFINISHED:
                return "unfinished: run install again"
            case InstallationState.MISSING:
                return "folder missing"
            case _:
                return "unknown" if self.problem in explained else self.problem


@dataclass(frozen=True, slots=True)
class OfferedVersions:
    """The versions of a game on its server, or why they are unknown; ``is_of_server`` is whether all there are."""

    versions: Sequence[VersionInfo]
    problem: str = ""
    is_of_server: bool = False


def _list(shell: Shell) -> int:
    """List installed games, with available updates if their servers can be reached."""
    entries = shell.entries()
    servers = {entry.server for entry in entries}
    versions_by_server = {
        address: _fetch_all_versions(shell, address, {e.game for e in entries if e.server == address})
        for address in servers
    }
    times, running = play_times(shell.folders), {each.session.folder for each in running_games(shell.folders)}
    listed = [
        replace(
            _listed_installation(entry, versions_by_server[entry.server][entry.game]),
            played=times.get(GameKey(entry.server, entry.game)),
            running=entry.folder in running,
        )
        for entry in entries
    ]
    columns = ("Game", "Version", "Played", "Status", "Folder")
    # Once, and not for each game.
    problems = {
        each.problem: None for games in versions_by_server.values() for each in games.values() if each.is_of_server
    }
    rows = [each.row(explained=problems) for each in listed]
    shown = Listing(columns, rows, "No games are installed.", notes=list(problems))
    shell.screen.show_result({"installations": [each.document() for each in listed]}, shown)
    return Exit.DONE


def _fetch_all_versions(shell: Shell, address: str, games: Collection[str]) -> Mapping[str, OfferedVersions]:
    """Return the versions of games. If the server cannot be reached, it is not tried again for the other games."""
    versions_by_server: dict[str, OfferedVersions] = {}
    try:
        with shell.server(address, retry_seconds=_RETRY_SECONDS) as server:
            for game in games:
                versions_by_server[game] = _fetch_versions(server, game)
    except ClientError as error:
        versions_by_server.update(
            (game, OfferedVersions((), str(error), is_of_server=True))
            for game in games
            if game not in versions_by_server
        )
    return versions_by_server


def _fetch_versions(server: Server, game: str) -> OfferedVersions:
    try:
        return OfferedVersions(versions_of(server, game))
    except (NoMatch, RequestRefused) as error:
        return OfferedVersions((), str(error))


def _listed_installation(entry: RegistryEntry, offered_versions: OfferedVersions) -> ListedInstallation:
    if not Path(entry.folder).is_dir():
        return ListedInstallation(entry, InstallationState.MISSING)
    try:
        version = read_installation(Path(entry.folder)).version
    except UnfinishedInstallation as error:
        return ListedInstallation(entry, InstallationState.UNFINISHED, problem=str(error))
    except ClientError as error:
        return ListedInstallation(entry, InstallationState.UNKNOWN, problem=str(error))
    if offered_versions.problem:
        return ListedInstallation(entry, InstallationState.UNKNOWN, version, problem=offered_versions.problem)
    try:
        newest = choose_version(offered_versions.versions, platforms=(version.platform,))
    except NoMatch as error:
        return ListedInstallation(entry, InstallationState.UNKNOWN, version, problem=str(error))
    return ListedInstallation(
        entry, InstallationState.CURRENT if newest.id == version.id else InstallationState.OUTDATED, version, newest
    )


def _add_search_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="?", default="", help="search text (default: all games)")


def _search(shell: Shell, *, text: str) -> int:
    with shell.server() as server:
        games = server.search(text, limit=_MAX_GAMES)
    rows = [(each.name, ", ".join(each.platforms), each.id) for each in games]
    shown = Listing(("Game", "Platforms", "Id"), rows, "No games found.")
    shell.screen.show_result({"games": msgspec.to_builtins(games)}, shown)
    return Exit.DONE


def _add_info_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="name or id of a game of the store")


def _info(shell: Shell, *, game: str) -> int:
    with shell.server() as server:
        page = find_game(server, game)
        played = play_times(shell.folders).get(GameKey(server.address, page.id))
    about = [page.short_description] if page.short_description else []
    about += [f"Played for {duration(played.seconds)}, last on {played.last_played:%Y-%m-%d}."] if played else []
    versions = [f"  {describe(each)}" for each in page.versions]
    head = "Versions, oldest first:" if versions else "No versions yet."
    document = {**msgspec.to_builtins(page), "played": msgspec.to_builtins(played)}
    shell.screen.show_result(document, [f"{page.name} ({page.id})", *about, head, *versions])
    return Exit.DONE


COMMANDS = (
    Command("list", "List the installed games, and which have an update.", _list),
    Command("search", "Search the store.", _search, _add_search_arguments),
    Command("info", "Show a game and its versions.", _info, _add_info_arguments),
)
