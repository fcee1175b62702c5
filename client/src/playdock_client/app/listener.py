"""The HTTP server of an agent for one Playdock server, on a port of 127.0.0.1 of its own."""

import select
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import escape
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from threading import Lock, Thread
from typing import Any, Protocol
from urllib.parse import parse_qs, quote, urlsplit

import msgspec

from playdock_client.app import access
from playdock_client.app.access import Endpoint, Refusal
from playdock_client.app.changes import Changes
from playdock_client.app.forwarding import problem_document
from playdock_client.app.one_time_links import OneTimeLinks
from playdock_client.app.peers import is_of_another_user

# More than any form of the pages; games are not uploaded.
_MAX_BODY_BYTES = 32 * 1024 * 1024
_IDLE_SECONDS = 60.0
_EVENTS_PATH = "/_client/v1/events"
# Often enough for a smooth progress bar.
_EVENT_SECONDS = 0.25
_QUIET_SECONDS = 15.0
_CLOSED_SECONDS = 5.0
_ANSWER_SECONDS = 60.0


class Site(Protocol):
    """What a listener shows."""

    changes: Changes

    def respond(self, request: "Request") -> None:
        """Answer a request that is allowed."""

    def event(self) -> tuple[bytes, bool]:
        """Return the next event for the pages, and whether it changes by itself, such as progress."""


