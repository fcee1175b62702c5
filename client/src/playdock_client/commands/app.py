"""`app`: the graphical client."""

import signal
import sys
from argparse import ArgumentParser

from playdock_client.app.agent import Agent
from playdock_client.app.browsers import is_game_mode
from playdock_client.app.instance import InstanceFile, OpenRequest
from playdock_client.commands.command import Command
from playdock_client.links import parse_link
from playdock_client.shell import Exit, Shell

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
            return Exit.DONE
        agent = Agent(shell, instance, windows=window, big=big)
        signal.signal(signal.SIGTERM, lambda *_: agent.stop())
        agent.run(address, lambda link: _show(shell, link, window=window))
    return Exit.DONE


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
