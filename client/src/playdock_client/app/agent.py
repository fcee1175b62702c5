"""The agent: one process per user that shows servers in windows and works for them."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from secrets import token_urlsafe
from urllib.parse import urlsplit

from playdock_client import __version__
from playdock_client.app.app_settings import SettingsFile
from playdock_client.app.client_updater import ClientUpdater
from playdock_client.app.instance import InstanceFile, OpenRequest
from playdock_client.app.listener import Listener
from playdock_client.app.open_servers import OpenServers
from playdock_client.app.server_site import ServerSite
from playdock_client.app.start_site import StartSite
from playdock_client.app.window import Windows
from playdock_client.credentials import address_of
from playdock_client.discovery import nearby_servers
from playdock_client.links import SCHEME, parse_link
from playdock_client.shell import Shell
from playdock_client.shortcuts.link_scheme import CannotRegister, register_scheme
from playdock_client.suggestion import suggested_server
from playdock_client.updating.managed import managed_versions
from playdock_client.updating.offers import release_keys
from playdock_client.updating.version_state import confirm

# Time for a browser to start and to load the pages, on a slow machine too; not all processes can be watched.
_OPENING_SECONDS = 60.0
# Time to load the next page: from the first page to a server's, or again.
_LOADING_SECONDS = 20.0
_TICK_SECONDS = 0.5


class Agent:
    """Listens for windows until nothing is left to do. ``windows`` is whether it opens windows itself.

    Big mode is that of the last start; windows that are open keep theirs.
    """

    def __init__(self, shell: Shell, instance: InstanceFile, *, windows: bool, big: bool) -> None:
        self._shell = shell
        self._instance = instance
        self._has_windows = windows
        self._windows = Windows(shell.folders.data / "window", shell.environment)
        self._big = big
        # The page that a link asked for, by the server at which the player must sign in before.
        self._wanted: dict[str, str] = {}
        self._awaited, self._awaited_until = "", 0.0
        self._stopping = threading.Event()
        self.is_restarting = False
        self._versions = managed_versions(shell.environment)
        self._servers = OpenServers(shell, self._make_site, self._link_to_start)
        self._updater = ClientUpdater(
            self._versions,
            SettingsFile(shell.folders),
            shell.machine,
            keys=release_keys(),
            is_busy=self._servers.is_busy,
            changed=self._servers.announce,
            restart=self._restart,
        )
        secret = token_urlsafe(32)
        self._start = StartSite(
            shell,
            open_server=self._link_to,
            open_target=self.open_target,
            suggested=self._suggested,
            nearby=partial(nearby_servers, shell.environment),
            secret=secret,
            browser=windows,
            is_big=lambda: self._big,
        )
        self._start_listener = Listener(self._start, control=self._start.control)
        instance.publish(self._start_listener.endpoint.port, secret)

    def run(self, target: str, show: Callable[[str], None]) -> None:
        """Serve until the last window is closed, or without windows until stopped. ``show`` gets the first link."""
        self._start_listener.start()
        self._updater.start()
        threading.Thread(target=self._report_start, name="started", daemon=True).start()
        try:
            show(self.open_target(OpenRequest(window=self._has_windows, target=target, big=self._big)))
            while not self._stopping.wait(_TICK_SECONDS):
                # Before windows that have ended are forgotten, because one may have been opened and closed by now.
                if self._has_windows and self._is_idle():
                    return
                self._windows.tend(self._is_unused)
        finally:
            self.close()

    def stop(self) -> None:
        self._stopping.set()

    def close(self) -> None:
        self._instance.withdraw()
        self._updater.close()
        self._start_listener.close()
        self._servers.close()

    def open_target(self, request: OpenRequest) -> str:
        """Show what a start asks for in a window, or return a link to it. Raises ClientError."""
        self._big = request.big
        listener, path = self._place(request.target)
        if not request.window:
            return listener.link(path)
        threading.Thread(target=self._register_links, name="scheme", daemon=True).start()
        if not self._show_in_open_window(listener, path if request.target else ""):
            self._awaited, self._awaited_until = listener.link(path), time.monotonic() + _OPENING_SECONDS
            self._windows.open(self._awaited, big=self._big)
        return ""

    def _show_in_open_window(self, listener: Listener, path: str) -> bool:
        """Bring a window to the front and show a path of a listener in it; return whether there is such a window.

        Without a path any window will do. A window of another server will not, as it must not know links to this one;
        the first page, which is the app's own, may.
        """
        for shown in self._listeners() if not path else dict.fromkeys([listener, self._start_listener]):
            if shown.viewers and self._windows.bring_to_front(shown.endpoint.origin):
                if path:
                    shown.lead(path if shown is listener else listener.link(path))
                return True
        return False

    def _link_to(self, server: str) -> str:
        """Return a link that opens the pages of a server once. Raises NotSignedIn, UnencryptedConnection."""
        listener, site = self._servers.get(server)
        return listener.link(self._wanted.pop(server, site.home))

    def _link_to_start(self) -> str:
        return self._start_listener.link()

    def _make_site(self, server: str, token: str, leave: Callable[[], str]) -> ServerSite:
        self._updater.watch(server)
        return ServerSite(self._shell, server, token, updater=self._updater, leave=leave, is_big=lambda: self._big)

    def _listeners(self) -> list[Listener]:
        return [self._start_listener, *self._servers.listeners()]

    def _is_unused(self, link: str) -> bool:
        return any(each.is_unused(link) for each in self._listeners())

    def _suggested(self) -> list[str]:
        """Return the server from which the app was downloaded, if it is known."""
        found = suggested_server(self._shell.folders)
        return [found] if found else []

    def _place(self, target: str) -> tuple[Listener, str]:
        """Return where a target is shown: a listener, and a path of it. Raises ClientError."""
        path = ""
        if target.startswith(f"{SCHEME}:"):
            link = parse_link(target)
            target, path = link.server, f"{urlsplit(link.server).path}/games/{link.game}"
        server = address_of(target) if target else self._shell.selected_server
        if server is None or not self._servers.may_open(server):
            if server and path:
                self._wanted[server] = path
            return self._start_listener, f"/?server={server}" if server else "/"
        listener, site = self._servers.get(server)
        return listener, path or site.home

    def _report_start(self) -> None:
        """Report that this version of the client works, once it has answered a request."""
        if self._versions is not None and self._start_listener.answers():
            with suppress(OSError):
                self._versions.change(lambda state: confirm(state, __version__))

    def _restart(self) -> None:
        """Stop, and let the caller of `run` start the client again."""
        self.is_restarting = True
        self._windows.terminate()
        self.stop()

    def _register_links(self) -> None:
        """Let this app open links of the pages in other browsers."""
        with suppress(CannotRegister, OSError):
            register_scheme(self._shell.machine, self._shell.environment)

    def _is_idle(self) -> bool:
        """Return whether no window is open and nothing is being done."""
        if self._windows.is_any_open:
            if not self._is_unused(self._awaited):
                # The window has been reached, and its end will be noticed.
                self._awaited_until = 0.0
            return False
        if any(listener.viewers for listener in self._listeners()):
            self._awaited_until = time.monotonic() + _LOADING_SECONDS
        if time.monotonic() < self._awaited_until:
            return False
        return not self._servers.is_busy()
