"""The servers whose pages are open in the app, each with an origin of its own."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from playdock_client.app.listener import Listener
from playdock_client.app.server_site import ServerSite
from playdock_client.errors import NotSignedIn, UnencryptedConnection
from playdock_client.shell import Shell
from playdock_client.transport import is_unencrypted


class OpenServer(NamedTuple):
    """A server's pages, and where the app listens for them."""

    listener: Listener
    site: ServerSite


class OpenServers:
    """Opens servers at which the player is signed in, and closes them again."""

    def __init__(
        self, shell: Shell, make_site: Callable[[str, str, Callable[[], str]], ServerSite], left: Callable[[], str]
    ) -> None:
        """``make_site`` gets the server, the token, and what to call after this device was signed out there.

        ``left`` returns a link to what is shown then.
        """
        self._shell = shell
        self._make_site = make_site
        self._left = left
        self._lock = threading.Lock()
        self._open: dict[str, OpenServer] = {}

    def may_open(self, server: str) -> bool:
        """Return whether the player is signed in there, and allows the connection."""
        return self._shell.credentials.token_for(server) is not None and not self._needs_consent(server)

    def get(self, server: str) -> OpenServer:
        """Return a server, which is opened if it is not. Raises NotSignedIn, UnencryptedConnection."""
        with self._lock:
            if server not in self._open:
                self._open[server] = self._opened(server)
            return self._open[server]

    def listeners(self) -> Sequence[Listener]:
        return [each.listener for each in self._all()]

    def is_busy(self) -> bool:
        """Return whether a game runs or something is being done with one."""
        return any(each.site.session.is_busy for each in self._all())

    def announce(self) -> None:
        """Let all windows show a change."""
        for each in self._all():
            each.site.changes.announce()

    def close(self) -> None:
        for each in self._all():
            each.site.close()
            each.listener.close()

    def _all(self) -> Sequence[OpenServer]:
        with self._lock:
            return list(self._open.values())

    def _opened(self, server: str) -> OpenServer:
        token = self._shell.credentials.token_for(server)
        if token is None:
            raise NotSignedIn(f"You are not signed in to {server}.")
        if self._needs_consent(server):
            raise UnencryptedConnection(server)
        site = self._make_site(server, token, partial(self._leave, server))
        listener = Listener(site)
        site.start()
        listener.start()
        return OpenServer(listener, site)

    def _leave(self, server: str) -> str:
        """Stop showing a server; return a link to what is shown then."""
        with self._lock:
            listener, site = self._open.pop(server)

        def close() -> None:
            site.close()
            listener.close()

        # In another thread, because one of the listener's own sends the link.
        threading.Thread(target=close, name="leaving", daemon=True).start()
        return self._left()

    def _needs_consent(self, server: str) -> bool:
        """Return whether the player has not allowed the unencrypted connection to a server."""
        return is_unencrypted(server) and not self._shell.allows_http(server)
