"""The app's own first page: select a server and sign in. It is shown while no server's pages can be."""

import hmac
from collections.abc import Callable
from importlib.resources import files
from urllib.parse import urlsplit

import msgspec

from playdock_client.app.access import OWN_PATH
from playdock_client.app.calls import BadCall, UnknownCall, problem, read_call
from playdock_client.app.changes import Changes
from playdock_client.app.instance import OpenedLink, OpenRequest
from playdock_client.app.listener import Request
from playdock_client.app.sign_in import DeviceSignIn, ShownSignIn
from playdock_client.credentials import address_of
from playdock_client.discovery import NearbyServer
from playdock_client.errors import ClientError
from playdock_client.responses import ApiStruct
from playdock_client.shell import Shell
from playdock_client.transport import is_unencrypted

_PAGES = files("playdock_client.app").joinpath("pages")
_FILES = {
    "/": ("start.html", "text/html; charset=utf-8"),
    "/start.js": ("start.js", "text/javascript; charset=utf-8"),
    "/gamepad.js": ("gamepad.js", "text/javascript; charset=utf-8"),
    "/start.css": ("start.css", "text/css; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_ROOT, _BIG_ROOT = b'<html lang="en"', b'<html lang="en" data-big'
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


class SignInBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    """The address of a server, as the player typed it."""

    address: str
    allow_http: bool = False


class OpenBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    """The address of a known server."""

    server: str


class Servers(ApiStruct, frozen=True):
    """The servers that this device is signed in to, and those that it could be."""

    known: list[str]
    suggested: list[str]


class Unencrypted(ClientError):
    """The player must confirm an unencrypted connection."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"The connection to {address} is not encrypted: others on the network can read and change the traffic."
        )


class StartSite:
    """Shows the first page, and answers other processes of this user."""

    changes = Changes()

    def __init__(
        self,
        shell: Shell,
        *,
        open_server: Callable[[str], str],
        open_target: Callable[[OpenRequest], str],
        suggested: Callable[[], list[str]],
        nearby: Callable[[], list[NearbyServer]],
        secret: str,
        browser: bool,
        is_big: Callable[[], bool],
    ) -> None:
        """``open_server`` returns a link to a server's pages, ``open_target`` does what a second start asks for.

        ``suggested`` returns addresses at once, ``nearby`` searches the local network for about a second. ``secret`` is
        known to other processes of this user; ``browser`` is whether the player's browser may be opened, ``is_big``
        whether new windows are in big mode.
        """
        self._shell = shell
        self._open_server = open_server
        self._open_target = open_target
        self._suggested = suggested
        self._nearby = nearby
        self._browser = browser
        self._is_big = is_big
        self._sign_in = DeviceSignIn(shell.credentials, shell.machine.platform)
        self.secret = secret

    def respond(self, request: Request) -> None:
        path = urlsplit(request.path).path
        if path in _FILES:
            name, content_type = _FILES[path]
            body = _PAGES.joinpath(name).read_bytes()
            if self._is_big():
                body = body.replace(_ROOT, _BIG_ROOT, 1)
            request.send(200, body, {"Content-Type": content_type, **_HEADERS})
        elif path.startswith(OWN_PATH):
            self._call(request, path)
        else:
            request.send(303, b"", {"Location": "/"})

    def event(self) -> tuple[bytes, bool]:
        return b"{}", False

    def control(self, request: Request) -> bool:
        """Answer a request of another process of this user, which knows the secret; return whether it was one."""
        given = request.fields.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self.secret}".encode()):
            return False
        self._reply(request, lambda body: OpenedLink(self._open_target(read_call(body, OpenRequest))))
        return True

    def _call(self, request: Request, path: str) -> None:
        self._reply(request, lambda body: self._answer(request.command, path, body))

    def _reply(self, request: Request, answer: Callable[[bytes], object]) -> None:
        body = request.read_body()
        if body is None:
            return
        try:
            document = msgspec.json.encode(answer(body))
        except (ClientError, OSError) as error:
            found = problem(error)
            request.send(found.status, msgspec.json.encode(found), {"Content-Type": "application/problem+json"})
        else:
            request.send(200, document, {"Content-Type": "application/json"})

    def _answer(self, method: str, path: str, body: bytes) -> object:
        match (method, path.removeprefix(OWN_PATH)):
            case ("GET", "v1/servers"):
                known = [each.address for each in reversed(self._shell.credentials.servers())]
                return Servers(known, [each for each in self._suggested() if each not in known])
            case ("GET", "v1/nearby"):
                return self._nearby()
            case ("GET", "v1/sign-in"):
                return self._sign_in.current
            case ("POST", "v1/sign-in"):
                return self._start_sign_in(read_call(body, SignInBody))
            case ("POST", "v1/open"):
                return OpenedLink(self._open_known(read_call(body, OpenBody).server))
        raise UnknownCall

    def _start_sign_in(self, wanted: SignInBody) -> ShownSignIn:
        address = address_of(wanted.address.strip())
        allow_http = wanted.allow_http or self._shell.allows_http(address)
        if is_unencrypted(address) and not allow_http:
            raise Unencrypted(address)
        return self._sign_in.start(
            address, allow_http=allow_http, on_signed_in=self._open_server, browser=self._browser
        )

    def _open_known(self, address: str) -> str:
        if self._shell.credentials.token_for(address) is None:
            raise BadCall("This device is not signed in to that server.")
        return self._open_server(address)
