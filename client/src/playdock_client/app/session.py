"""The app's session with one server: its library, its jobs and its games."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from playdock_client import __version__
from playdock_client.app import drives
from playdock_client.app.adoptable import AdoptableFolder, adoptable_folders
from playdock_client.app.app_settings import AppSettings, GameFolder, SettingsFile
from playdock_client.app.changes import Changes
from playdock_client.app.client_updater import ClientUpdater
from playdock_client.app.device_sync import DeviceSync
from playdock_client.app.game_details import GameDetails, GameLinks
from playdock_client.app.game_processes import GameProcesses
from playdock_client.app.job_queue import Hold, JobProgress, JobQueue
from playdock_client.app.jobs import CheckedFiles, Job, JobKind, JobState, new_job_id
from playdock_client.app.library import GameState, Library
from playdock_client.app.operations import Operations
from playdock_client.app.state import AgentState, GameFolderState, JobProgressState, ShownJob
from playdock_client.choosing import choose_version
from playdock_client.client_folders import folder_name
from playdock_client.connection import Server
from playdock_client.errors import ClientError, NotInstalled, NotSignedIn, ServerUnavailable
from playdock_client.launch_properties import LaunchProperties
from playdock_client.responses import GameInfo
from playdock_client.shell import Shell
from playdock_client.shortcuts.game_shortcuts import ShortcutPlace

# New versions are rare, and one call per installed game is sent.
_UPDATE_CHECK_SECONDS = 15 * 60.0
# After a failed check, for example because the machine has just woken up.
_RETRY_CHECK_SECONDS = 30.0
# A game that was queued on a phone begins to download within this time.
_SYNC_SECONDS = 30.0
# Commands in a terminal also change installations.
_REFRESH_SECONDS = 1.0
_SHORT_RETRY_SECONDS = 3.0


class NoSuchFolder(ClientError):
    """There is no folder with this id."""

    def __init__(self) -> None:
        super().__init__("This folder is not in the list of folders any more. Choose another one.")


class ServerSession:
    """What the pages of one server can do on this machine."""

    def __init__(self, shell: Shell, server: str, updater: ClientUpdater) -> None:
        self.changes = Changes()
        self.server = server
        self.updater = updater
        self.settings = SettingsFile(shell.folders)
        self.processes = GameProcesses(shell.folders, server, shell.environment, self.changes.announce)
        self.library = Library(shell.registry, server)
        self._shell = shell
        self._links = GameLinks(shell)
        self._operations = Operations(shell, self.settings, self._links)
        jobs = shell.folders.data / "jobs" / f"{folder_name(server)}.json"
        self.queue = JobQueue(jobs, self._run, hold=self._hold, changes=self.changes)
        self._sync = DeviceSync(lambda game: self.install(game, version=None, folder=None, shortcuts=()))
        self._online = True
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._watch, name="library", daemon=True)

    def start(self) -> None:
        self.library.refresh()
        self.queue.start()
        self._thread.start()

    def close(self) -> None:
        self._closing = True
        self._wake.set()
        self.queue.close()
        self.changes.close()

    def note_reached(self, *, reached: bool) -> None:
        """Record whether the server could be reached; when it is back, look for updates."""
        if reached != self._online:
            self._online = reached
            self.changes.announce()
            if reached:
                self._wake.set()

    def state(self) -> AgentState:
        app = self.settings.read().app
        return AgentState(
            number=self.changes.number,
            version=__version__,
            server=self.server,
            platform=self._shell.machine.platform,
            runs=self._shell.machine.runs,
            online=self._online,
            games=self.library.games(),
            jobs=[self._shown(job) for job in self.queue.jobs()],
            hold=self.queue.hold,
            running=self.processes.running(),
            starting=self.processes.starting(),
            played=self.processes.played(),
            launch_problems=self.processes.problems(),
            settings=app,
            client_update=self.updater.state,
            folders=[_folder_state(each) for each in self.settings.game_folders()],
        )

    def install(
        self, game_id: str, *, version: str | None, folder: str | None, shortcuts: tuple[ShortcutPlace, ...]
    ) -> None:
        """Queue an installation, or the rest of an unfinished one. Raises ClientError."""
        known = next((each for each in self.library.games() if each.game == game_id), None)
        if known is not None and known.state is GameState.UNFINISHED:
            self._add(JobKind.INSTALL, GameInfo(known.game, known.name), Path(known.folder), version=version)
            return
        base = self.settings.path_of(folder) if folder else Path(self.settings.game_folders()[0].path)
        if base is None:
            raise NoSuchFolder
        with self._shell.server(self.server, retry_seconds=_SHORT_RETRY_SECONDS) as server:
            page = server.game(game_id)
        choose_version(page.versions, query=version, platforms=self._shell.machine.runs)
        game = GameInfo(page.id, page.name)
        self._add(JobKind.INSTALL, game, _free_folder(base, page.name), version=version, shortcuts=shortcuts)

    def submit(
        self,
        kind: JobKind,
        game_id: str,
        *,
        version: str | None = None,
        automatic: bool = False,
        remove_own: bool = False,
        remove_prefix: bool = False,
    ) -> None:
        """Queue something for an installed game. Raises NotInstalled, GameBusy."""
        game = self.library.find(game_id)
        self._add(
            kind,
            GameInfo(game.game, game.name),
            Path(game.folder),
            version=version,
            automatic=automatic,
            remove_own=remove_own,
            remove_prefix=remove_prefix,
        )

    def update(self, game_id: str, version: str | None) -> None:
        """Queue the update of an installation, by default to the newest version. Raises NotInstalled, GameBusy."""
        self.submit(JobKind.UPDATE, game_id, version=version)

    def move(self, game_id: str, folder_id: str) -> None:
        """Queue the move of an installation to another folder for games. Raises NotInstalled, NoSuchFolder."""
        game, base = self.library.find(game_id), self.settings.path_of(folder_id)
        if base is None:
            raise NoSuchFolder
        target = _free_folder(base, game.name)
        self._add(JobKind.MOVE, GameInfo(game.game, game.name), Path(game.folder), target=str(target))

    def cancel(self, job_id: str) -> None:
        """Remove a job, with what it has downloaded of a new game."""
        job = self.queue.cancel(job_id)
        self._operations.remove_unfinished(job)
        self._refresh()

    def launch(self, game_id: str) -> None:
        """Start a game. Raises NotInstalled."""
        game = self.library.find(game_id)
        if game.state is not GameState.INSTALLED:
            raise NotInstalled(f"{game.name} is not completely installed.")
        self.processes.launch(game_id, Path(game.folder))

    def stop(self, game_id: str) -> None:
        """Stop a game. Raises NotInstalled, NotRunning, StopFailed."""
        self.processes.stop(game_id, Path(self.library.find(game_id).folder))

    def details(self, game_id: str) -> GameDetails:
        """Return shortcuts, properties and problems of an installed game. Raises NotInstalled, ClientError."""
        game = self.library.find(game_id)
        return self._links.details(game.name, Path(game.folder))

    def set_shortcuts(self, game_id: str, places: Sequence[ShortcutPlace]) -> None:
        """Make exactly these shortcuts to a game. Raises NotInstalled, CannotMakeShortcut."""
        game = self.library.find(game_id)
        self._links.remove_shortcuts(game.name, Path(game.folder))
        self._links.add_shortcuts(self.server, game_id, game.name, Path(game.folder), places)

    def set_steam(self, game_id: str, *, present: bool) -> None:
        """Add a game to Steam, or remove it. Raises NotInstalled, SteamNotFound, SteamRunning, UnknownFormat."""
        game = self.library.find(game_id)
        self._links.set_steam(self.server, game_id, game.name, Path(game.folder), present=present)

    def set_properties(self, game_id: str, properties: LaunchProperties) -> None:
        """Store how a game is launched. Raises NotInstalled, InvalidProperties."""
        self._links.set_properties(Path(self.library.find(game_id).folder), properties)

    def adoptable_folders(self) -> list[AdoptableFolder]:
        """Return the folders that may contain files of games but are no installations yet."""
        bases = [Path(each.path) for each in self.settings.game_folders()]
        return adoptable_folders(bases, {each.folder for each in self.library.games()})

    def adopt(self, game_id: str, folder_id: str) -> None:
        """Queue the adoption of such a folder. Raises NoSuchFolder, GameBusy, ClientError."""
        folder = next((each for each in self.adoptable_folders() if each.id == folder_id), None)
        if folder is None:
            raise NoSuchFolder
        with self._shell.server(self.server, retry_seconds=_SHORT_RETRY_SECONDS) as server:
            page = server.game(game_id)
        self._add(JobKind.ADOPT, GameInfo(page.id, page.name), Path(folder.path))

    def open_folder(self, game_id: str) -> None:
        """Show an installation in the file manager. Raises NotInstalled, ClientError."""
        show_folder(Path(self.library.find(game_id).folder))

    def sign_out(self) -> None:
        """Sign this device out, on the server and then here. What is installed stays. Raises ClientError."""
        try:
            with self._shell.server(self.server, retry_seconds=_SHORT_RETRY_SECONDS) as server:
                server.sign_out()
        except NotSignedIn:
            # The device was signed out elsewhere.
            pass
        self._shell.credentials.remove(self.server)

    def change_settings(self, app: AppSettings) -> None:
        before = self.settings.read().app
        self.settings.write(app)
        if app.limit_rate != before.limit_rate:
            self.queue.restart_downloads()
        if app.update_client and not before.update_client:
            self.updater.check()
        self.changes.announce()

    def set_automatic(self, game_id: str, *, automatic: bool | None) -> None:
        """Install updates of a game automatically or not; None for the general setting."""
        app = self.settings.read().app
        others = {game: value for game, value in app.automatic_updates_of.items() if game != game_id}
        of = others if automatic is None else {**others, game_id: automatic}
        self.change_settings(msgspec.structs.replace(app, automatic_updates_of=of))

    def check_updates_now(self) -> None:
        self._wake.set()
        self.updater.check()

    def drives(self) -> list[drives.Drive]:
        return drives.drives()

    def add_folder(self, drive_id: str) -> None:
        """Use a disk for games. Raises NoSuchFolder."""
        drive = next((each for each in drives.drives() if each.id == drive_id), None)
        if drive is None:
            raise NoSuchFolder
        self.settings.add_folder(GameFolder(drive.id, drive.path))
        self.changes.announce()

    def remove_folder(self, folder_id: str) -> None:
        self.settings.remove_folder(folder_id)
        self.changes.announce()

    def _add(self, kind: JobKind, game: GameInfo, folder: Path, **details: Any) -> None:
        self.queue.submit(Job(new_job_id(), kind, self.server, game, str(folder), **details))

    def _run(self, job: Job, progress: JobProgress) -> CheckedFiles | None:
        try:
            return self._operations.run(job, progress)
        finally:
            self._refresh()

    def _hold(self) -> Hold | None:
        playing = bool(self.processes.running() or self.processes.starting())
        return hold(self.settings.read().app, playing=playing, now=datetime.now().astimezone())

    def _refresh(self) -> None:
        self.processes.refresh()
        if self.library.refresh():
            self.changes.announce()

    def _watch(self) -> None:
        """Look for changes by other programs, and for updates."""
        waited, pause = 0.0, 0.0
        while not self._closing:
            if waited >= pause or self._wake.is_set():
                self._wake.clear()
                waited, pause = 0.0, _UPDATE_CHECK_SECONDS if self._check_updates() else _RETRY_CHECK_SECONDS
            elif self._online and waited % _SYNC_SECONDS < _REFRESH_SECONDS:
                self._ask_server(self._synchronize)
            self._refresh()
            self._wake.wait(_REFRESH_SECONDS)
            waited += _REFRESH_SECONDS

    def _check_updates(self) -> bool:
        """Fetch the offered versions and queue automatic updates; return whether the server could be reached."""
        if not self._ask_server(self.library.fetch_versions, self._synchronize):
            return False
        self._refresh()
        self._queue_updates()
        return True

    def _ask_server(self, *calls: Callable[[Server], None]) -> bool:
        """Make calls to the server, and return whether that succeeded."""
        try:
            with self._shell.server(self.server, retry_seconds=_SHORT_RETRY_SECONDS) as server:
                server.user()
                for call in calls:
                    call(server)
        except ServerUnavailable:
            self.note_reached(reached=False)
            return False
        except ClientError:
            return False
        self.note_reached(reached=True)
        return True

    def _synchronize(self, server: Server) -> None:
        installed = {each.game: each.version.id for each in self.library.games() if each.version}
        self._sync.run(server, installed)

    def _queue_updates(self) -> None:
        app = self.settings.read().app
        running = {each.game for each in self.processes.running()}
        # An update that has failed is repeated by the player, who sees why.
        busy = {job.game.id for job in self.queue.jobs() if job.state is not JobState.DONE}
        for game in self.library.games():
            if game.newest and app.updates_automatically(game.game) and game.game not in running | busy:
                self.submit(JobKind.UPDATE, game.game, automatic=True)

    def _shown(self, job: Job) -> ShownJob:
        reading = self.queue.reading(job.id)
        progress = reading and JobProgressState(
            phase=reading.phase,
            done=reading.done,
            total=reading.total,
            speed=round(reading.speed),
            left=None if reading.left is None else round(reading.left),
        )
        return ShownJob(
            job.id, job.kind, job.game, job.state, job.automatic, job.problem, job.checked, progress or None
        )


def hold(app: AppSettings, *, playing: bool, now: datetime) -> Hold | None:
    """Return why downloads must wait, if they must."""
    if playing and app.pause_while_playing:
        return Hold.PLAYING
    if app.hours is not None and not app.hours.contains(now.time()):
        return Hold.HOURS
    return None


def show_folder(folder: Path) -> None:
    """Show a folder in the file manager. Raises ClientError."""
    try:
        if sys.platform == "win32":
            os.startfile(folder)  # noqa: S606 - the player's own folder
            return
        opener = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
        if opener is None:
            raise ClientError(f"There is no program to show folders. The game is in {folder}.")
        subprocess.Popen([opener, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    except OSError as error:
        raise ClientError(f"The folder cannot be shown: {error.strerror or error}. The game is in {folder}.") from error


def _free_folder(base: Path, name: str) -> Path:
    """Return a folder for a game below a folder for games that does not exist yet."""
    first = base / folder_name(name)
    number, found = 2, first
    while found.exists():
        found = first.with_name(f"{first.name} {number}")
        number += 1
    return found


def _folder_state(folder: GameFolder) -> GameFolderState:
    path = Path(folder.path)
    existing = next((each for each in (path, *path.parents) if each.is_dir()), None)
    try:
        free = shutil.disk_usage(existing).free if existing else None
    except OSError:
        free = None
    return GameFolderState(folder.id, folder.path, free)
