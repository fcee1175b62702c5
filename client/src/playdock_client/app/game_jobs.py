"""Puts what the pages want done with games into the queue: installations, updates, moves, adoptions."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from playdock_client.app.adoptable import AdoptableFolder, adoptable_folders
from playdock_client.app.app_settings import NoSuchFolder, SettingsFile
from playdock_client.app.installed_games import InstalledGames
from playdock_client.app.job_queue import JobQueue
from playdock_client.app.jobs import Job, JobKind, JobState, new_job_id
from playdock_client.app.library import GameState
from playdock_client.app.operations import Operations
from playdock_client.choosing import choose_version
from playdock_client.client_folders import folder_name
from playdock_client.connection import Server
from playdock_client.responses import GameInfo, GamePage
from playdock_client.shortcuts.game_shortcuts import ShortcutPlace


class GameJobs:
    """Makes jobs of ids: of games of one server, and of folders that are configured here."""

    def __init__(
        self,
        server: str,
        connect: Callable[[], AbstractContextManager[Server]],
        games: InstalledGames,
        *,
        settings: SettingsFile,
        queue: JobQueue,
        operations: Operations,
        platforms: Sequence[str],
    ) -> None:
        """``connect`` opens a connection to the server; ``platforms`` are those whose games run here."""
        self._server = server
        self._connect = connect
        self._games = games
        self._settings = settings
        self._queue = queue
        self._operations = operations
        self._platforms = platforms

    def install(
        self, game_id: str, *, version: str | None, folder: str | None, shortcuts: tuple[ShortcutPlace, ...]
    ) -> None:
        """Queue an installation, or the rest of an unfinished one. Raises ClientError."""
        known = next((each for each in self._games.library.games() if each.game == game_id), None)
        if known is not None and known.state is GameState.UNFINISHED:
            self._add(JobKind.INSTALL, GameInfo(known.game, known.name), Path(known.folder), version=version)
            return
        base = self._settings.path_of(folder) if folder else Path(self._settings.game_folders()[0].path)
        page = self._page(game_id)
        choose_version(page.versions, query=version, platforms=self._platforms)
        game = GameInfo(page.id, page.name)
        self._add(JobKind.INSTALL, game, _free_folder(base, page.name), version=version, shortcuts=shortcuts)

    def submit(self, kind: JobKind, game_id: str, **details: Any) -> None:
        """Queue something for an installed game; ``details`` are fields of the job. Raises NotInstalled, GameBusy."""
        game = self._games.library.find(game_id)
        self._add(kind, GameInfo(game.game, game.name), Path(game.folder), **details)

    def queue_updates(self) -> None:
        """Queue the updates that the player wants without being asked."""
        app = self._settings.read().app
        running = {each.game for each in self._games.processes.running()}
        # An update that has failed is repeated by the player, who sees why.
        busy = {job.game.id for job in self._queue.jobs() if job.state is not JobState.DONE}
        for game in self._games.library.games():
            if game.newest and app.updates_automatically(game.game) and game.game not in running | busy:
                self.submit(JobKind.UPDATE, game.game, automatic=True)

    def move(self, game_id: str, folder_id: str) -> None:
        """Queue the move of an installation to another folder for games. Raises NotInstalled, NoSuchFolder."""
        game, base = self._games.library.find(game_id), self._settings.path_of(folder_id)
        self.submit(JobKind.MOVE, game_id, target=str(_free_folder(base, game.name)))

    def adoptable_folders(self) -> list[AdoptableFolder]:
        """Return the folders that may contain files of games but are no installations yet."""
        bases = [Path(each.path) for each in self._settings.game_folders()]
        return adoptable_folders(bases, {each.folder for each in self._games.library.games()})

    def adopt(self, game_id: str, folder_id: str) -> None:
        """Queue the adoption of such a folder. Raises NoSuchFolder, GameBusy, ClientError."""
        folder = next((each for each in self.adoptable_folders() if each.id == folder_id), None)
        if folder is None:
            raise NoSuchFolder
        page = self._page(game_id)
        self._add(JobKind.ADOPT, GameInfo(page.id, page.name), Path(folder.path))

    def cancel(self, job_id: str) -> None:
        """Remove a job, with what it has downloaded of a new game."""
        job = self._queue.cancel(job_id)
        self._operations.remove_unfinished(job)
        self._games.refresh()

    def _page(self, game_id: str) -> GamePage:
        with self._connect() as server:
            return server.game(game_id)

    def _add(self, kind: JobKind, game: GameInfo, folder: Path, **details: Any) -> None:
        self._queue.submit(Job(new_job_id(), kind, self._server, game, str(folder), **details))


def _free_folder(base: Path, name: str) -> Path:
    """Return a folder for a game below a folder for games that does not exist yet."""
    first = base / folder_name(name)
    number, found = 2, first
    while found.exists():
        found = first.with_name(f"{first.name} {number}")
        number += 1
    return found
