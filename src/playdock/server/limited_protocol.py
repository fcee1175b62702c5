"""uvicorn's HTTP protocol with limits: what a connection may send, how slowly, and how many connections there may be.

A request that exceeds a limit or is malformed is answered after all requests before it, and closes the connection.
Whatever the client still sends is discarded.
"""

import asyncio
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any, cast

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from playdock.server.connections import STATE_KEY, Connections, TimeLimits
from playdock.server.exchanges import PROXY_ID, REQUEST_ID_HEADER
from playdock.server.host_header import is_valid_host
from playdock.server.limited_websocket import LimitedWebSocket
from playdock.server.pipeline_flow import PipelineFlow
from playdock.server.rejections import (
    HEADER_TOO_LARGE,
    INVALID_HOST,
    MALFORMED,
    MAX_HEADER_BYTES,
    MAX_HEADER_LINES,
    MAX_TARGET_BYTES,
    NOT_ONE_HOST,
    TARGET_TOO_LONG,
    TOO_MANY_CONNECTIONS,
    TOO_SLOW,
    UNKNOWN_CODING,
    UNKNOWN_VERSION,
    UPGRADE_TOO_EARLY,
    UPGRADE_WITH_BODY,
    Rejection,
    RequestRejected,
)
from playdock.server.uvicorn_attributes import UsedAttributes, find_missing

USED_ATTRIBUTES: UsedAttributes = {
    HttpToolsProtocol: (
        "_should_upgrade",
        "_start_asgi_task",
        "connection_lost",
        "connection_made",
        "handle_websocket_upgrade",
        "on_body",
        "on_header",
        "on_headers_complete",
        "on_message_begin",
        "on_message_complete",
        "on_response_complete",
        "on_url",
        "shutdown",
    ),
    FlowControl: ("resume_reading",),
    WebSocketsSansIOProtocol: ("connection_lost",),
}
USED_INSTANCE_ATTRIBUTES: UsedAttributes = {
    HttpToolsProtocol: (
        "app_state",
        "client",
        "cycle",
        "flow",
        "headers",
        "loop",
        "parser",
        "pipeline",
        "scope",
        "server_state",
        "transport",
        "ws_protocol_class",
    ),
    RequestResponseCycle: (
        "disconnected",
        "keep_alive",
        "message_event",
        "more_body",
        "response_complete",
        "response_started",
        "scope",
        "waiting_for_100_continue",
    ),
    FlowControl: ("read_paused",),
    ServerState: ("default_headers", "total_requests"),
}

# A client that sends more requests without waiting has to send the others again. Each takes a few kilobytes of memory.
_MAX_PIPELINED_REQUESTS = 100
# How long a connection without a request is kept when the process drains. A reverse proxy sends the first one at once.
_FIRST_REQUEST_SECONDS = 1.0
# The colon, the space and the end of a line.
_LINE_BYTES = 4
_VERSIONS = ("1.1", "1.0")
_BODY_HEADERS = frozenset((b"content-length", b"transfer-encoding"))


def missing_attributes() -> list[str]:
    """Return the attributes that the protocol uses and the installed version of uvicorn does not have."""
    return find_missing(USED_ATTRIBUTES, USED_INSTANCE_ATTRIBUTES)


