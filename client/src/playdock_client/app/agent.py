"""The agent: one process per user that shows servers in windows and works for them."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from subprocess import Popen
from urllib.parse import urlsplit

from playdock_client import __version__
from playdock_client.app.app_settings import SettingsFile
from playdock_client.app.client_updater import ClientUpdater
from playdock_client.app.instance import InstanceFile, OpenRequest
from playdock_client.app.jobs import JobState
from playdock_client.app.listener import Listener
from playdock_client.app.server_site import ServerSite
from playdock_client.app.start_site import StartSite
from playdock_client.app.window import open_window
from playdock_client.credentials import address_of
from playdock_client.discovery import nearby_servers
from playdock_client.errors import NotSignedIn, UnencryptedConnection
from playdock_client.links import SCHEME, parse_link
from playdock_client.shell import Shell
from playdock_client.shortcuts.link_scheme import CannotRegister, register_scheme
from playdock_client.suggestion import suggested_server
from playdock_client.transport import is_unencrypted
from playdock_client.updating.managed import managed_versions
from playdock_client.updating.offers import release_keys
from playdock_client.updating.version_state import confirm

# Time for the default browser to start and to load the pages, on a slow machine too; its process cannot be watched.
_OPENING_SECONDS = 60.0
_TICK_SECONDS = 0.5


class Agent:
    """Listens for windows until nothing is left to do. ``windows`` is whether it opens windows itself.

    Big mode is that of the last start; windows that are open keep theirs.
    """

    def __init__(self, shell: Shell, instance: InstanceFile, *, windows: bool, big: bool) -> None:
        self._shell = shell
        self._instance = instance
        self._windows = windows
        self._big = big
        self._lock = threading.Lock()
        self._servers: dict[str, tuple[Listener, ServerSite]] = {}
        self._processes: list[Popen[bytes]] = []
        self._opening_until = 0.0
        self._stopping = threading.Event()
        self.is_restarting = False
        self._versions = managed_versions(shell.environment)
        self._updater = ClientUpdater(
            self._versions,
            SettingsFile(shell.folders),
            shell.machine,
            keys=release_keys(),
            is_busy=self._is_busy,
            changed=self._announce,
            restart=self._restart,
        )
        secret = token_urlsafe(32)
        self._start = StartSite(
            shell,
            open_server=self.link_to,
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
            show(self.open_target(OpenRequest(window=self._windows, target=target, big=self._big)))
            while not self._stopping.wait(_TICK_SECONDS):
                if self._windows and self._is_idle():
                    return
        finally:
            self.close()

    def stop(self) -> None:
        self._stopping.set()

    def close(self) -> None:
        self._instance.withdraw()
        self._updater.close()
        self._start_listener.close()
        for listener, site in self._servers.values():
            site.close()
            listener.close()

    def open_target(self, request: OpenRequest) -> str:
        """Return a link to what a start asks for, and show it in a window. Raises ClientError."""
        self._big = request.big
        link = self._link(request.target)
        if request.window:
            threading.Thread(target=self._register_links, name="scheme", daemon=True).start()
            self._show(link)
        return link

    def link_to(self, server: str, path: str = "") -> str:
        """Return a link that opens the pages of a server once. Raises NotSignedIn, UnencryptedConnection."""
        with self._lock:
            if server not in self._servers:
                self._servers[server] = self._opened(server)
            listener, site = self._servers[server]
        return listener.link(path or site.home)

    def _suggested(self) -> list[str]:
        """Return the server from which the app was downloaded, if it is known."""
        found = suggested_server(self._shell.folders)
        return [found] if found else []

    def _link(self, target: str) -> str:
        if target.startswith(f"{SCHEME}:"):
            link = parse_link(target)
            is_known = self._shell.credentials.token_for(link.server) is not None
            if is_known and not self._needs_consent(link.server):
                return self.link_to(link.server, f"{urlsplit(link.server).path}/games/{link.game}")
            target = link.server
        known = {each.address for each in self._shell.credentials.servers()}
        server = address_of(target) if target else self._shell.selected_server
        if server in known and not self._needs_consent(server):
            return self.link_to(server)
        return self._start_listener.link(f"/?server={server}" if server else "/")

    def _opened(self, server: str) -> tuple[Listener, ServerSite]:
        token = self._shell.credentials.token_for(server)
        if token is None:
            raise NotSignedIn(f"You are not signed in to {server}.")
        if self._needs_consent(server):
            raise UnencryptedConnection(server)
        site = ServerSite(
            self._shell,
            server,
            token,
            updater=self._updater,
            leave=partial(self._leave, server),
            is_big=lambda: self._big,
        )
        listener = Listener(site)
        site.start()
        listener.start()
        self._updater.watch(server)
        return listener, site

    def _report_start(self) -> None:
        """Report that this version of the client works, once it has answered a request."""
        if self._versions is not None and self._start_listener.answers():
            with suppress(OSError):
                self._versions.change(lambda state: confirm(state, __version__))

    def _announce(self) -> None:
        """Let all windows show a change."""
        for _, site in list(self._servers.values()):
            site.changes.announce()

    def _restart(self) -> None:
        """Stop, and let the caller of `run` start the client again."""
        self.is_restarting = True
        for window in self._processes:
            window.terminate()
        self.stop()

    def _register_links(self) -> None:
        """Let this app open links of the pages in other browsers."""
        with suppress(CannotRegister, OSError):
            register_scheme(self._shell.machine, self._shell.environment)

    def _leave(self, server: str) -> str:
        """Stop showing a server; return a link to the first page."""
        with self._lock:
            listener, site = self._servers.pop(server)

        def close() -> None:
            site.close()
            listener.close()

        # In another thread, because one of the listener's own sends the link.
        threading.Thread(target=close, name="leaving", daemon=True).start()
        return self._start_listener.link()

    def _needs_consent(self, server: str) -> bool:
        """Return whether the player has not allowed the unencrypted connection to a server."""
        return is_unencrypted(server) and not self._shell.allows_http(server)

    def _show(self, link: str) -> None:
        profile: Path = self._shell.folders.data / "window"
        process = open_window(link, profile, self._shell.environment, big=self._big)
        if process is None:
            self._opening_until = time.monotonic() + _OPENING_SECONDS
        else:
            self._processes.append(process)

    def _is_idle(self) -> bool:
        """Return whether no window is open and nothing is being done."""
        self._processes = [each for each in self._processes if each.poll() is None]
        if self._processes or time.monotonic() < self._opening_until:
            return False
        listeners = [self._start_listener, *(listener for listener, _ in self._servers.values())]
        if any(listener.viewers for listener in listeners):
            return False
        return not self._is_busy()

    def _is_busy(self) -> bool:
        """Return whether a game runs or something is being done with one."""
        sessions = [site.session for _, site in list(self._servers.values())]
        is_working = any(job.state is JobState.RUNNING for each in sessions for job in each.queue.jobs())
        return is_working or any(each.processes.running() or each.processes.starting() for each in sessions)
