"""Launches installed games: the installer once, then the game, with the version's and the player's arguments.

A command is a path relative to the installation's folder. It comes from a server, so it must not leave that folder, not
even through a link. Windows programs run on Linux with umu-launcher, which is configured by the environment variables
GAMEID, WINEPREFIX, and PROTONPATH if the player has set it.
"""

import re
import shlex
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from playdock_client.client_folders import ClientFolders
from playdock_client.credentials import TOKEN_VARIABLE
from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.installing import read_installation
from playdock_client.machine import MACOS, WINDOWS, Machine
from playdock_client.names import path_problem

_SET_UP_FILE = "set-up.json"
_DEFAULT_GAME_ID = "umu-default"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BUNDLE = re.compile(r"((?:.*/)?[^/]+\.app)(?:/Contents/MacOS/[^/]+)?")
_OWNER_EXECUTE, _READERS = 0o100, 0o444
# The exit status of a process ended by signal n is 128 + n, as in shells.
_SIGNAL_STATUS_BASE = 128


class CannotLaunch(ClientError):
    """The game cannot be launched; the message says why."""


class SetUpFailed(ClientError):
    """The installer exited with a status other than 0."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command of a version and its arguments, as sent by the server."""

    command: str
    arguments: str


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
    """Launches games. `info` shows a message; `output` is the standard output of programs, inherited if None."""

    machine: Machine
    folders: ClientFolders
    environment: Mapping[str, str]
    info: Callable[[str], None]
    output: int | None = None

    def launch(self, folder: Path, extra: Sequence[str] = ()) -> int:
        """Launch the game in a folder, after its installer if that has not succeeded yet; return the exit status.

        If the version is only an installer, run that each time.

        Raises NotInstalled, CannotLaunch, SetUpFailed.
        """
        installation = read_installation(folder)
        version = installation.version
        set_up = Program(version.setup, version.setup_args)
        if version.only_setup:
            self.info(f"{installation.game.name} {version.name} is an installer only. Running it now.")
            return self._run(installation, folder, set_up, extra)
        if version.setup and not _is_set_up(folder, version.id):
            self._set_up(installation, folder, set_up)
        if not version.launch:
            raise CannotLaunch(
                f"No launch command is set for {installation.game.name} {version.name}. "
                "Ask the administrator to set one."
            )
        return self._run(installation, folder, Program(version.launch, version.launch_args), extra)

    def _set_up(self, installation: Installation, folder: Path, set_up: Program) -> None:
        self.info(f"Running the installer of {installation.game.name} before the first launch.")
        status = self._run(installation, folder, set_up, ())
        if status:
            raise SetUpFailed(
                f"The installer of {installation.game.name} failed with status {status}, so the game was not launched. "
                "Launch it again to retry."
            )
        write_document(folder / OWN_FOLDER / _SET_UP_FILE, _SetUp(installation.version.id))

    def _run(self, installation: Installation, folder: Path, program: Program, extra: Sequence[str]) -> int:
        self._require_platform(installation)
        path = path_of(folder, program.command)
        if "\0" in program.arguments:
            raise CannotLaunch("The launch arguments from the server are invalid, so the program was not started.")
        if WINDOWS not in (self.machine.platform, installation.version.platform):
            _make_executable(path)
        invocation = self.invocation(installation, folder, path, program, extra)
        return self._wait_for(invocation, folder, program.command)

    def _require_platform(self, installation: Installation) -> None:
        name, platform = installation.game.name, installation.version.platform
        if platform not in self.machine.runs:
            raise CannotLaunch(f"This version of {name} is for {platform} and cannot run on {self.machine.platform}.")
        if platform != self.machine.platform and self.machine.umu is None:
            raise CannotLaunch(
                f"{name} is a Windows game. To run it on Linux, install umu-launcher, so that umu-run is on the PATH, "
                "then launch the game again."
            )

    def invocation(
        self, installation: Installation, folder: Path, path: Path, program: Program, extra: Sequence[str]
    ) -> Invocation:
        """Return the process to start. Raises CannotLaunch if the arguments are invalid."""
        platform = installation.version.platform
        opener = ["msiexec", "/i"] if path.suffix.lower() == ".msi" else []
        if self.machine.platform == WINDOWS:
            line = [subprocess.list2cmdline([*opener, str(path)]), program.arguments, subprocess.list2cmdline(extra)]
            return Invocation(" ".join(part for part in line if part))
        words = [*split(program.arguments, platform=platform), *extra]
        if platform == WINDOWS:
            return Invocation([str(self.machine.umu), *opener, str(path), *words], self._windows(installation))
        if platform == MACOS and (bundle := bundle_of(folder, path)):
            return Invocation(["open", "-W", "-a", str(bundle), *(["--args", *words] if words else [])])
        return Invocation([str(path), *words])

    def _windows(self, installation: Installation) -> Mapping[str, str]:
        game_id = installation.version.compat_id or _DEFAULT_GAME_ID
        if _CONTROL.search(game_id):
            raise CannotLaunch("The compatibility ID from the server is invalid.")
        prefix = self.folders.prefix(installation.game.id)
        prefix.mkdir(parents=True, exist_ok=True)
        return {"GAMEID": game_id, "WINEPREFIX": str(prefix)}

    def _wait_for(self, invocation: Invocation, folder: Path, command: str) -> int:
        """Run until it exits. Ctrl-C is left to the program, and the token is not passed to it."""
        inherited = {name: value for name, value in self.environment.items() if name != TOKEN_VARIABLE}
        with _ignoring_ctrl_c():
            try:
                running = subprocess.Popen(  # noqa: S603 - the player launches it
                    invocation.command, cwd=folder, env={**inherited, **invocation.environment}, stdout=self.output
                )
            except OSError as error:
                raise CannotLaunch(f"{command} cannot be started: {error.strerror}.") from error
            status = running.wait()
        return status if status >= 0 else _SIGNAL_STATUS_BASE - status


@contextmanager
def _ignoring_ctrl_c() -> Iterator[None]:
    """Leave Ctrl-C to the program. Only the main thread receives the signal.

    The signal is handled rather than ignored, since child processes inherit ignored signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


def path_of(folder: Path, command: str) -> Path:
    """Return the path of a command. Raises CannotLaunch if it is missing or outside the folder."""
    if not command or path_problem(command):
        raise CannotLaunch("The launch command from the server is not inside the installation, so it was not started.")
    root = folder.resolve()
    # Do not resolve the returned path: some programs depend on the name they are started with.
    path = root.joinpath(*command.split("/"))
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise CannotLaunch(f"{command} is missing from the installation. Repair the game to restore it.") from error
    if not real.is_relative_to(root):
        raise CannotLaunch(f"{command} is a link that leaves the installation, so it was not started.")
    return path


def split(arguments: str, *, platform: str) -> list[str]:
    r"""Split arguments like the platform does. On Windows ``\`` and ``'`` have no special meaning.

    Raises CannotLaunch if a quotation is not closed.
    """
    lexer = shlex.shlex(arguments, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if platform == WINDOWS:
        lexer.escape, lexer.quotes = "", '"'
    try:
        return list(lexer)
    except ValueError as error:
        raise CannotLaunch("A quotation in the launch arguments from the server is not closed.") from error


def bundle_of(folder: Path, path: Path) -> Path | None:
    """Return the macOS application bundle that a path is or belongs to, if any."""
    found = _BUNDLE.fullmatch(path.relative_to(folder.resolve()).as_posix())
    return folder.resolve() / found[1] if found else None


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
