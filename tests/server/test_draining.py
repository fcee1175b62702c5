"""Connections of a process that drains: which are closed, and which are still answered."""

import asyncio
from typing import Any

import pytest

from playdock.server.readiness import Readiness
from playdock.web.draining import LastResponses
from wire import GET, POST, Echo, Edge, statuses


@pytest.mark.parametrize(
    ("received", "later", "answered"),
    [
        ([GET], GET, 1),
        # The connection has been accepted, and its first request has not arrived yet.
        ([], GET, 1),
        # A part of a request has arrived, of the first one or of a further one.
        ([GET[:20]], GET[20:], 1),
        ([GET, GET[:20]], GET[20:], 2),
        ([POST + b"Content-Length: 4\r\n\r\nab"], b"cd", 1),
    ],
)
@pytest.mark.parametrize("zero_copy", [True, False])
def test_requests_that_have_begun_are_answered_and_others_are_not(
    received: list[bytes], later: bytes, answered: int, *, zero_copy: bool
) -> None:
    async def test() -> None:
        readiness = Readiness()
        wire = Edge(LastResponses(Echo(), readiness), zero_copy=zero_copy).connect()
        await wire.receive(received)
        readiness.start_draining()

        wire.protocol.shutdown()
        await wire.receive([later])

        assert (statuses(wire), wire.is_closing()) == ([200] * answered, True)

    asyncio.run(test())


def test_a_connection_without_a_request_is_closed_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.server.limited_protocol._FIRST_REQUEST_SECONDS", 0.0)

    async def test() -> None:
        wire = Edge(Echo()).connect()
        wire.protocol.shutdown()
        await wire.settle()
        assert wire.is_closing()

    asyncio.run(test())


def test_each_response_is_the_last_of_its_connection() -> None:
    async def test() -> None:
        readiness = Readiness()
        wire = Edge(LastResponses(Echo(), readiness)).connect()
        await wire.receive([GET])
        assert b"connection" not in bytes(wire.sent).lower()

        readiness.start_draining()
        # As if the connection had been accepted while others were closed.
        await wire.receive([GET])

        assert bytes(wire.sent).lower().count(b"connection: close") == 1
        assert (statuses(wire), wire.is_closing()) == ([200, 200], True)

    asyncio.run(test())


def test_other_messages_are_passed_on_unchanged() -> None:
    sent: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b"x"})

    async def send(message: Any) -> None:
        sent.append(message)

    for kind in ("http", "websocket"):
        asyncio.run(LastResponses(app, Readiness(is_draining=True))({"type": kind}, None, send))  # type: ignore[arg-type]

    headers = [message.get("headers") for message in sent]
    assert headers == [[(b"a", b"b"), (b"connection", b"close")], None, [(b"a", b"b")], None]
