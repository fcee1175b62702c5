"""Does the jobs of the queue."""

import shutil
import subprocess
from pathlib import Path

from playdock_client import installing
from playdock_client.app.app_settings import SettingsFile
from playdock_client.app.game_details import GameLinks
from playdock_client.app.job_queue import JobProgress
from playdock_client.app.jobs import CheckedFiles, Job, JobKind
from playdock_client.app.moving import move_installation
from playdock_client.choosing import choose_version
from playdock_client.connection import Server
from playdock_client.installing import FetchOptions
from playdock_client.launch import Launcher
from playdock_client.progress import Phase
from playdock_client.recognizing import recognize
from playdock_client.responses import GamePage, VersionInfo
from playdock_client.shell import Shell
from playdock_client.shortcuts.game_shortcuts import ShortcutTarget
from playdock_client.unlinking import remove_links_to


class Operations:
    """Does jobs in the environment of a command."""

    def __init__(self, shell: Shell, settings: SettingsFile, links: GameLinks) -> None:
        self._shell = shell
        self._links = links
        self._settings = settings

    def run(self, job: Job, progress: JobProgress) -> CheckedFiles | None:
        """Do a job to its end. Raises ClientError; a job that is run again continues."""
        folder = Path(job.folder)
        match job.kind:
            case JobKind.INSTALL | JobKind.UPDATE | JobKind.ADOPT | JobKind.REPAIR:
                self._download(job, folder, progress)
            case JobKind.VERIFY:
                result = installing.verify(folder, progress=progress)
                return CheckedFiles(len(result.missing), len(result.damaged))
            case JobKind.MOVE:
                self._move(job, folder, progress)
            case JobKind.PREPARE:
                self._prepare(folder, progress)
            case JobKind.UNINSTALL:
                self._uninstall(job, folder)
        return None

    def remove_unfinished(self, job: Job) -> None:
        """Remove what a cancelled installation has downloaded, unless a version is installed."""
        folder = Path(job.folder)
        if job.kind is JobKind.INSTALL and not installing.is_installed(folder):
            if folder.is_dir():
                installing.uninstall(folder)
            self._shell.registry.remove(folder)

    @property
    def _options(self) -> FetchOptions:
        return FetchOptions(limit_rate=self._settings.read().app.limit_rate)

    def _download(self, job: Job, folder: Path, progress: JobProgress) -> None:
        shell = self._shell
        with shell.server(job.server) as server:
            if job.kind is JobKind.REPAIR:
                installing.repair(server, folder, options=self._options, progress=progress)
                return
            page = server.game(job.game.id)
            version = self._version(server, page, job, progress)
            if job.kind is JobKind.UPDATE:
                installing.update(server, folder, version, options=self._options, progress=progress)
                return
            do = installing.install if job.kind is JobKind.INSTALL else installing.adopt
            with shell.listing(folder, server, page):
                do(server, page, version, folder, options=self._options, progress=progress)
        if job.shortcuts:
            self._links.add_shortcuts(job.server, job.game.id, job.game.name, folder, job.shortcuts)

    def _version(self, server: Server, page: GamePage, job: Job, progress: JobProgress) -> VersionInfo:
        platforms = self._shell.machine.runs
        if job.kind is JobKind.ADOPT:
            return recognize(server, page.versions, Path(job.folder), platforms=platforms, progress=progress).version
        return choose_version(page.versions, query=job.version, platforms=platforms)

    def _move(self, job: Job, folder: Path, progress: JobProgress) -> None:
        target = Path(job.target or "")
        before = self._links.details(job.game.name, folder)
        move_installation(folder, target, progress=progress)
        self._links.follow(job.server, job.game, before, old=folder, new=target)
        self._shell.open(target)
        self._shell.registry.remove(folder)

    def _prepare(self, folder: Path, progress: JobProgress) -> None:
        """Let `umu-run` download what a Windows game needs, which it does by itself, without any limits."""
        shell = self._shell
        progress.begin(Phase.PREPARE, total=0)
        launcher = Launcher(shell.machine, shell.folders, shell.environment, lambda _: None, output=subprocess.DEVNULL)
        launcher.prepare(folder, check=progress.check)

    def _uninstall(self, job: Job, folder: Path) -> None:
        if folder.is_dir():
            installing.uninstall(folder, keep_own=not job.remove_own)
        shell, target = self._shell, ShortcutTarget(job.game.name, folder)
        remove_links_to(target, machine=shell.machine, folders=shell.folders, environment=shell.environment)
        prefix = self._shell.folders.prefix(job.game.id)
        if job.remove_prefix and prefix.is_dir():
            with installing.explained_disk_errors(prefix):
                shutil.rmtree(prefix)
        self._shell.registry.remove(folder)
