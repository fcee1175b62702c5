"""`launch`, `stop`, `configure` and `prepare`."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from playdock_client.commands.command import Command, add_installed_game
from playdock_client.errors import ClientError
from playdock_client.launch import Launcher
from playdock_client.launch_properties import STORES, LaunchProperties, read_properties, write_properties
from playdock_client.playing.play import ended_early
from playdock_client.playing.running_games import stop_game
from playdock_client.playing.session_uploads import SessionUploads
from playdock_client.save_archives import recover
from playdock_client.save_sync import SaveSync, read_save_folder
from playdock_client.shell import Exit, InstalledGame, Shell
from playdock_client.wording import bulleted, duration


def _launcher(shell: Shell) -> Launcher:
    """Return the launcher. With --json, the output of programs goes to standard error."""
    output = sys.stderr.fileno() if shell.for_programs else None
    return Launcher(shell.machine, shell.folders, shell.environment, info=shell.screen.info, output=output)


def _launch(shell: Shell, *, game: str, extra: Sequence[str]) -> int:
    """Launch a game, wait until it has ended, and return its exit status."""
    installed = shell.installed(game)
    session = _launcher(shell).launch(installed.folder, extra, around=_synchronized_saves(shell, installed))
    if not shell.for_programs:
        # The app uploads the sessions of the games that it has launched.
        _upload_sessions(shell, session.server)
    if ended_early(session) and not shell.for_programs:
        shell.screen.info(f"{session.name} ended after {session.seconds:.1f} seconds with status {session.status}.")
    shell.screen.emit("ended", {"folder": str(installed.folder), "status": session.status})
    return session.status or Exit.DONE


def _upload_sessions(shell: Shell, address: str) -> None:
    """Send play sessions to their server, if it can be reached now; otherwise a later launch or the app sends them."""
    with suppress(ClientError), shell.server(address, retry_seconds=0) as server:
        SessionUploads(shell.folders, address).run(server)


@contextmanager
def _synchronized_saves(shell: Shell, installed: InstalledGame) -> Iterator[None]:
    """Download saved games before the game and upload them afterwards."""
    _sync_saves(shell, installed, SaveSync.download)
    yield
    _sync_saves(shell, installed, SaveSync.upload)


def _sync_saves(shell: Shell, installed: InstalledGame, step: Callable[[SaveSync], None]) -> None:
    """Download or upload saved games if the player has named their folder. Whatever fails, the game is launched."""
    try:
        if (known := read_save_folder(installed.folder)) is not None:
            # Without a connection, too.
            recover(Path(known.folder))
            with shell.server(installed.installation.server, retry_seconds=0) as server:
                step(SaveSync(installed.folder, installed.installation.game.id, server, info=shell.screen.info))
    except (ClientError, OSError) as error:
        shell.screen.info(f"The saved games were not synchronized: {error}")


def _stop(shell: Shell, *, game: str) -> int:
    session = stop_game(shell.folders, shell.folder(game))
    document = {"event": "stopped", "folder": session.folder, "seconds": session.seconds}
    shell.screen.show_result(document, [f"{session.name} has ended after {duration(session.seconds)}."])
    return Exit.DONE


def _add_configure_arguments(parser: ArgumentParser) -> None:
    add_installed_game(parser)
    parser.add_argument("--program", metavar="FILE", help="the program to start in place of the one of the version")
    parser.add_argument("--arguments", metavar="TEXT", help="additional launch arguments, in one text")
    parser.add_argument(
        "--env", metavar="NAME=VALUE", type=_variable, action="append", default=[], help="set an environment variable"
    )
    parser.add_argument("--unset", metavar="NAME", action="append", default=[], help="remove an environment variable")
    parser.add_argument("--proton", metavar="VERSION", help="version or folder of Proton, such as GE-Proton10-4")
    parser.add_argument("--compat-id", metavar="ID", help="compatibility ID for umu-launcher, such as umu-1234")
    parser.add_argument("--store", choices=STORES, help="the store whose fixes umu-launcher applies")
    parser.add_argument("--reset", action="store_true", help="remove all properties first")


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentTypeError(f"{text!r} is not a variable. Use NAME=VALUE.")
    return name, value


def _configure(
    shell: Shell,
    *,
    game: str,
    env: Sequence[tuple[str, str]],
    unset: Sequence[str],
    reset: bool,
    **properties: str | None,
) -> int:
    """Change how a game is launched, and show the properties. Omitted ones are kept; an empty text removes one."""
    installed = shell.installed(game)
    before = LaunchProperties() if reset else read_properties(installed.folder)
    changed = {name: value for name, value in properties.items() if value is not None}
    environment = {name: value for name, value in (*before.environment.items(), *env) if name not in unset}
    after = msgspec.structs.replace(before, environment=environment, **changed)
    if after != before or reset:
        write_properties(installed.folder, after)
    shell.screen.show_result(
        {"folder": str(installed.folder), "properties": msgspec.to_builtins(after)},
        [f"{installed.installation.game.name} is launched with:", *_property_lines(after)],
    )
    return Exit.DONE


def _property_lines(properties: LaunchProperties) -> Sequence[str]:
    shown = {
        "program": properties.program or "that of the version",
        "arguments": properties.arguments or "none",
        "Proton": properties.proton or "the default of umu-launcher",
        "compatibility ID": properties.compat_id or "that of the version",
        "store": properties.store or "none",
    }
    lines = [f"  {name}: {value}" for name, value in shown.items()]
    return [*lines, *bulleted("  environment:", _assignments(properties.environment))]


def _assignments(environment: Mapping[str, str]) -> Sequence[str]:
    return [f"  {name}={value}" for name, value in environment.items()]


def _add_prepare_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="an installed Windows game (default: for all games)")


def _prepare(shell: Shell, *, game: str | None) -> int:
    _launcher(shell).prepare(shell.installed(game).folder if game else None)
    shell.screen.show_result({"event": "prepared"}, ["umu-run is ready. Windows games can now be launched offline."])
    return Exit.DONE


COMMANDS = (
    Command("launch", "Launch an installed game; arguments after -- are passed to it.", _launch, add_installed_game),
    Command("stop", "Stop a running game.", _stop, add_installed_game),
    Command("configure", "Show or change how an installed game is launched.", _configure, _add_configure_arguments),
    Command("prepare", "Set up umu-run for Windows games on Linux, while online.", _prepare, _add_prepare_arguments),
)