class _Awaited(Enum):
    """What a connection waits for that its client has to send."""

    HEADER = "header"
    BODY = "body"
    NEXT_REQUEST = "next request"
    END = "end"


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits."""

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._connections = connections
        if self.ws_protocol_class is not None:
            self.ws_protocol_class = partial(LimitedWebSocket, connections)  # type: ignore[assignment]
        # The request whose response is being sent, or was sent last.
        self._current: RequestResponseCycle | None = None
        # Whether a trusted proxy sends the requests.
        self._is_proxied = False
        # Whether no further request is accepted, and the response that says why.
        self._is_rejected = False
        self._rejection: Rejection | None = None
        # The header, including trailers, that is being received.
        self._header_bytes = 0
        self._header_lines = 0
        # The bytes of which the parser has reported nothing yet.
        self._pending_bytes = 0
        # How far the client has come since the last examination.
        self._requests = 0
        self._body_bytes = 0
        self._progress: tuple[_Awaited, int] | None = None
        self._since = 0.0

    # --- The connection ---

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = PipelineFlow(transport, self.pipeline)
        self._is_proxied = self._connections.is_proxied(self._address)
        if count := self.app_state.get(STATE_KEY):
            count.connections = self._connections
        if not self._connections.admit(self, self._address):
            self._is_rejected = True
            transport.write(TOO_MANY_CONNECTIONS.response(self.server_state.default_headers))
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        is_incomplete = self._has_header and self.cycle.more_body and not self.cycle.response_complete
        if is_incomplete and not self._is_rejected:
            self._log("The connection was closed before the end of the request.")
        super().connection_lost(exc)
        self._connections.remove(self)
        self.pipeline.clear()
        # uvicorn notifies only the request that arrived last, which may be queued behind the current one.
        if self._current and not self._current.response_complete:
            self._disconnect(self._current)

    def shutdown(self) -> None:
        """Close the connection now or after the response; a request of which a part has arrived is still received.

        On a connection that has just been accepted, the first request is probably on its way.
        """
        if not self._has_begun:
            self.loop.call_later(_FIRST_REQUEST_SECONDS, self._close_unused)
        elif self._awaited is not _Awaited.HEADER:
            super().shutdown()

    def _close_unused(self) -> None:
        if not self._has_begun:
            self.transport.close()

    @property
    def _has_begun(self) -> bool:
        """Whether a part of the first request has arrived."""
        return bool(self.scope)

    def handle_websocket_upgrade(self) -> None:
        super().handle_websocket_upgrade()
        socket: Any = self.transport.get_protocol()
        self._connections.replace(self, socket)

    # --- Receiving ---

    def data_received(self, data: bytes) -> None:
        if self._is_rejected:
            return
        self._pending_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            else:
                # The upgrade is ignored, but where the next request would begin is not known.
                self.cycle.keep_alive = False
                self._reject(None)
        except httptools.HttpParserError as error:
            reason = error.__context__
            self._reject(reason.rejection if isinstance(reason, RequestRejected) else MALFORMED)
        else:
            if self._pending_bytes > MAX_HEADER_BYTES:
                self._reject(HEADER_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = self._header_lines = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        # The parser waits for the rest of the preface of HTTP/2 (RFC 9113, section 3.4), whatever follows.
        if self.parser.get_method() == b"PRI":
            raise RequestRejected(UNKNOWN_VERSION)
        if len(self.url) > MAX_TARGET_BYTES:
            raise RequestRejected(TARGET_TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_lines += 1
        self._header_bytes += len(name) + len(value) + _LINE_BYTES
        if self._header_lines > MAX_HEADER_LINES or self._header_bytes + len(self.url) > MAX_HEADER_BYTES:
            raise RequestRejected(HEADER_TOO_LARGE)
        # Trailers are ignored: the application has the header already.
        if not self._has_header:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._pending_bytes = 0
        self._requests += 1
        self._check_header()
        if self._is_proxied:
            self._keep_request_id()
        super().on_headers_complete()

    def _keep_request_id(self) -> None:
        """Pass on the id that a proxy has given the request. Others could choose an id that is confusing in a log."""
        for name, value in self.headers:
            if name == REQUEST_ID_HEADER:
                cast("dict[str, Any]", self.scope)[PROXY_ID] = value

    def on_body(self, body: bytes) -> None:
        self._pending_bytes = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._pending_bytes = 0
        super().on_message_complete()
        # uvicorn leaves this out if the response was sent before the whole body had been received.
        if self._has_header:
            self.cycle.more_body = False

    @property
    def _has_header(self) -> bool:
        """Whether the header of the request that began last is complete."""
        return self.cycle is not None and self.cycle.scope is self.scope

    @property
    def _is_responding(self) -> bool:
        """Whether a response is due or being sent."""
        current = self._current
        return current is not None and not (current.response_complete or current.disconnected)

    @property
    def _is_chunked(self) -> bool:
        """Whether there is one transfer coding. The parser decodes no other, and ignores those before the last."""
        return [value.lower() for name, value in self.headers if name == b"transfer-encoding"] == [b"chunked"]

    def _check_header(self) -> None:
        """Raise RequestRejected if the application must not get the request."""
        names = [name for name, _ in self.headers]
        hosts = [value for name, value in self.headers if name == b"host"]
        version = self.parser.get_http_version()
        if version not in _VERSIONS:
            raise RequestRejected(UNKNOWN_VERSION)
        if len(hosts) != 1 and (hosts or version == "1.1"):
            raise RequestRejected(NOT_ONE_HOST)
        if hosts and not is_valid_host(hosts[0]):
            raise RequestRejected(INVALID_HOST)
        if b"transfer-encoding" in names and not self._is_chunked:
            raise RequestRejected(UNKNOWN_CODING)
        if self._is_responding and len(self.pipeline) >= _MAX_PIPELINED_REQUESTS:
            raise RequestRejected(None)
        if self.parser.should_upgrade():
            # The parser takes a body for data of the other protocol.
            if not _BODY_HEADERS.isdisjoint(names):
                raise RequestRejected(UPGRADE_WITH_BODY)
            if self._is_responding and self._should_upgrade():
                raise RequestRejected(UPGRADE_TOO_EARLY)

    # --- Responding ---

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._current = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """Start the next request. Unlike uvicorn's method, this sets no timer."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._is_rejected:
            self._close()
        self.flow.resume_reading()

    def _reject(self, rejection: Rejection | None) -> None:
        """Accept no further request, and close the connection after the responses that are due and a rejection."""
        self._is_rejected, self._rejection = True, rejection
        if rejection:
            self._log(rejection.detail)
        if self._has_header and self.cycle.more_body:
            self._withdraw(self.cycle)
        if not self._is_responding:
            self._close()

    def _withdraw(self, cycle: RequestResponseCycle) -> None:
        """Withdraw a request that the application has, or would have got, and whose body is incomplete."""
        if self.pipeline and self.pipeline[0][0] is cycle:
            self.pipeline.popleft()
        elif cycle.response_complete:
            self._rejection = None
        elif cycle.response_started:
            self.transport.abort()
        else:
            self._disconnect(cycle)

    def _close(self) -> None:
        """Send the rejection, and close the connection when the client has closed it, or after some time.

        Closing a connection while data arrives resets it, so that the client may not receive the last response.
        """
        if self.transport.is_closing():
            return
        if self._rejection:
            self.transport.write(self._rejection.response(self.server_state.default_headers))
        # The client may have closed the connection already.
        with suppress(OSError):
            self.transport.write_eof()
        self.flow.resume_reading()

    def _log(self, reason: str) -> None:
        self._connections.invalid_requests.warn(address=self._address, reason=reason)

    @property
    def _address(self) -> str | None:
        return self.client[0] if self.client else None

    def _disconnect(self, cycle: RequestResponseCycle) -> None:
        cycle.disconnected, cycle.waiting_for_100_continue = True, False
        cycle.message_event.set()

    # --- Time ---

    def enforce_time_limits(self, now: float, limits: TimeLimits) -> None:
        """Close the connection if the client has not sent in time what it has to send next."""
        awaited = self._awaited
        progress = (awaited, self._requests) if awaited else None
        if progress != self._progress:
            self._progress, self._since, self._body_bytes = progress, now, 0
            return
        seconds = now - self._since
        if awaited is _Awaited.HEADER and seconds > limits.header:
            self._give_up_header()
        elif (awaited is _Awaited.NEXT_REQUEST and seconds > limits.idle) or (
            awaited is _Awaited.END and seconds > limits.closing
        ):
            self.transport.close()
        elif awaited is _Awaited.BODY and seconds > limits.body_period:
            if self._body_bytes < seconds * limits.body_bytes_per_second:
                self._reject(TOO_SLOW)
            self._since, self._body_bytes = now, 0

    @property
    def _awaited(self) -> _Awaited | None:
        """What the client has to send next, None while the server has to do something, such as sending a response."""
        if self._is_rejected:
            return None if self._is_responding else _Awaited.END
        if self._has_header and self.cycle.more_body:
            is_ready = not (self.flow.read_paused or self.cycle.waiting_for_100_continue)
            return _Awaited.BODY if is_ready else None
        if self._is_responding:
            return None
        return _Awaited.NEXT_REQUEST if self._has_header else _Awaited.HEADER

    def _give_up_header(self) -> None:
        """Reject an incomplete request. If none has begun, a response could be taken for that to the next one."""
        if self._has_begun:
            self._reject(TOO_SLOW)
        else:
            self.transport.close()
