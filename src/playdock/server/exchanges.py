"""Requests with their responses: an id for each, and what observers are told of them.

Each response has the header ``X-Request-Id``. The same id is in the log, in the security log and in the bodies of
internal errors. A trusted proxy may choose it; other clients may not.
"""

import re
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Protocol, cast

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from msgspec import Struct

from playdock.kit.identifiers import new_id

# The key of the scope with the id that a trusted proxy has chosen, and with the exchange.
PROXY_ID, _EXCHANGE = "playdock.proxy_request_id", "playdock.exchange"
REQUEST_ID_HEADER = b"x-request-id"
# The ids that proxies create are UUIDs and hexadecimal numbers; others could be confused in a log.
_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")


class Exchange(Struct):
    """A request and its response, as far as it has got.

    ``route`` is the template of the path, empty if there is no such route. ``status`` is 0 until the response begins,
    ``began`` and ``responded`` are seconds of `perf_counter`, and ``sent`` is the number of bytes of the body.
    """

    request_id: str
    method: str
    began: float
    observers: "Sequence[Observer]" = ()
    address: str = ""
    path: bytes = b""
    route: str = ""
    caller: str = ""
    status: int = 0
    responded: float = 0.0
    sent: int = 0

    def record_sent(self, count: int) -> None:
        self.sent += count
        for observer in self.observers:
            observer.on_sent(self.route, count)

    @property
    def may_be_repeated(self) -> bool:
        """Whether following requests may be answered without an exchange of their own."""
        return not any(observer.observes_all for observer in self.observers)

    def record_repetition(self, status: int, sent: int, *, began: float) -> None:
        """Record a response to a request that was repeated."""
        if self.observers:
            now = perf_counter()
            repeated = msgspec.structs.replace(self, began=began, responded=now, status=status, sent=0)
            repeated.record_sent(sent)
            for observer in self.observers:
                observer.on_end(repeated)


class Observer(Protocol):
    """What is told of exchanges, in the thread of the event loop. It must not wait.

    ``observes_all`` is whether it needs an id and an address for every request, also for those that are repeated.
    """

    observes_all: bool

    def on_start(self, state: dict[str, Any]) -> None:
        """Receive the state that the application shares with the connections, before there are any."""

    def on_sent(self, route: str, count: int) -> None:
        """Count bytes of a body."""

    def on_end(self, exchange: Exchange) -> None:
        """Receive an exchange at its end."""


class Exchanges(Struct, frozen=True):
    """ASGI middleware that creates an `Exchange` for each request."""

    app: ASGIApp
    observers: Sequence[Observer] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            if cast("str", scope["type"]) == "lifespan":
                for observer in self.observers:
                    observer.on_start(cast("dict[str, Any]", scope)["state"])
            await self.app(scope, receive, send)
            return
        exchange = Exchange(_request_id(scope), scope["method"], perf_counter(), self.observers)
        exchange.path, client = scope["raw_path"], scope["client"]
        exchange.address = client[0] if client else ""
        cast("dict[str, Any]", scope)[_EXCHANGE] = exchange
        header = REQUEST_ID_HEADER, exchange.request_id.encode()

        async def send_and_record(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status, exchange.responded = message["status"], perf_counter()
                message["headers"] = [*message.get("headers", ()), header]
            elif message["type"] == "http.response.body" and exchange.method != "HEAD":
                exchange.record_sent(len(message["body"]))
            await send(message)

        try:
            await self.app(scope, receive, send_and_record)
        finally:
            for observer in self.observers:
                observer.on_end(exchange)


def exchange_of(scope: Any) -> Exchange | None:
    """Return the exchange of a request, None for web sockets and without the middleware."""
    exchange: Exchange | None = scope.get(_EXCHANGE)
    return exchange


def _request_id(scope: HTTPScope) -> str:
    chosen: bytes | None = cast("dict[str, Any]", scope).get(PROXY_ID)
    return chosen.decode() if chosen and _ID.fullmatch(chosen) else new_id()
