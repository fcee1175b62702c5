"""`login`, `logout` and `whoami`."""

import platform
import sys
import threading
import time
import webbrowser
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import msgspec

from playdock_client.answers import SignIn, UserInfo
from playdock_client.commands.command import Command
from playdock_client.connection import Server
from playdock_client.credentials import address_of, travels_openly
from playdock_client.errors import ClientError, NotSignedIn, ServerAway, SignInPending, SignInRefused, SlowDown
from playdock_client.shell import Exit, Shell

_SLOWER = 5
_LONGEST_INTERVAL = 60
_LONGEST_LIFE = 3600


def _offer_login(parser: ArgumentParser) -> None:
    parser.add_argument("address", metavar="SERVER", help="address of the server, such as https://games.example.org")
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="open no browser on this machine")


def _login(shell: Shell, *, address: str, browser: bool) -> int:
    """Sign this machine in: a person approves it in a browser, here or anywhere (RFC 8628)."""
    address = address_of(address)
    if (user := _known(shell, address)) is None:
        shell.credentials.require_writable()
        shell.credentials.add(address, _token(shell, address, browser=browser))
        user = _known(shell, address)
    if user is None:
        raise NotSignedIn(f"{address} gave a token and does not know it. Sign in again.")
    document = {"event": "signed-in", "server": address, "user": msgspec.to_builtins(user)}
    shell.screen.answer(document, [f"You are signed in at {address} as {user.username}."])
    return Exit.DONE


def _known(shell: Shell, address: str) -> UserInfo | None:
    """Tell who this machine is signed in as already."""
    if (token := shell.credentials.token_for(address)) is None:
        return None
    try:
        with Server(address, token) as server:
            return server.user()
    except NotSignedIn:
        return None


def _token(shell: Shell, address: str, *, browser: bool) -> str:
    if travels_openly(address):
        shell.screen.tell(f"{address} has no TLS: others on the way can read and change what is sent.")
    with Server(address) as server:
        begun = server.begin_sign_in(platform.node(), shell.machine.platform)
        _show(shell, begun)
        if browser and not shell.for_programs and has_browser(shell.environment):
            _open(begun.verification_uri_complete or begun.verification_uri)
        return wait_for_token(server, begun)


def _show(shell: Shell, begun: SignIn) -> None:
    document = {
        "url": begun.verification_uri,
        "completeUrl": begun.verification_uri_complete,
        "code": begun.user_code,
        "expiresIn": begun.expires_in,
    }
    code = " ".join(begun.user_code)
    shown = ["", f"  Open   {begun.verification_uri}", "", f"  Code   {code}", "", "Waiting for your approval …"]
    shell.screen.happened("approve", document, shown)


def has_browser(environment: Mapping[str, str]) -> bool:
    """Tell whether a browser would open in a window of its own, not in the terminal."""
    return sys.platform in ("win32", "darwin") or any(environment.get(each) for each in ("DISPLAY", "WAYLAND_DISPLAY"))


def _open(url: str) -> None:
    """Open a page beside us; some browsers come back only when they are closed."""
    if urlsplit(url).scheme in ("http", "https"):
        threading.Thread(target=webbrowser.open, args=[url], name="browser", daemon=True).start()


def wait_for_token(server: Server, begun: SignIn, *, sleep: Callable[[float], None] = time.sleep) -> str:
    """Ask until somebody has approved, as often as the server wants (RFC 8628, section 3.5).

    Raises SignInRefused if somebody denies it or nobody approves it in time.
    """
    interval, left = max(1, begun.interval), min(begun.expires_in, _LONGEST_LIFE)
    while left > 0:
        pause = min(interval, _LONGEST_INTERVAL)
        sleep(pause)
        left -= pause
        try:
            return server.ask_for_token(begun.device_code)
        except SlowDown:
            interval += _SLOWER
        except SignInPending:
            continue
        except ServerAway:
            interval *= 2
    raise SignInRefused("Nobody approved this machine in time. Sign in again.")


def _logout(shell: Shell) -> int:
    """Sign this machine out, here and on the server."""
    address = shell.meant
    token = shell.credentials.token_for(address) if address else None
    if address is None or token is None:
        raise NotSignedIn("You are not signed in, so there is nothing to sign out of.")
    shell.credentials.remove(address)
    try:
        with Server(address, token, patience=10) as server:
            server.sign_out()
    except NotSignedIn:
        pass
    except ClientError as error:
        raise StillSignedIn(address, error) from error
    shell.screen.answer({"server": address, "signedIn": False}, [f"You are signed out at {address}."])
    return Exit.DONE


class StillSignedIn(ClientError):
    """The token is forgotten here and not there."""

    def __init__(self, address: str, trouble: ClientError) -> None:
        super().__init__(
            f"This machine has forgotten its token, but {address} has not. {trouble} "
            "Sign the machine out there, in the list of your devices."
        )


def _whoami(shell: Shell) -> int:
    with shell.server() as server:
        user = server.user()
        if user is None:
            raise NotSignedIn(f"{server.address} does not know you (any more). Sign in again.")
        document = {"server": server.address, "user": msgspec.to_builtins(user)}
        shell.screen.answer(document, [f"{user.username} at {server.address}"])
    return Exit.DONE


COMMANDS = (
    Command("login", "Sign this machine in at a server.", _login, _offer_login),
    Command("logout", "Sign this machine out, here and on the server.", _logout),
    Command("whoami", "Tell who this machine is signed in as, and where.", _whoami),
)
