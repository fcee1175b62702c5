"""Signs this device in from the app: the player confirms a code in their browser (RFC 8628)."""

import platform
import threading
import webbrowser
from collections.abc import Callable
from enum import StrEnum
from urllib.parse import urlsplit

from playdock_client.app.job_queue import problem_of
from playdock_client.app.jobs import JobProblem
from playdock_client.connection import Server
from playdock_client.credentials import Credentials
from playdock_client.device_sign_in import wait_for_token
from playdock_client.errors import ClientError
from playdock_client.responses import ApiStruct, SignIn


class SignInState(StrEnum):
    """How far a sign-in is."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class ShownSignIn(ApiStruct, frozen=True):
    """A sign-in as the page shows it. ``link`` opens the server's pages once it is done."""

    server: str
    state: SignInState
    code: str = ""
    url: str = ""
    link: str = ""
    problem: JobProblem | None = None


class DeviceSignIn:
    """One sign-in at a time; a new one replaces the previous one."""

    def __init__(self, credentials: Credentials, platform_name: str) -> None:
        self._credentials = credentials
        self._platform = platform_name
        self._lock = threading.Lock()
        self._current: ShownSignIn | None = None

    @property
    def current(self) -> ShownSignIn | None:
        return self._current

    def start(
        self, address: str, *, allow_http: bool, on_signed_in: Callable[[str], str], browser: bool
    ) -> ShownSignIn:
        """Request a code and open the player's browser. ``on_signed_in`` gives the link to the pages.

        Raises ClientError.
        """
        self._credentials.require_writable()
        server = Server(address, allow_http=allow_http)
        try:
            sign_in = server.begin_sign_in(platform.node(), self._platform)
        except ClientError:
            server.close()
            raise
        url = sign_in.verification_uri_complete or sign_in.verification_uri
        shown = ShownSignIn(address, SignInState.WAITING, sign_in.user_code, url)
        with self._lock:
            self._current = shown

        def finish() -> None:
            with server:
                ended = self._finish(server, sign_in, allow_http=allow_http, on_signed_in=on_signed_in)
            with self._lock:
                if self._current is shown:
                    self._current = ended

        threading.Thread(target=finish, name="sign-in", daemon=True).start()
        if browser and urlsplit(url).scheme in ("http", "https"):
            threading.Thread(target=webbrowser.open, args=[url], name="browser", daemon=True).start()
        return shown

    def _finish(
        self, server: Server, sign_in: SignIn, *, allow_http: bool, on_signed_in: Callable[[str], str]
    ) -> ShownSignIn:
        try:
            token = wait_for_token(server, sign_in)
            self._credentials.add(server.address, token, allow_http=allow_http)
            return ShownSignIn(server.address, SignInState.DONE, link=on_signed_in(server.address))
        except ClientError as error:
            return ShownSignIn(server.address, SignInState.FAILED, problem=problem_of(error))
