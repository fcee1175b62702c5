"""Launches installed games: the installer once, then the game, with the version's and the player's arguments.

A command is a path relative to the installation's folder. It comes from a server, so it must not leave that folder, not
even through a link. Windows programs run on Linux with umu-launcher.
"""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import msgspec

from playdock_client.client_folders import ClientFolders
from playdock_client.credentials import TOKEN_VARIABLE
from playdock_client.documents import read_document, write_document
from playdock_client.errors import CannotLaunch, ClientError, GameRunning
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.installed_program import INSTALLED_FOLDER, find_program
from playdock_client.installer import opened_for_reading
from playdock_client.launch_command import bundle_of, path_of, split
from playdock_client.launch_properties import LaunchProperties, read_properties
from playdock_client.machine import MACOS, WINDOWS, Machine
from playdock_client.own_folder import OwnFolder
from playdock_client.playing.play import GameRun
from playdock_client.playing.program_start import ProgramStart
from playdock_client.playing.running_games import running_game
from playdock_client.playing.sessions import PlaySession, SessionJournal
from playdock_client.umu import end_prefix, is_online, prepare, umu_environment

_SET_UP_FILE = "set-up.json"
_OWNER_EXECUTE, _READERS = 0o100, 0o444


# A sentence without the game's name.
NO_UMU = (
    "To run Windows games on Linux, install umu-launcher, so that umu-run is on the PATH, then launch the game again."
)


