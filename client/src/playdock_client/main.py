"""The command line: parses arguments, runs the command and returns the exit status."""

import os
import re
import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from typing import Any

from playdock_client import __version__
from playdock_client.client_folders import ClientFolders
from playdock_client.commands import (
    app,
    contributing,
    desktop,
    getting,
    keeping,
    launching,
    looking,
    saving,
    signing,
    uploading,
)
from playdock_client.commands.completing import completion_command
from playdock_client.errors import ClientError
from playdock_client.installing import FetchOptions
from playdock_client.machine import Machine, restore_library_path
from playdock_client.output import show_failure
from playdock_client.screen import JsonScreen, Screen, TerminalScreen
from playdock_client.shell import Exit, Shell

_COMMANDS = (
    *app.COMMANDS,
    *signing.COMMANDS,
    *looking.COMMANDS,
    *getting.COMMANDS,
    *launching.COMMANDS,
    *desktop.COMMANDS,
    *keeping.COMMANDS,
    *saving.COMMANDS,
    *uploading.COMMANDS,
    *contributing.COMMANDS,
)
_COMMON = {"server": None, "json": False, "quiet": False, "limit_rate": None, "connections": FetchOptions().connections}
# Half of the server's default limit of downloads per user (32), so that several machines can download.
_MAX_CONNECTIONS = 16
_EPILOG = """\
exit status:
  0    done
  1    failed; the reason is on standard error
  2    wrong command line
  3    not signed in
  4    damaged files found
  130  stopped by Ctrl-C; run the same command again to resume
  launch exits with the status of the game

environment:
  PLAYDOCK_TOKEN        a token to use instead of the one stored by login
  PLAYDOCK_ALLOW_HTTP   1 allows unencrypted connections to servers on other machines
  PLAYDOCK_CLIENT_HOME  one folder for settings, games and all other data
  PLAYDOCK_DISCOVERY    where the app searches for servers: an IPv4 address and port, or off
"""


def run() -> None:
    restore_library_path(os.environ, frozen=getattr(sys, "frozen", False))
    # Programs with a window have no standard output on Windows.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.exit(main(sys.argv[1:], os.environ))


def main(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    arguments = vars(_parse(words))
    common = {name: arguments.pop(name) for name in _COMMON}
    screen = (JsonScreen if common["json"] else TerminalScreen)(quiet=common["quiet"])
    command = arguments.pop("command")
    try:
        status: int = command.run(_shell(common, environment, screen), **arguments)
    except KeyboardInterrupt:
        screen.fail("interrupted", "Stopped. Run the same command again to resume.")
        return Exit.INTERRUPTED
    except ClientError as error:
        return show_failure(screen, error)
    except BrokenPipeError:
        # The reader has closed the pipe; flushing the buffer at exit must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FAILED
    except OSError as error:
        screen.fail("disk-trouble", f"{error.filename or 'A file'}: {error.strerror or error}.")
        return Exit.FAILED
    return status


def _shell(common: Mapping[str, Any], environment: Mapping[str, str], screen: Screen) -> Shell:
    return Shell(
        environment=environment,
        folders=ClientFolders.from_environment(environment),
        machine=Machine.detect(environment),
        screen=screen,
        options=FetchOptions(connections=common["connections"], limit_rate=common["limit_rate"]),
        requested_server=common["server"],
        for_programs=common["json"],
    )


def _parse(words: Sequence[str]) -> Namespace:
    """Parse the command line. Everything after ``launch GAME --`` is passed to the game."""
    cut = words.index("--") if "--" in words else len(words)
    arguments = _parser().parse_args(words[:cut] if "launch" in words[:cut] else words)
    if arguments.command.name == "launch":
        arguments.extra = words[cut + 1 :]
    return arguments


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="playdock-client",
        description="Installs, verifies, updates and launches games from a Playdock server.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=__version__)
    _add_common_arguments(parser)
    parser.set_defaults(**_COMMON)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in (*_COMMANDS, completion_command(parser)):
        subparser = commands.add_parser(
            command.name, help=command.purpose, description=command.purpose, allow_abbrev=False
        )
        command.add_arguments(subparser)
        _add_common_arguments(subparser)
        subparser.set_defaults(command=command)
    return parser


def _add_common_arguments(parser: ArgumentParser) -> None:
    """Add the options accepted before and after a command. Omitted options do not overwrite given ones."""
    common = parser.add_argument_group("common options")
    common.add_argument(
        "--server", default=SUPPRESS, metavar="ADDRESS", help="the server to use, if you are signed in to several"
    )
    common.add_argument(
        "--json", default=SUPPRESS, action="store_true", help="write JSON for programs, one document per line"
    )
    common.add_argument("--quiet", default=SUPPRESS, action="store_true", help="write only results and errors")
    common.add_argument(
        "--limit-rate",
        default=SUPPRESS,
        type=_rate,
        metavar="RATE",
        help="maximum bytes per second, such as 500k or 2M",
    )
    common.add_argument(
        "--connections",
        default=SUPPRESS,
        type=_connections,
        metavar="N",
        help="parallel downloads (1 to 16; default 4)",
    )


def _rate(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgG]?)", text)
    rate = int(float(match[1]) * 1000 ** " kmg".index(match[2].lower() or " ")) if match else 0
    if not rate:
        raise ArgumentTypeError(f"{text!r} is not a rate. Use bytes per second, such as 500k, 2M or 1.5M.")
    return rate


def _connections(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MAX_CONNECTIONS:
        raise ArgumentTypeError(f"Choose a number from 1 to {_MAX_CONNECTIONS}.")
    return int(text)
