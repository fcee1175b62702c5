"""The server's HTTP protocol, with zero-copy sending for bodies of files.

uvicorn's protocol copies every byte of a body through its transport. This protocol is available in the scope's
extensions and returns a `SocketWriter`, which sends the body through a duplicate descriptor of the connection's socket.
"""

import asyncio
import socket
from typing import Any

from msgspec import Struct
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from playdock.sending.transfer import WRITER_EXTENSION, SocketWriter

# Attributes of uvicorn that the protocol uses although they are not part of its public API.
USED_ATTRIBUTES = {
    HttpToolsProtocol: ("_start_asgi_task", "send_400_response", "connection_made", "connection_lost"),
    FlowControl: ("drain",),
}
USED_CYCLE_ATTRIBUTES = (
    "disconnected",
    "expected_content_length",
    "flow",
    "response_complete",
    "response_started",
    "scope",
    "transport",
)


def missing_attributes() -> list[str]:
    """Return the attributes that the protocol uses and the installed version of uvicorn does not have."""
    missing = [
        f"{owner.__name__}.{name}"
        for owner, names in USED_ATTRIBUTES.items()
        for name in names
        if not hasattr(owner, name)
    ]
    # Attributes of instances: those that the constructor sets are among the names of its code.
    set_by_cycle = RequestResponseCycle.__init__.__code__.co_names
    missing += [f"RequestResponseCycle.{name}" for name in USED_CYCLE_ATTRIBUTES if name not in set_by_cycle]
    return missing


class CycleConnection(Struct, frozen=True):
    """The connection of one request, based on uvicorn's request cycle."""

    cycle: RequestResponseCycle

    @property
    def closed(self) -> bool:
        return self.cycle.disconnected

    @property
    def socket(self) -> socket.socket:
        connection: socket.socket = self.cycle.transport.get_extra_info("socket")
        return connection

    async def drained(self) -> None:
        await self.cycle.flow.drain()

    def record(self, sent: int) -> None:
        self.cycle.expected_content_length -= sent

    def abort(self) -> None:
        self.cycle.disconnected = True
        self.cycle.transport.abort()


class ZeroCopyProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a `SocketWriter` for each request that needs one."""

    _writer: SocketWriter | None = None
    _current: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Shared by all requests of the connection, because most of them do not use it.
        self._extensions: Any = {WRITER_EXTENSION: {"protocol": self}}
        # With an empty buffer, `drain` returns only when the transport has passed everything to the socket, so that the
        # second descriptor may write.
        transport.set_write_buffer_limits(high=0)
        _detect_dead_peers(transport.get_extra_info("socket"))

    def socket_writer(self) -> SocketWriter:
        """Return a writer for the response to the current request."""
        assert self._current is not None
        self._writer = SocketWriter(CycleConnection(self._current))
        return self._writer

    def send_400_response(self, msg: str) -> None:
        """Respond 400 to an invalid request, or close the connection in the middle of a response."""
        current = self._current
        if current and current.response_started and not current.response_complete:
            self.transport.abort()
        else:
            super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        # uvicorn notifies only the request that arrived last, which may be queued behind the current one.
        if self._current and not self._current.response_complete:
            self._current.disconnected = True
        if self._writer:
            self._writer.resume()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._current = cycle
        cycle.scope["extensions"] = self._extensions
        super()._start_asgi_task(cycle, app)


def _detect_dead_peers(connection: socket.socket) -> None:
    """Enable TCP keepalive, so that the system closes connections whose peer no longer exists.

    A peer that only pauses reading still responds to the probes, so its connection is kept.
    """
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, seconds in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, option) and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
