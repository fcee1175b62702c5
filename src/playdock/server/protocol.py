"""The server's HTTP protocol, with zero-copy sending for bodies of files, and without parsing repeated requests.

uvicorn's protocol copies every byte of a body through its transport. This protocol is available in the scope's
extensions and returns a `SocketWriter`, which sends the body through a duplicate descriptor of the connection's socket.

Requests that differ only in their range from an earlier one of the connection are answered without the parser, a task
and ASGI's messages, which together take longer than reading and sending a short range (`repeated_requests.py`).
"""

import asyncio
import socket
from typing import Any

from msgspec import Struct
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from playdock.sending.limits import TransferPermit
from playdock.sending.transfer import WRITER_EXTENSION, SocketWriter
from playdock.server.exchanges import exchange_of
from playdock.server.limited_protocol import LimitedProtocol
from playdock.server.repeated_requests import ReadyResponse, Repeat, RepeatedRequest
from playdock.server.uvicorn_attributes import UsedAttributes, find_missing

USED_ATTRIBUTES: UsedAttributes = {FlowControl: ("drain",)}
USED_INSTANCE_ATTRIBUTES: dict[Any, tuple[str, ...]] = {
    HttpToolsProtocol: ("config", "loop", "tasks"),
    RequestResponseCycle: ("expected_content_length", "flow", "transport"),
    FlowControl: ("write_paused",),
}

# Longer requests are not kept to be repeated, because each connection would keep one in memory.
_MAX_REPEATED_BYTES = 8 * 1024


def missing_attributes() -> list[str]:
    """Return the attributes that the protocol uses in addition and the installed version of uvicorn does not have."""
    return find_missing(USED_ATTRIBUTES, USED_INSTANCE_ATTRIBUTES)


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
        if exchange := exchange_of(self.cycle.scope):
            exchange.record_sent(sent)

    def abort(self) -> None:
        self.cycle.disconnected = True
        self.cycle.transport.abort()


class ZeroCopyProtocol(LimitedProtocol):
    """uvicorn's protocol with limits, and with a `SocketWriter` for each request that needs one."""

    _writer: SocketWriter | None = None
    # The bytes received last, if a request began with them and they are not too many.
    _received = b""
    _repeated: RepeatedRequest | None = None

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

    def repeat_with(self, repeat: Repeat) -> None:
        """Respond with this function to further requests that differ from the current one only in their range."""
        current = self._current
        assert current is not None
        is_complete = current is self.cycle and current.scope is self.scope and not current.more_body
        if is_complete and current.keep_alive and not self.config.access_log:
            self._repeated = RepeatedRequest.of(self._received, repeat)

    def data_received(self, data: bytes) -> None:
        is_new_request = self._is_between_requests
        if is_new_request and self._repeated and not self.flow.write_paused and self._repeat(self._repeated, data):
            return
        self._received = data if is_new_request and len(data) <= _MAX_REPEATED_BYTES else b""
        super().data_received(data)

    @property
    def _is_between_requests(self) -> bool:
        """Whether the last request is complete and has been responded to, and no other has begun."""
        cycle = self.cycle
        is_complete = cycle and cycle.scope is self.scope and cycle.response_complete and not cycle.more_body
        return bool(is_complete and not self._is_rejected)

    def _repeat(self, repeated: RepeatedRequest, request: bytes) -> bool:
        """Respond to a request without parsing it. Return False if that is not possible."""
        requested = repeated.range_of(request)
        if requested is None:
            return False
        lines = b"".join(b"%b: %b\r\n" % header for header in self.server_state.default_headers)
        try:
            ready = repeated.repeat(requested, lines)
        except Exception:  # noqa: BLE001 - the application raises it again, and reports it
            return False
        if ready is None:
            return False
        self._send_ready(ready)
        return True

    def _send_ready(self, ready: ReadyResponse) -> None:
        self.transport.write(ready.data)
        if self.flow.write_paused:
            waiting = self.loop.create_task(self._release_when_sent(ready.permit))
            self.tasks.add(waiting)
            waiting.add_done_callback(self.tasks.discard)
        else:
            ready.permit.release()
        self._requests += 1
        self.server_state.total_requests += 1

    async def _release_when_sent(self, permit: TransferPermit) -> None:
        try:
            await self.flow.drain()
        finally:
            permit.release()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._writer:
            self._writer.resume()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
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
