"""The pages of one server, as the agent shows them."""

from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec

from playdock_client.app import calls
from playdock_client.app.access import OWN_PATH, WEB_MANIFEST
from playdock_client.app.client_updater import ClientUpdater
from playdock_client.app.forwarding import Forwarder, problem_document
from playdock_client.app.instance import OpenedLink
from playdock_client.app.jobs import JobState
from playdock_client.app.listener import Request
from playdock_client.app.offline_cache import OfflineCache
from playdock_client.app.session import ServerSession
from playdock_client.client_folders import folder_name
from playdock_client.errors import ClientError, NotSignedIn, ServerUnavailable
from playdock_client.shell import Shell

_PROBLEM = {"Content-Type": "application/problem+json"}
# Pages that the server's document shows only in the app (web/src/features/client/routes.ts).
_OWN_PAGES = ("downloads", "disconnected")
_JSON = {"Content-Type": "application/json"}


class ServerSite:
    """Answers calls of the pages, and passes other requests on to the server."""

    def __init__(
        self,
        shell: Shell,
        server: str,
        token: str,
        *,
        updater: ClientUpdater,
        leave: Callable[[], str],
        is_big: Callable[[], bool],
    ) -> None:
        """``leave`` is called after this device has been signed out, and returns a link to what is shown then.

        ``is_big`` is whether new windows are in big mode.
        """
        self._leave = leave
        self.session = ServerSession(shell, server, updater)
        self.changes = self.session.changes
        self.cache = OfflineCache(shell.folders.data / "offline" / folder_name(server))
        self._path = urlsplit(server).path
        self._own_pages = {f"{self.home}{name}" for name in _OWN_PAGES}
        self._forwarder = Forwarder(server, token, self.cache, on_reached=self._note_reached, is_big=is_big)

    @property
    def home(self) -> str:
        """The path of the first page."""
        return f"{self._path}/"

    def start(self) -> None:
        self.session.start()

    def close(self) -> None:
        self.session.close()
        self._forwarder.close()

    def respond(self, request: Request) -> None:
        path = urlsplit(request.path).path
        if path.startswith(OWN_PATH):
            self._call(request, path)
        elif path == WEB_MANIFEST or path.startswith(self.home):
            self._forward(request)
        else:
            request.send(303, b"", {"Location": self.home})

    def event(self) -> tuple[bytes, bool]:
        state = self.session.state()
        return msgspec.json.encode(state), any(job.state is JobState.RUNNING for job in state.jobs)

    def _call(self, request: Request, path: str) -> None:
        body = request.read_body()
        if body is None:
            return
        try:
            answer = self._answer(request.command, path, body)
        except (ClientError, OSError) as error:
            problem = calls.problem(error)
            request.send(problem.status, msgspec.json.encode(problem), _PROBLEM)
        else:
            request.send(200, answer, _JSON)

    def _answer(self, method: str, path: str, body: bytes) -> bytes:
        if (method, path) != ("POST", f"{calls.PREFIX}/sign-out"):
            return calls.answer(self.session, method, path, body)
        self.session.sign_out()
        self.cache.clear()
        return msgspec.json.encode(OpenedLink(self._leave()))

    def _forward(self, request: Request) -> None:
        body = request.read_body() if request.command not in ("GET", "HEAD") else b""
        if body is None:
            return
        # The server does not know the pages that only the app has; all pages are one document.
        target = self.home if request.path in self._own_pages else request.path
        try:
            with self._forwarder.response(request.command, target, request.fields, body or None) as response:
                request.send_pieces(response.status, response.pieces, response.headers, length=response.length)
        except (ServerUnavailable, NotSignedIn) as error:
            request.send(503, problem_document(status=503, code="server-unreachable", detail=str(error)), _PROBLEM)
        except ClientError:
            # The beginning of the response has been sent, so only the end of the connection can tell.
            request.close_connection = True

    def _note_reached(self, reached: bool) -> None:  # noqa: FBT001 - a callback with one argument
        self.session.watch.note_reached(reached=reached)
