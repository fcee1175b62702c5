"""Serving in this process: the application is built once, and each world's services take their turn behind it.

Building the application takes ten times as long as wiring the services. It reads little of them while it is built, so
it is reused by every world whose settings agree on that; all state is in the services, and those are never reused.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from typing import Any, cast

import uvicorn
from websockets.exceptions import InvalidState

from playdock.cli.server import server_config
from playdock.server.protocol import missing_attributes
from playdock.settings import Settings
from playdock.web.app import application
from playdock.web.hot_ranges import HotRanges
from playdock.web.services import Services

# A process that starts on a busy machine may wait this long for the processor.
_MAX_START_SECONDS = 120.0
# As the program's own, so that a request left open by a test does not hold up the next one.
_MAX_OPEN_REQUEST_SECONDS = 1.0
_POLL_SECONDS = 0.005


class _Server(uvicorn.Server):
    """A server in a thread that stops without the pauses that uvicorn makes."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket) -> None:
        super().__init__(config)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self.run, args=[[listening]], name="server")

    def start(self) -> None:
        self._thread.start()
        deadline = time.monotonic() + _MAX_START_SECONDS
        while not self.started:
            assert self._thread.is_alive(), "The server did not start."
            assert time.monotonic() < deadline, "The server did not start in time."
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join(_MAX_START_SECONDS)
        assert not self._thread.is_alive(), "The server did not stop."

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop, self._leave = asyncio.get_running_loop(), asyncio.Event()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        counter = 0
        while not await self.on_tick(counter):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._leave.wait(), 0.1)
                return
            counter += 1

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in self.servers:
            listening.close()
        for connection in list(self.server_state.connections):
            # A web socket may be closing already.
            with suppress(InvalidState):
                connection.shutdown()
        deadline = time.monotonic() + _MAX_OPEN_REQUEST_SECONDS
        while self._is_busy and time.monotonic() < deadline:  # noqa: ASYNC110 - uvicorn has no event for this
            await asyncio.sleep(_POLL_SECONDS)
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()

    @property
    def _is_busy(self) -> bool:
        return bool(self.server_state.connections or self.server_state.tasks)


class _Current:
    """A service of the world that is being served: whatever is asked of it is asked of that one."""

    def __init__(self, host: "Host", name: str) -> None:
        self._host = host
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._host.current(self._name), name)
        self._host.note(self._name, name, found)
        return found

    def __deepcopy__(self, _memo: dict[int, Any]) -> "_Current":
        """Return this one: the framework copies the error handlers of a router with their settings."""
        return self

    async def __aenter__(self) -> Any:
        return await self._host.current(self._name).__aenter__()

    async def __aexit__(self, *error: object) -> Any:
        return await self._host.current(self._name).__aexit__(*error)


class Host:
    """An application at an address, for one world after the other."""

    def __init__(self) -> None:
        self._listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._listening.bind(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._services: Services | None = None
        self._application: HotRanges | None = None
        self._read: dict[str, Any] = {}

    def fits(self, settings: Settings) -> bool:
        """Return whether the application, if there is one, would be built the same with these settings."""
        return all(getattr(settings, name) == value for name, value in self._read.items())

    def current(self, name: str) -> Any:
        """Return a service of the world that is being served."""
        return getattr(self._services, name)

    def note(self, service: str, name: str, value: Any) -> None:
        """Remember which settings the application is built from."""
        if self._application is None and service == "settings":
            self._read[name] = value

    @contextmanager
    def serving(self, services: Services) -> Iterator[HotRanges]:
        """Serve the services of a world; yield the application."""
        self._services = services
        if self._application is None:
            current = Services(**cast("Any", {each.name: _Current(self, each.name) for each in fields(Services)}))
            self._application = application(current)
        # With --plain-asgi, short ranges take the same way as everything else.
        app = self._application.app if missing_attributes() else self._application
        server = _Server(server_config(services, workers=1, app=app), self._listening.dup())
        server.start()
        try:
            yield self._application
        finally:
            server.stop()
            self._services = None

    def close(self) -> None:
        """Let nobody else be served here."""
        self._listening.close()


@dataclass
class Hosts:
    """Hosts that are not in use."""

    _free: list[Host] = field(default_factory=list)

    @contextmanager
    def host(self, settings_at: Callable[[str], Settings]) -> Iterator[tuple[Host, Settings]]:
        """Take a host that fits the settings, which may depend on its address, or make one."""
        host = next((each for each in self._free if each.fits(settings_at(each.address))), None)
        if host is None:
            host = Host()
        else:
            self._free.remove(host)
        try:
            yield host, settings_at(host.address)
        except BaseException:
            host.close()
            raise
        self._free.append(host)
