"""Starting what is installed: set-up once, then the game, with its own arguments and the player's.

A command is a path of the version, relative to the installation's folder; it comes from a server, so it must not lead
out of that folder, not even by a link. Windows programs run on Linux by umu-launcher, which takes what it needs from
the environment: GAMEID, WINEPREFIX, and PROTONPATH if the player has set it.
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

from playdock_client.credentials import TOKEN_VARIABLE
from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.installing import read_installation
from playdock_client.machine import MACOS, WINDOWS, Machine
from playdock_client.names import refusal
from playdock_client.places import Places

_SET_UP_FILE = "set-up.json"
_DEFAULT_GAME_ID = "umu-default"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BUNDLE = re.compile(r"((?:.*/)?[^/]+\.app)(?:/Contents/MacOS/[^/]+)?")
_OWNER_RUNS, _READERS = 0o100, 0o444
_SIGNALLED = 128


class CannotLaunch(ClientError):
    """What is installed cannot be started; the sentence says why, and what is missing."""


class SetUpFailed(ClientError):
    """The set-up ended with another status than 0."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command of a version and its arguments, as the server has them."""

    command: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Invocation:
    """What is started: its words, or on Windows its whole line; and what is added to the environment."""

    command: Sequence[str] | str
    environment: Mapping[str, str] = field(default_factory=dict)


class _SetUp(msgspec.Struct, frozen=True):
    """The version whose set-up has succeeded."""

    version: str


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts games. `tell` is given sentences for the player; `output` is what programs write to, ours if None."""

    machine: Machine
    places: Places
    environment: Mapping[str, str]
    tell: Callable[[str], None]
    output: int | None = None

    def launch(self, folder: Path, extra: Sequence[str] = ()) -> int:
        """Start the game in a folder and give its exit status, after its set-up if that has not succeeded yet.

        Of a version that is only a set-up, that runs, as often as it is asked for.

        Raises NotInstalled, CannotLaunch, SetUpFailed.
        """
        installation = read_installation(folder)
        version = installation.version
        set_up = Program(version.setup, version.setup_args)
        if version.only_setup:
            self.tell(f"{installation.game.name} {version.name} is a set-up and nothing else. It is run now.")
            return self._run(installation, folder, set_up, extra)
        if version.setup and not _is_set_up(folder, version.id):
            self._set_up(installation, folder, set_up)
        if not version.launch:
            raise CannotLaunch(f"The server names no command that launches {installation.game.name} {version.name}.")
        return self._run(installation, folder, Program(version.launch, version.launch_args), extra)

    def _set_up(self, installation: Installation, folder: Path, set_up: Program) -> None:
        self.tell(f"{installation.game.name} is set up before it is launched for the first time.")
        status = self._run(installation, folder, set_up, ())
        if status:
            raise SetUpFailed(
                f"The set-up of {installation.game.name} ended with status {status}, so the game was not launched. "
                "Launch it again to run the set-up again."
            )
        write_document(folder / OWN_FOLDER / _SET_UP_FILE, _SetUp(installation.version.id))

    def _run(self, installation: Installation, folder: Path, program: Program, extra: Sequence[str]) -> int:
        self._require_platform(installation)
        path = path_of(folder, program.command)
        if "\0" in program.arguments:
            raise CannotLaunch("The arguments that the server names are no text, so the program is not run.")
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
                f"{name} is a game for Windows. On Linux it runs by umu-launcher, whose program umu-run is not on the "
                "PATH. Install umu-launcher, then launch the game again."
            )

    def invocation(
        self, installation: Installation, folder: Path, path: Path, program: Program, extra: Sequence[str]
    ) -> Invocation:
        """Put together what is started. Raises CannotLaunch if the arguments cannot be read."""
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
            raise CannotLaunch("The server's id for the compatibility layer has control characters in it.")
        prefix = self.places.prefix(installation.game.id)
        prefix.mkdir(parents=True, exist_ok=True)
        return {"GAMEID": game_id, "WINEPREFIX": str(prefix)}

    def _wait_for(self, invocation: Invocation, folder: Path, command: str) -> int:
        """Run to the end; Ctrl-C is the program's matter. Our token is none of it."""
        kept = {name: value for name, value in self.environment.items() if name != TOKEN_VARIABLE}
        with _without_ctrl_c():
            try:
                running = subprocess.Popen(  # noqa: S603 - what the player wants to run
                    invocation.command, cwd=folder, env={**kept, **invocation.environment}, stdout=self.output
                )
            except OSError as error:
                raise CannotLaunch(f"{command} cannot be started: {error.strerror}.") from error
            status = running.wait()
        return status if status >= 0 else _SIGNALLED - status


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Leave Ctrl-C to the program, from before it starts. Only the main thread hears of it, so only that needs this.

    It is heard and not ignored, for what is ignored would be ignored by the program, too.
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
    """Give the file or bundle that a command names. Raises CannotLaunch if it is missing or leads out of the folder."""
    if not command or refusal(command):
        raise CannotLaunch("The command that the server names is no path inside the installation, so it is not run.")
    root = folder.resolve()
    # The name stays as it is: programs look at the name they are run by.
    path = root.joinpath(*command.split("/"))
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise CannotLaunch(f"{command} is missing in the installation. A repair brings it back.") from error
    if not real.is_relative_to(root):
        raise CannotLaunch(f"{command} leads out of the installation by a link, so it is not run.")
    return path


def split(arguments: str, *, platform: str) -> list[str]:
    r"""Split arguments into words as the platform does: on Windows a ``\`` and a ``'`` are letters like any other.

    Raises CannotLaunch if a quote is left open.
    """
    lexer = shlex.shlex(arguments, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if platform == WINDOWS:
        lexer.escape, lexer.quotes = "", '"'
    try:
        return list(lexer)
    except ValueError as error:
        raise CannotLaunch("The arguments that the server names leave a quotation open.") from error


def bundle_of(folder: Path, path: Path) -> Path | None:
    """Give the macOS application that a path is, or is the program of."""
    found = _BUNDLE.fullmatch(path.relative_to(folder.resolve()).as_posix())
    return folder.resolve() / found[1] if found else None


def _is_set_up(folder: Path, version: str) -> bool:
    try:
        done = read_document(folder / OWN_FOLDER / _SET_UP_FILE, _SetUp)
    except msgspec.MsgspecError:
        return False
    return done is not None and done.version == version


def _make_executable(path: Path) -> None:
    """Set the bit that archives from Windows lose, for whoever may read this one file."""
    mode = path.stat().st_mode
    if path.is_file() and not mode & _OWNER_RUNS:
        path.chmod(mode | (mode & _READERS) >> 2)
