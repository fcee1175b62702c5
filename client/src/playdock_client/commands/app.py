"""`app`: the graphical client."""

import signal
import subprocess
import sys
from argparse import ArgumentParser
from contextlib import suppress

from playdock_client.app.agent import Agent
from playdock_client.app.browsers import is_game_mode
from playdock_client.app.instance import InstanceFile, OpenRequest
from playdock_client.commands.command import Command
from playdock_client.links import parse_link
from playdock_client.shell import Exit, Shell
from playdock_client.shortcuts.client_program import client_program
from playdock_client.updating.managed import managed_versions
from playdock_client.updating.version_state import forgive_starts

if sys.platform == "win32":
    from playdock_client.app import foreground


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("address", metavar="SERVER", nargs="?", default="", help="the server to show")
    parser.add_argument(
        "--no-window",
        dest="window",
        action="store_false",
        help="print a link for a browser, valid once, and serve until stopped",
    )
    parser.add_argument(
        "--big", action="store_true", help="full screen, for gamepads and televisions; always in Steam's game mode"
    )


def _app(shell: Shell, *, address: str, window: bool, big: bool) -> int:
    """Open the app. If it is open already, it comes to the front."""
    big = big or is_game_mode(shell.environment)
    instance = InstanceFile(shell.folders.config)
    with instance.claimed() as claimed:
        if not claimed:
            if sys.platform == "win32":
                foreground.allow_others()
            link = instance.ask(OpenRequest(window=window, target=address, big=big)).link
            _show(shell, link, window=window)
            _forgive_start(shell)
            return Exit.DONE
        agent = Agent(shell, instance, windows=window, big=big)
        signal.signal(signal.SIGTERM, lambda *_: agent.stop())
        agent.run(address, lambda link: _show(shell, link, window=window))
    if agent.is_restarting:
        _start_again(shell, window=window, big=big)
    return Exit.DONE


def _forgive_start(shell: Shell) -> None:
    """Report that a new version did not get a chance to show that it works, as an older one is running."""
    versions = managed_versions(shell.environment)
    if versions is not None:
        with suppress(OSError):
            versions.change(forgive_starts)


def _start_again(shell: Shell, *, window: bool, big: bool) -> None:
    options = [*([] if window else ["--no-window"]), *(["--big"] if big else [])]
    common = ["--json"] if shell.for_programs else []
    subprocess.Popen(  # noqa: S603 - this client
        [*client_program(shell.environment), "app", *options, *common],
        env=dict(shell.environment),
        stdout=sys.stdout,
        stderr=sys.stderr,
        start_new_session=sys.platform != "win32",
    )


def _add_link_argument(parser: ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="a link of a server's pages, such as playdock://install/…")


def _open_url(shell: Shell, *, url: str) -> int:
    """Show in the app what a link names. It is installed only if the player confirms it there."""
    parse_link(url)
    return _app(shell, address=url, window=True, big=False)


def _show(shell: Shell, link: str, *, window: bool) -> None:
    if not window:
        shell.screen.show_result({"event": "opened", "link": link}, [link])


COMMANDS = (
    Command("app", "Open the graphical client.", _app, _add_arguments),
    Command("open-url", "Open a playdock:// link in the graphical client.", _open_url, _add_link_argument),
)
