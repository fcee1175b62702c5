"""The server's protocol on a connection in memory, with a small application: any bytes, in any pieces, at any time."""

import asyncio
import re
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from playdock.server.connections import ConnectionLimits, Connections, TimeLimits
from playdock.server.limited_protocol import LimitedProtocol
from playdock.server.protocol import ZeroCopyProtocol

# Rounds of the event loop without any change after which nothing happens any more.
_QUIET_ROUNDS = 6
MANY = ConnectionLimits(total=1000, per_network=1000)
LIMITS = TimeLimits()
GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
BEGUN = b"GET / HTTP/1.1\r\nHo"
POST = b"POST / HTTP/1.1\r\nHost: h\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that the application has received completely."""

    method: str
    target: bytes
    version: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


@dataclass
class Echo:
    """An application that responds with the body of the request, and notes what it has seen."""

    seen: list[Seen] = field(default_factory=list)
    disconnected: int = 0
    # Whether the response is sent before the body is received.
    is_early: bool = False
    # What is waited for before a response is completed.
    may_end: asyncio.Event | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.is_early:
            await self._respond(send, b"early")
            return
        body = bytearray()
        message = await receive()
        while message["type"] == "http.request":
            body += message["body"]
            if not message["more_body"]:
                break
            message = await receive()
        else:
            self.disconnected += 1
            return
        query = scope["query_string"]
        target = scope["raw_path"] + (b"?" + query if query else b"")
        headers = tuple(scope["headers"])
        self.seen.append(Seen(scope["method"], target, scope["http_version"], headers, bytes(body)))
        await self._respond(send, bytes(body))

    async def _respond(self, send: Any, body: bytes) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        if self.may_end:
            await self.may_end.wait()
        await send({"type": "http.response.body", "body": body})


class _FakeSocket:
    family = socket.AF_INET

    def __init__(self, address: str) -> None:
        self._address = address

    def getpeername(self) -> tuple[str, int]:
        return self._address, 50_000

    def getsockname(self) -> tuple[str, int]:
        return "192.0.2.1", 3000

    def setsockopt(self, *_: Any) -> None:
        pass


class Wire(asyncio.Transport):
    """The server's side of a connection. ``sent`` is what it has sent."""

    def __init__(self, protocol: Any, address: str = "198.51.100.1") -> None:
        super().__init__({"socket": _FakeSocket(address)})
        self.sent = bytearray()
        self.is_ended = False
        self.is_aborted = False
        self._waiting: deque[bytes] = deque()
        self._protocol = protocol
        self._is_closing = False
        self._is_reading = True
        protocol.connection_made(self)

    async def receive(self, pieces: Iterable[bytes]) -> None:
        """Let the server receive pieces, each when nothing happens any more, unless it has paused or closed."""
        for piece in filter(None, pieces):
            self._waiting.append(piece)
            self._deliver()
            await self.settle()

    async def settle(self) -> None:
        """Wait until nothing happens any more."""
        quiet, before = 0, self._state
        while quiet < _QUIET_ROUNDS:
            await asyncio.sleep(0)
            self._deliver()
            quiet, before = (quiet + 1 if self._state == before else 0), self._state

    @property
    def _state(self) -> tuple[int, int, bool, bool]:
        return len(self.sent), len(self._waiting), self._is_closing, self._is_reading

    def _deliver(self) -> None:
        if self._waiting and self._is_reading and not self._is_closing:
            self._protocol.data_received(self._waiting.popleft())

    @property
    def protocol(self) -> Any:
        return self._protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.is_ended, "Nothing may be sent after the end."
        if not self._is_closing:
            self.sent += data

    def write_eof(self) -> None:
        self.is_ended = True

    def can_write_eof(self) -> bool:
        return True

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.is_aborted = True
        self.close()

    def is_closing(self) -> bool:
        return self._is_closing

    def pause_reading(self) -> None:
        self._is_reading = False

    def resume_reading(self) -> None:
        self._is_reading = True

    def is_reading(self) -> bool:
        return self._is_reading

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol  # type: ignore[no-any-return]


class Edge:
    """Connections to one application."""

    def __init__(self, app: Any, *, limits: ConnectionLimits = MANY, zero_copy: bool = True, **wanted: Any) -> None:
        self.connections = Connections(limits, **wanted)
        self._protocol: type[LimitedProtocol] = ZeroCopyProtocol if zero_copy else LimitedProtocol
        self._config = uvicorn.Config(app, log_config=None, access_log=False, ws="websockets-sansio")
        self._config.load()
        self._state = ServerState()

    def connect(self, address: str = "198.51.100.1") -> Wire:
        protocol = self._protocol(self.connections, config=self._config, server_state=self._state, app_state={})
        return Wire(protocol, address)


def statuses(wire: Wire) -> list[int]:
    """Return the statuses of the responses on a connection. No body looks like a header."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", bytes(wire.sent))]


def on_one_connection(
    test: Callable[[Wire], Awaitable[None]], *, app: Any = None, zero_copy: bool = True, **wanted: Any
) -> Wire:
    """Run a test on a connection, and return the connection."""

    async def run() -> Wire:
        wire = Edge(app or Echo(), zero_copy=zero_copy, **wanted).connect()
        await test(wire)
        return wire

    return asyncio.run(run())


def received(*pieces: bytes, **wanted: Any) -> Wire:
    """Let the server receive pieces, and return the connection."""

    async def test(wire: Wire) -> None:
        await wire.receive(pieces)

    return on_one_connection(test, **wanted)