class SetUpFailed(ClientError):
    """The installer exited with a status other than 0."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command and its arguments: of the version, as sent by the server, or ``chosen`` by the player.

    It runs in ``working_folder``, a path below that of the game.
    """

    command: str
    arguments: str = ""
    chosen: bool = False
    working_folder: str = ""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A process to start: a list of arguments, or a command line on Windows, and additional environment variables."""

    command: Sequence[str] | str
    environment: Mapping[str, str] = field(default_factory=dict)


class _SetUp(msgspec.Struct, frozen=True):
    """The version whose set-up has succeeded."""

    version: str


@dataclass(frozen=True, slots=True)
class Launcher:
    """Launches games. `info` shows a message; `output` is the standard output of programs, inherited if None.

    Use it in a process of its own, as `playdock-client launch` does: on Linux it waits for all children of the process.
    """

    machine: Machine
    folders: ClientFolders
    environment: Mapping[str, str]
    info: Callable[[str], None]
    output: int | None = None
    online: Callable[[], bool] = is_online

    def launch(
        self, folder: Path, extra: Sequence[str] = (), *, around: AbstractContextManager[object] | None = None
    ) -> PlaySession:
        """Launch the game in a folder, after its installer if that has not succeeded yet, and wait until it has ended.

        If the version is only an installer, launch the program that it has installed; run it each time as long as that
        is not found. ``around`` is entered and left while no other process
        can launch the game.

        Raises NotInstalled, GameRunning, CannotLaunch, SetUpFailed.
        """
        if running := running_game(self.folders, folder):
            raise GameRunning(f"{running.session.name} is already running.")
        with opened_for_reading(folder, playing=True) as own, around or nullcontext():
            installation = own.read_installation()
            version = installation.version
            program, session = _program_of(installation, folder), None
            if version.setup and not (_is_set_up(folder, version.id) and (program or not version.only_setup)):
                session = self._set_up(installation, own)
                program = _program_of(installation, folder)
            if program is None and session and version.only_setup:
                self.info(_without_program(installation, folder))
                return session
            if program is None:
                raise CannotLaunch(
                    f"No launch command is set for {version.title_with(installation.game.name)}. "
                    "Ask the administrator to set one."
                )
            words = [*split(read_properties(folder).arguments, platform=version.platform), *extra]
            return self._run(installation, own, program, words)

    def prepare(self, folder: Path | None = None, *, check: Callable[[], None] = lambda: None) -> None:
        """Let `umu-run` download what it needs, for one Windows game or for all. ``check`` may raise an error to stop.

        Raises CannotLaunch, CannotPrepare.
        """
        if self.machine.umu is None:
            raise CannotLaunch(NO_UMU)
        properties = read_properties(folder) if folder else LaunchProperties()
        game, version = "prepare", None
        if folder:
            installation = OwnFolder(folder).read_installation()
            game, version = installation.game.id, installation.version.compat_id
        variables = umu_environment(
            properties, compat_id=version, prefix=self.folders.prefix(game), online=self.online()
        )
        prepare(self.machine.umu, {**self._inherited(), **variables}, output=self.output, check=check)

    def _set_up(self, installation: Installation, own: OwnFolder) -> PlaySession:
        version = installation.version
        self.info(f"Running the installer of {installation.game.name} before the first launch.")
        session = self._run(installation, own, Program(version.setup, version.setup_args), (), is_set_up=True)
        if session.status:
            raise SetUpFailed(
                f"The installer of {installation.game.name} failed with status {session.status}, so the game was not "
                "launched. Launch it again to retry."
            )
        write_document(own.root / _SET_UP_FILE, _SetUp(version.id))
        return session

    def _run(
        self,
        installation: Installation,
        own: OwnFolder,
        program: Program,
        extra: Sequence[str],
        *,
        is_set_up: bool = False,
    ) -> PlaySession:
        """Run a program of the installation until it has ended. The token is not passed to it."""
        self._require_platform(installation)
        path = _path_of(own.folder, program)
        if "\0" in program.arguments:
            raise CannotLaunch("The launch arguments from the server are invalid, so the program was not started.")
        if WINDOWS not in (self.machine.platform, installation.version.platform):
            _make_executable(path)
        invocation = self.invocation(installation, own.folder, path, program, extra)
        environment = {**self._inherited(), **invocation.environment}
        inherited = () if own.lock is None else (own.lock,)
        working = working_folder(own.folder, program, path)
        start = ProgramStart(invocation.command, working, environment, inherited=inherited)
        session = new_session(installation, own.folder, is_set_up=is_set_up)
        try:
            return self._game_run(session, installation, environment).run(start)
        except OSError as error:
            raise CannotLaunch(f"{program.command} cannot be started: {error.strerror}.") from error

    def _game_run(self, session: PlaySession, installation: Installation, environment: Mapping[str, str]) -> GameRun:
        def end_windows_programs() -> None:
            if self.machine.umu and installation.version.platform == WINDOWS:
                end_prefix(self.machine.umu, environment)

        journal = SessionJournal(self.folders.sessions)
        return GameRun(session, journal, self.machine.platform, before_stop=end_windows_programs, output=self.output)

    def _inherited(self) -> Mapping[str, str]:
        """Return the environment of programs, without the token."""
        return {name: value for name, value in self.environment.items() if name != TOKEN_VARIABLE}

    def _require_platform(self, installation: Installation) -> None:
        name, platform = installation.game.name, installation.version.platform
        if platform not in self.machine.runs:
            raise CannotLaunch(f"This version of {name} is for {platform} and cannot run on {self.machine.platform}.")
        if platform != self.machine.platform and self.machine.umu is None:
            raise CannotLaunch(f"{name} is a Windows game. {NO_UMU}")

    def invocation(
        self, installation: Installation, folder: Path, path: Path, program: Program, extra: Sequence[str]
    ) -> Invocation:
        """Return the process to start. Raises CannotLaunch if the arguments are invalid."""
        platform, properties = installation.version.platform, read_properties(folder)
        own = properties.environment
        opener = ["msiexec", "/i"] if path.suffix.lower() == ".msi" else []
        if self.machine.platform == WINDOWS:
            line = [subprocess.list2cmdline([*opener, str(path)]), program.arguments, subprocess.list2cmdline(extra)]
            return Invocation(" ".join(part for part in line if part), own)
        words = [*split(program.arguments, platform=platform), *extra]
        if platform == WINDOWS:
            variables = umu_environment(
                properties,
                compat_id=installation.version.compat_id,
                prefix=self.folders.prefix(installation.game.id),
                online=self.online(),
            )
            return Invocation([str(self.machine.umu), *opener, str(path), *words], {**variables, **own})
        if platform == MACOS and (bundle := bundle_of(folder, path)):
            return Invocation(["open", "-W", "-a", str(bundle), *(["--args", *words] if words else [])], own)
        return Invocation([str(path), *words], own)


def _program_of(installation: Installation, folder: Path) -> Program | None:
    """Return the program of a game: the player's, the version's, or the one that its installer has installed."""
    version, chosen = installation.version, read_properties(folder).program
    if chosen:
        return Program(chosen, chosen=True)
    if not version.only_setup:
        return Program(version.launch, version.launch_args) if version.launch else None
    found = find_program(folder, name=installation.game.name, platform=version.platform)
    return Program(found.command, found.arguments, working_folder=found.working_folder) if found else None


def _path_of(folder: Path, program: Program) -> Path:
    """Return the path of a program; only the player can choose one outside of the folder. Raises CannotLaunch."""
    if not program.chosen:
        return path_of(folder, program.command)
    path = folder.resolve() / program.command
    if not path.is_file() and path.suffix != ".app":
        raise CannotLaunch(f"{path} is missing. Choose another program, or that of the version.")
    return path


def working_folder(folder: Path, program: Program, path: Path) -> Path:
    """Return the folder in which a program runs: that of the game, wherever its installer or archive has put it."""
    if program.working_folder:
        return folder / program.working_folder
    if not path.is_relative_to(folder.resolve()):
        return path.parent
    installed = folder.resolve() / INSTALLED_FOLDER
    return folder / INSTALLED_FOLDER if path.is_relative_to(installed) else _unwrapped(folder, path)


def _unwrapped(folder: Path, path: Path) -> Path:
    """Return the folder of a program if nothing is beside it, as with archives that contain a folder."""
    inner = folder
    while (only := _only_folder(inner)) is not None:
        inner = only
        if path.parent == inner.resolve():
            return inner
    return folder


def _only_folder(folder: Path) -> Path | None:
    """Return the folder in another one that has no further content; what is hidden is not counted."""
    visible = [each for each in folder.iterdir() if not each.name.startswith(".")]
    return visible[0] if len(visible) == 1 and visible[0].is_dir() and not visible[0].is_symlink() else None


def _without_program(installation: Installation, folder: Path) -> str:
    name = installation.game.name
    return (
        f"The installer of {name} has ended, but no program was found in {folder / INSTALLED_FOLDER}. If it has "
        "installed the game elsewhere, name the program: playdock-client configure GAME --program FILE."
    )


def new_session(installation: Installation, folder: Path, *, is_set_up: bool) -> PlaySession:
    """Return the session of a run that starts now."""
    return PlaySession(
        id=str(uuid4()),
        server=installation.server,
        game=installation.game.id,
        name=installation.game.name,
        version=installation.version.id,
        version_name=installation.version.name,
        folder=str(folder.resolve()),
        started=datetime.now(UTC),
        set_up=is_set_up,
        launcher=os.getpid(),
    )


def _is_set_up(folder: Path, version: str) -> bool:
    try:
        done = read_document(folder / OWN_FOLDER / _SET_UP_FILE, _SetUp)
    except msgspec.MsgspecError:
        return False
    return done is not None and done.version == version


def _make_executable(path: Path) -> None:
    """Set the executable bits, which archives created on Windows lack, for those who may read the file."""
    mode = path.stat().st_mode
    if path.is_file() and not mode & _OWNER_EXECUTE:
        path.chmod(mode | (mode & _READERS) >> 2)
