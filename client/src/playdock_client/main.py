"""The command line: what is asked for, by whom it is carried out, and how it ends."""

import os
import re
import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from typing import Any

from playdock_client import __version__
from playdock_client.commands import getting, keeping, looking, signing
from playdock_client.errors import ClientError
from playdock_client.installing import Options
from playdock_client.machine import Machine
from playdock_client.places import Places
from playdock_client.screen import JsonScreen, PeopleScreen, Screen
from playdock_client.shell import Exit, Shell
from playdock_client.telling import tell_failure

_COMMANDS = (*signing.COMMANDS, *looking.COMMANDS, *getting.COMMANDS, *keeping.COMMANDS)
_COMMON = {"server": None, "json": False, "quiet": False, "limit_rate": None, "connections": Options().connections}
_MOST_CONNECTIONS = 16
_ENDS = """\
exit status:
  0    done
  1    failed; the reason stands on standard error
  2    the command line is wrong
  3    not signed in
  4    damage was found
  130  stopped by Ctrl-C; give the same command again to go on
  launch ends with the status of the game

environment:
  PLAYDOCK_TOKEN        a token to use at the server instead of the one that login keeps
  PLAYDOCK_CLIENT_HOME  one folder for settings, games and all else
"""


def run() -> None:
    sys.exit(main(sys.argv[1:], os.environ))


def main(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Carry out a command and give the status to exit with."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    asked = vars(_parse(words))
    common = {name: asked.pop(name) for name in _COMMON}
    screen = (JsonScreen if common["json"] else PeopleScreen)(quiet=common["quiet"])
    command = asked.pop("command")
    try:
        status: int = command.carry_out(_shell(common, environment, screen), **asked)
    except KeyboardInterrupt:
        screen.fail("interrupted", "Stopped. Give the same command again to go on.")
        return Exit.INTERRUPTED
    except ClientError as error:
        return tell_failure(screen, error)
    except BrokenPipeError:
        # Nobody reads any more; what is left in the buffer must not complain of that either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FAILED
    except OSError as error:
        screen.fail("disk-trouble", f"{error.filename or 'A file'}: {error.strerror or error}.")
        return Exit.FAILED
    return status


def _shell(common: Mapping[str, Any], environment: Mapping[str, str], screen: Screen) -> Shell:
    return Shell(
        environment=environment,
        places=Places.of(environment),
        machine=Machine.here(environment),
        screen=screen,
        options=Options(connections=common["connections"], limit_rate=common["limit_rate"]),
        wanted=common["server"],
        for_programs=common["json"],
    )


def _parse(words: Sequence[str]) -> Namespace:
    """Read the command line; what follows ``launch GAME --`` belongs to the game, whatever it looks like."""
    cut = words.index("--") if "--" in words else len(words)
    asked = _parser().parse_args(words[:cut] if "launch" in words[:cut] else words)
    if asked.command.name == "launch":
        asked.extra = words[cut + 1 :]
    return asked


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="playdock-client",
        description="Installs, verifies, updates and launches games from a Playdock server.",
        epilog=_ENDS,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=__version__)
    _offer_common(parser)
    parser.set_defaults(**_COMMON)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        one = commands.add_parser(command.name, help=command.purpose, description=command.purpose, allow_abbrev=False)
        command.offer(one)
        _offer_common(one)
        one.set_defaults(command=command)
    return parser


def _offer_common(parser: ArgumentParser) -> None:
    """Offer what all commands take, before the command and after it; what is left out overwrites nothing."""
    common = parser.add_argument_group("for all commands")
    common.add_argument(
        "--server", default=SUPPRESS, metavar="ADDRESS", help="which server, where you are signed in at several"
    )
    common.add_argument("--json", default=SUPPRESS, action="store_true", help="write JSON for programs, a line each")
    common.add_argument("--quiet", default=SUPPRESS, action="store_true", help="write only answers and errors")
    common.add_argument(
        "--limit-rate", default=SUPPRESS, type=_rate, metavar="RATE", help="bytes a second at most, such as 500k or 2M"
    )
    common.add_argument(
        "--connections", default=SUPPRESS, type=_connections, metavar="N", help="downloads at once (1 to 16; 4)"
    )


def _rate(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgG]?)", text)
    rate = int(float(found[1]) * 1000 ** " kmg".index(found[2].lower() or " ")) if found else 0
    if not rate:
        raise ArgumentTypeError(f"{text!r} is no rate. Write it like 500k, 2M or 1.5M: bytes a second.")
    return rate


def _connections(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_CONNECTIONS:
        raise ArgumentTypeError(f"Choose a number from 1 to {_MOST_CONNECTIONS}.")
    return int(text)