class Listener:
    """Listens for requests from this machine and checks them."""

    def __init__(self, site: Site, *, port: int = 0, control: Callable[["Request"], bool] | None = None) -> None:
        """Listen on a port, or on any free one.

        ``control`` answers requests of other processes of this user and returns whether it was one.
        """
        listener = self

        class Handler(Request):
            owner = listener

        self.site = site
        self.control = control
        self._viewers: list[Viewer] = []
        self._lock = Lock()
        self.links = OneTimeLinks()
        self._http = _Server(("127.0.0.1", port), Handler)
        self.endpoint = Endpoint(self._http.server_address[1], token_urlsafe(32))
        self._thread = Thread(target=self._http.serve_forever, args=[0.1], name="listener", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(_CLOSED_SECONDS)

    def answers(self) -> bool:
        """Return whether a request is answered; any answer will do."""
        connection = HTTPConnection("127.0.0.1", self.endpoint.port, timeout=_ANSWER_SECONDS)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status > 0
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    @contextmanager
    def viewing(self, connection: socket.socket) -> Iterator["Viewer"]:
        """Know a page that receives events."""
        viewer = Viewer(connection)
        with self._lock:
            self._viewers.append(viewer)
        try:
            yield viewer
        finally:
            with self._lock:
                self._viewers.remove(viewer)

    @property
    def viewers(self) -> Sequence["Viewer"]:
        """Return the pages that are shown, the newest last."""
        with self._lock:
            return [each for each in self._viewers if each.is_connected]

    def lead(self, location: str) -> None:
        """Let the newest page open a path or a link."""
        for viewer in self.viewers[-1:]:
            viewer.locations.append(location)
            self.site.changes.announce()

    def link(self, path: str = "/") -> str:
        """Return a link that opens a page once."""
        return f"{self.endpoint.origin}{access.OPEN_PATH}?key={self.links.create()}&to={quote(path, safe='')}"

    def is_unused(self, link: str) -> bool:
        """Return whether this is a link of this listener that has not been used."""
        parts = urlsplit(link)
        return parts.netloc == self.endpoint.host and self.links.is_unused(parse_qs(parts.query).get("key", [""])[0])


class Viewer:
    """A page that receives events on a connection, and the locations that it is to open."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.locations: deque[str] = deque()

    @property
    def is_connected(self) -> bool:
        """Return whether the page is still there. It sends nothing, so only the end can be read."""
        try:
            return not select.select([self._connection], [], [], 0)[0]
        except (OSError, ValueError):
            return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Another program must not take over the port while the agent uses it.
    allow_reuse_address = False
    # Threads of event streams end only when their window is closed.
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore lost connections: windows are closed at any time."""


class Request(BaseHTTPRequestHandler):
    """A request to an agent."""

    owner: Listener
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "playdock-client", ""
    timeout = _IDLE_SECONDS
    disable_nagle_algorithm = True

    def handle_any(self) -> None:
        parts = urlsplit(self.path)
        self.fields = {name.lower(): value for name, value in self.headers.items()}
        if self.owner.control is not None and self.owner.control(self):
            return
        refused = access.refusal(self.owner.endpoint, self.command, parts.path, self.fields)
        if refused is not None or not parts.path.startswith("/") or parts.netloc:
            self.refuse(refused or Refusal(400, "This address is invalid."))
        elif parts.path == access.OPEN_PATH:
            self._open(parts.query)
        elif parts.path == _EVENTS_PATH:
            self._send_events()
        else:
            self.owner.site.respond(self)

    def __getattr__(self, name: str) -> Any:
        """Handle all methods alike; the base class looks up ``do_GET`` and so on, and refuses others."""
        if name.removeprefix("do_") in access.METHODS:
            return self.handle_any
        raise AttributeError(name)

    def read_body(self) -> bytes | None:
        """Return the body; None if it was refused."""
        length = self.fields.get("content-length", "0")
        if "transfer-encoding" in self.fields or not length.isascii() or not length.isdigit():
            self.refuse(Refusal(411, "The length of the request is missing."))
            return None
        if int(length) > _MAX_BODY_BYTES:
            self.refuse(Refusal(413, "The request is too large."))
            return None
        return self.rfile.read(int(length))

    def refuse(self, refused: Refusal) -> None:
        """Answer with an error and close the connection, because the body may not have been read."""
        self.close_connection = True
        body = problem_document(status=refused.status, code="refused", detail=refused.sentence)
        self.send(refused.status, body, {"Content-Type": "application/problem+json", "Connection": "close"})

    def send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_pieces(status, [body], {"Cache-Control": "no-store", **headers}, length=len(body))

    def send_pieces(
        self, status: int, pieces: Iterable[bytes], headers: Mapping[str, str], *, length: int | None
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "X-Content-Type-Options" not in headers:
            self.send_header("X-Content-Type-Options", "nosniff")
        if length is not None:
            self.send_header("Content-Length", str(length))
        elif status not in (204, 304):
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            for piece in pieces:
                self.wfile.write(piece)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Log nothing: addresses contain one-time keys."""

    def _open(self, query: str) -> None:
        """Let a window in that has a valid one-time link."""
        values = parse_qs(query)
        path = values.get("to", ["/"])[0]
        if is_of_another_user(self.client_address[1], self.owner.endpoint.port):
            self.refuse(Refusal(403, "This link is for another user of this machine."))
            return
        if not self.owner.links.redeem(values.get("key", [""])[0]):
            self.refuse(Refusal(403, "This link has been used or has expired. Open the app again."))
            return
        location = path if access.is_local_path(path) else "/"
        cookie = access.cookie_header(self.owner.endpoint)
        # A redirect of a link from elsewhere would be sent without a SameSite=Strict cookie, so a page goes on.
        page = f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(location)}">'.encode()
        headers = {"Content-Type": "text/html; charset=utf-8", "Set-Cookie": cookie, "Referrer-Policy": "no-referrer"}
        self.send(200, page, headers)

    def _send_events(self) -> None:
        """Send the state whenever it changes (server-sent events)."""
        site = self.owner.site
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        sent = b""
        with suppress(OSError), self.owner.viewing(self.connection) as viewer:
            while not site.changes.closed:
                number = site.changes.number
                while viewer.locations:
                    self.wfile.write(b"event: open\ndata: %s\n\n" % msgspec.json.encode(viewer.locations.popleft()))
                event, is_moving = site.event()
                self.wfile.write(b": still here\n\n" if event == sent else b"data: %s\n\n" % event)
                self.wfile.flush()
                sent = event
                site.changes.wait(number, seconds=_EVENT_SECONDS if is_moving else _QUIET_SECONDS)
