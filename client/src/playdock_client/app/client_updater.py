"""Keeps the client up to date with what its servers offer, while the app runs (docs/decisions/0049)."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec

from playdock_client import __version__
from playdock_client.app.app_settings import SettingsFile
from playdock_client.app.job_queue import problem_of
from playdock_client.app.jobs import JobProblem
from playdock_client.decoding import decode_json
from playdock_client.errors import ClientError
from playdock_client.machine import Machine
from playdock_client.rate_limiter import RateLimiter
from playdock_client.responses import ApiStruct
from playdock_client.transport import Transport
from playdock_client.updating.installing_update import install_update, remove_unused, updating
from playdock_client.updating.offers import ANY_SYSTEM, ClientOffer, is_newer, newest_offer, require_trust, version_key
from playdock_client.updating.version_state import VersionState, switch, version_of
from playdock_client.updating.versions import StateBusy, Versions

_CHECK_SECONDS = 24 * 3600.0
# After a failure, such as a server that cannot be reached; rare enough for a server with many clients.
_RETRY_SECONDS = 3600.0
_IDLE_CHECK_SECONDS = 1.0
_STOP_SECONDS = 5.0
# Some offers of a few hundred bytes each.
_MAX_LIST_BYTES = 64 * 1024


class UpdatePhase(StrEnum):
    """What is being done about an update of the client."""

    NONE = "none"
    AVAILABLE = "available"
    DOWNLOADING = "downloading"
    READY = "ready"


class ClientUpdate(ApiStruct, frozen=True):
    """What the pages show: the release in question, why it could not be installed, and one that did not work.

    ``manual`` is whether the player must install it, because this client was installed with pipx or uv.
    """

    phase: UpdatePhase = UpdatePhase.NONE
    version: str | None = None
    problem: JobProblem | None = None
    failed: str | None = None
    manual: bool = False


class AppBusy(ClientError):
    """The app cannot be restarted now."""

    def __init__(self) -> None:
        super().__init__("A game is running or being installed. Restart the app after that.")


class UpdateStopped(ClientError):
    """The download of an update makes way for a game, or the app is closing."""

    def __init__(self) -> None:
        super().__init__("Stopped.")


class ClientUpdater:
    """Looks for newer releases on the servers whose pages are open, and installs them for the next start."""

    def __init__(
        self,
        versions: Versions | None,
        settings: SettingsFile,
        machine: Machine,
        *,
        keys: Sequence[bytes],
        is_busy: Callable[[], bool],
        changed: Callable[[], None],
        restart: Callable[[], None],
    ) -> None:
        """``keys`` are those that releases are signed with. ``is_busy`` is whether a game runs or a job is being done.

        ``changed`` is called after each change of the state, ``restart`` to start the app again.
        """
        self._versions = versions
        self._settings = settings
        self._machine = machine
        self._keys = keys
        self._is_busy = is_busy
        self._changed = changed
        self._restart = restart
        self._lock = threading.Lock()
        self._servers: list[str] = []
        self._requested = False
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._state = self._stored_state()
        self._thread = threading.Thread(target=self._watch, name="client-update", daemon=True)

    @property
    def state(self) -> ClientUpdate:
        return self._state

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop. An update that does not end soon is abandoned with this process, and repeated later."""
        self._closing.set()
        self._wake.set()
        self._thread.join(_STOP_SECONDS)

    def watch(self, server: str) -> None:
        """Look for releases on a server, too."""
        with self._lock:
            if server not in self._servers:
                self._servers.append(server)
        self._wake.set()

    def check(self, *, install: bool = False) -> None:
        """Look for a release now; with ``install``, install it whatever the settings are."""
        self._requested = self._requested or install
        self._wake.set()

    def restart(self) -> None:
        """Start the app again, with the version that is ready. Raises AppBusy."""
        if self._is_busy():
            raise AppBusy
        self._restart()

    def _watch(self) -> None:
        self._remove_unused()
        while not self._closing.is_set():
            self._wake.clear()
            requested, self._requested = self._requested, False
            delay = self._look(install=requested or self._settings.read().app.update_client)
            self._wake.wait(delay)

    def _look(self, *, install: bool) -> float:
        """Look for a release and install it; return after how many seconds to look again."""
        with self._lock:
            servers = list(self._servers)
        found: list[tuple[str, ClientOffer]] = []
        delay = _CHECK_SECONDS
        for server in servers:
            try:
                offer = self._offer_of(server)
            except (ClientError, msgspec.MsgspecError):
                delay = _RETRY_SECONDS
                continue
            if offer is not None:
                found.append((server, offer))
        if not found:
            self._show(self._stored_state())
            return delay
        server, offer = max(found, key=lambda each: version_key(each[1].version) or ())
        self._show(self._stored_state(), phase=UpdatePhase.AVAILABLE, version=offer.version)
        if install and self._versions is not None:
            self._install(self._versions, server, offer)
        return delay

    def _offer_of(self, server: str) -> ClientOffer | None:
        """Return what a server offers that is newer than this client. Raises ClientError, MsgspecError."""
        calls = ("updates", self._machine.platform) if self._versions else ("downloads", ANY_SYSTEM)
        transport = Transport(server, None)
        try:
            with transport.opened("GET", f"/api/v1/client-{calls[0]}") as body:
                offers = decode_json(body.read_all(_MAX_LIST_BYTES), list[ClientOffer])
        finally:
            transport.close()
        stored = self._versions.read() if self._versions else VersionState()
        return newest_offer(offers, system=calls[1], above=(__version__, version_of(stored.current), *stored.failed))

    def _install(self, versions: Versions, server: str, offer: ClientOffer) -> None:
        """Install a release for the next start, and show how that went."""
        try:
            require_trust(offer, server, keys=self._keys)
            with updating(versions):
                folder = self._folder_with(versions, server, offer)
                self._wait_until_idle()
                versions.change(lambda state: switch(state, folder))
                remove_unused(versions)
        except StateBusy:
            # Another app of this installation is doing it.
            return
        except UpdateStopped:
            return
        except (ClientError, OSError) as error:
            self._show(self._state, phase=UpdatePhase.AVAILABLE, problem=problem_of(error))
        else:
            self._show(self._stored_state())

    def _folder_with(self, versions: Versions, server: str, offer: ClientOffer) -> str:
        """Return the folder of a release that has been unpacked, while no game runs and nothing else is downloaded."""
        while True:
            self._wait_until_idle()
            self._show(self._state, phase=UpdatePhase.DOWNLOADING, problem=None)
            limiter = RateLimiter(self._settings.read().app.limit_rate, stopped=self._closing)
            try:
                return install_update(versions, server, offer, on_received=partial(self._receive, limiter))
            except UpdateStopped:
                if self._closing.is_set():
                    raise

    def _receive(self, limiter: RateLimiter, size: int) -> None:
        if self._closing.is_set() or self._is_busy():
            raise UpdateStopped
        limiter.take(size)

    def _wait_until_idle(self) -> None:
        while self._is_busy():
            self._closing.wait(_IDLE_CHECK_SECONDS)
            if self._closing.is_set():
                raise UpdateStopped

    def _remove_unused(self) -> None:
        if self._versions is not None:
            with suppress(OSError), updating(self._versions):
                remove_unused(self._versions)

    def _stored_state(self) -> ClientUpdate:
        """Return what is known without asking a server."""
        if self._versions is None:
            return ClientUpdate(manual=True)
        stored = self._versions.read()
        selected = version_of(stored.current)
        # A release that did not work is mentioned until a newer one does.
        failed = next((each for each in reversed(stored.failed) if is_newer(each, __version__)), None)
        if is_newer(selected, __version__):
            return ClientUpdate(UpdatePhase.READY, selected, failed=failed)
        return ClientUpdate(failed=failed)

    def _show(self, state: ClientUpdate, **changes: Any) -> None:
        after = msgspec.structs.replace(state, **changes)
        if after != self._state:
            self._state = after
            self._changed()
