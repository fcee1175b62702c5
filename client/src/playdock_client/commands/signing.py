"""`login`, `logout` and `whoami`."""

import platform
import sys
import threading
import webbrowser
from argparse import ArgumentParser
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from playdock_client.commands.command import Command
from playdock_client.connection import Server
from playdock_client.credentials import address_of
from playdock_client.device_sign_in import wait_for_token
from playdock_client.errors import (
    ClientError,
    NotSignedIn,
    UnencryptedConnection,
)
from playdock_client.responses import SignIn, UserInfo
from playdock_client.shell import Exit, Shell
from playdock_client.transport import is_unencrypted


def _add_login_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("address", metavar="SERVER", help="address of the server, such as https://games.example.org")
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", help="do not open a browser on this machine"
    )
    parser.add_argument(
        "--allow-http",
        action="store_true",
        help="allow an unencrypted connection to this server, also for all later commands",
    )


def _login(shell: Shell, *, address: str, browser: bool, allow_http: bool) -> int:
    """Sign this machine in. A user confirms it in a browser on any machine (RFC 8628)."""
    address = address_of(address)
    is_remembered = allow_http and is_unencrypted(address)
    allow_http = allow_http or shell.allows_http(address)
    token = shell.credentials.token_for(address)
    user = _user(address, token, allow_http=allow_http) if token else None
    if user is None:
        shell.credentials.require_writable()
        token = _token(shell, address, browser=browser, allow_http=allow_http)
        shell.credentials.add(address, token, allow_http=is_remembered)
        user = _user(address, token, allow_http=allow_http)
    elif is_remembered:
        shell.credentials.allow_http(address)
    if user is None:
        raise NotSignedIn(f"{address} rejected the token it issued. Sign in again.")
    document = {"event": "signed-in", "server": address, "user": msgspec.to_builtins(user)}
    with Server(address, allow_http=allow_http) as server:
        name = server.name()
    shown = f"{name} ({address})" if name else address
    shell.screen.show_result(document, [f"Signed in to {shown} as {user.username}."])
    return Exit.DONE


def _user(address: str, token: str, *, allow_http: bool) -> UserInfo | None:
    """Return the user of a token, or None if the server rejects it."""
    try:
        with Server(address, token, allow_http=allow_http) as server:
            return server.user()
    except NotSignedIn:
        return None


def _token(shell: Shell, address: str, *, browser: bool, allow_http: bool) -> str:
    with Server(address, allow_http=allow_http) as server:
        if is_unencrypted(address):
            shell.screen.info(
                f"The connection to {address} is not encrypted: others on the network can read and change the traffic."
            )
        sign_in = server.begin_sign_in(platform.node(), shell.machine.platform)
        _show_code(shell, sign_in)
        if browser and not shell.for_programs and has_browser(shell.environment):
            _open_browser(sign_in.verification_uri_complete or sign_in.verification_uri)
        return wait_for_token(server, sign_in)


def _show_code(shell: Shell, sign_in: SignIn) -> None:
    document = {
        "url": sign_in.verification_uri,
        "completeUrl": sign_in.verification_uri_complete,
        "code": sign_in.user_code,
        "expiresIn": sign_in.expires_in,
    }
    code = " ".join(sign_in.user_code)
    shown = ["", f"  Open   {sign_in.verification_uri}", "", f"  Code   {code}", "", "Waiting for confirmation …"]
    shell.screen.emit("approve", document, shown)


def has_browser(environment: Mapping[str, str]) -> bool:
    """Return whether a browser can open its own window, rather than run in the terminal."""
    return sys.platform in ("win32", "darwin") or any(environment.get(each) for each in ("DISPLAY", "WAYLAND_DISPLAY"))


def _open_browser(url: str) -> None:
    """Open a page in a separate thread, because some browsers return only when they are closed."""
    if urlsplit(url).scheme in ("http", "https"):
        threading.Thread(target=webbrowser.open, args=[url], name="browser", daemon=True).start()


def _logout(shell: Shell) -> int:
    """Sign this machine out, here and on the server."""
    address = shell.selected_server
    token = shell.credentials.token_for(address) if address else None
    if address is None or token is None:
        raise NotSignedIn("You are not signed in.")
    allow_http = shell.allows_http(address)
    if is_unencrypted(address) and not allow_http:
        raise UnencryptedConnection(address)
    shell.credentials.remove(address)
    try:
        with Server(address, token, retry_seconds=10, allow_http=allow_http) as server:
            server.sign_out()
    except NotSignedIn:
        pass
    except ClientError as error:
        raise StillSignedIn(address, error) from error
    shell.screen.show_result({"server": address, "signedIn": False}, [f"Signed out of {address}."])
    return Exit.DONE


class StillSignedIn(ClientError):
    """The token was removed here, but not revoked on the server."""

    def __init__(self, address: str, problem: ClientError) -> None:
        super().__init__(
            f"The token was removed from this machine, but not revoked on {address}. {problem} "
            "Sign the device out on the server, in the list of your devices."
        )


def _whoami(shell: Shell) -> int:
    with shell.server() as server:
        user = server.user()
        if user is None:
            raise NotSignedIn(f"{server.address} rejected the token. Sign in again.")
        document = {"server": server.address, "user": msgspec.to_builtins(user)}
        shell.screen.show_result(document, [f"{user.username} at {server.address}"])
    return Exit.DONE


COMMANDS = (
    Command("login", "Sign this machine in to a server.", _login, _add_login_arguments),
    Command("logout", "Sign this machine out, here and on the server.", _logout),
    Command("whoami", "Show the signed-in user and the server.", _whoami),
)
