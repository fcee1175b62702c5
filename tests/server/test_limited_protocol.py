"""What a connection may send, how many there may be, and what the server responds otherwise."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from playdock.server.connections import ConnectionLimits
from playdock.server.rejections import MAX_HEADER_BYTES, MAX_HEADER_LINES, MAX_TARGET_BYTES
from wire import BEGUN, CHUNKED, GET, LIMITS, POST, Echo, Edge, Wire, on_one_connection, received, statuses

SOCKET = (
    b"GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def with_lines(count: int) -> bytes:
    return b"GET / HTTP/1.1\r\nHost: h\r\n" + b"".join(b"X%d: y\r\n" % number for number in range(count - 1)) + b"\r\n"


def with_bytes(count: int) -> bytes:
    """Return a request whose target and header lines, each counted with 4 bytes more, have a number of bytes."""
    lines = b"Host: h\r\nX: "
    return b"GET / HTTP/1.1\r\n" + lines + b"y" * (count - len(b"/Hosth...." + b"X....")) + b"\r\n\r\n"


def with_target(count: int) -> bytes:
    return b"GET /" + b"x" * (count - 1) + b" HTTP/1.1\r\nHost: h\r\n\r\n"


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


ALLOWED = [
    with_lines(MAX_HEADER_LINES),
    with_bytes(MAX_HEADER_BYTES),
    with_target(MAX_TARGET_BYTES),
    # HTTP/1.0 needs no host.
    b"GET / HTTP/1.0\r\n\r\n",
    CHUNKED + b"1\r\nx\r\n0\r\nX: trailer\r\n\r\n",
    POST + b"Content-Length: 100000\r\n\r\n" + bytes(100_000),
    CHUNKED + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n",
]
REJECTED = [
    (431, with_lines(MAX_HEADER_LINES + 1)),
    (431, with_bytes(MAX_HEADER_BYTES + 1)),
    (431, b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"x" * (MAX_HEADER_BYTES + 1)),
    (431, b"GET / HTTP/1.1\r\nHost: h\r\n" + b"x" * (MAX_HEADER_BYTES + 1)),
    (431, b"GET " + b" " * (MAX_HEADER_BYTES + 1)),
    (431, b"\r\n" * MAX_HEADER_BYTES),
    (431, CHUNKED + b"1\r\nx\r\n0\r\n" + b"X: y\r\n" * MAX_HEADER_LINES),
    (431, CHUNKED + b"1\r\nx\r\n0\r\nX: " + b"y" * 6 * MAX_HEADER_BYTES),
    (431, CHUNKED + b"1;" + b"x" * 6 * MAX_HEADER_BYTES),
    (414, with_target(MAX_TARGET_BYTES + 1)),
    (414, b"GET /" + b"x" * MAX_TARGET_BYTES),
    (400, b"GET / HTTP/1.1\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"),
    (400, b"GET / HTTP/1.0\r\nHost: h\r\nHost: g\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: h:99999\r\n\r\n"),
    (400, b"GET ? HTTP/1.1\r\nHost: h\r\n\r\n"),
    (505, b"GET / HTTP/2.0\r\nHost: h\r\n\r\n"),
    (505, b"PRI * HTTP/2.0\r\n\r\n"),
    (501, POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    (400, POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (505, b"GET /\r\nHost: h\r\n\r\n"),
    (400, b"rubbish\r\n\r\n"),
    (400, b"\x16\x03\x01\x02\x00\x01\x00"),
    (400, CHUNKED + b"x\r\n"),
    (400, POST + b"Content-Length: 1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nx"),
]


@pytest.mark.parametrize("size", [200_000, 4096, 999])
@pytest.mark.parametrize("number", range(len(ALLOWED)))
def test_what_is_within_the_limits_is_answered(number: int, size: int) -> None:
    wire = received(*in_pieces(ALLOWED[number], size))
    assert statuses(wire) == [200]
    assert not wire.is_ended


@pytest.mark.parametrize("zero_copy", [True, False])
@pytest.mark.parametrize("size", [200_000, 4096, 999])
@pytest.mark.parametrize("number", range(len(REJECTED)))
def test_what_exceeds_them_is_rejected_once_and_the_rest_discarded(number: int, size: int, *, zero_copy: bool) -> None:
    status, data = REJECTED[number]
    app = Echo()
    with capture_logs() as lines:
        wire = received(*in_pieces(data, size), GET, b"x" * 1000, app=app, zero_copy=zero_copy)
    assert (statuses(wire), wire.is_ended, app.seen) == ([status], True, [])
    assert [line["address"] for line in lines] == ["198.51.100.1"]
    assert b"connection: close\r\n" in wire.sent


@pytest.mark.parametrize(("status", "data"), [(431, with_lines(101)), (400, b"\x00"), (400, b"GET / HTTP/1.1\r\n\r\n")])
@pytest.mark.parametrize("together", [True, False])
def test_requests_before_a_rejected_one_are_answered_first(status: int, data: bytes, *, together: bool) -> None:
    pieces = [GET, GET, data, GET]
    wire = received(*([b"".join(pieces)] if together else pieces))
    assert (statuses(wire), wire.is_ended) == ([200, 200, status], True)


def test_an_endless_header_in_short_pieces_is_rejected_at_the_limit() -> None:
    app = Echo()
    wire = received(BEGUN, *[b"x" * 100] * 1000, app=app)
    assert (statuses(wire), app.seen) == ([431], [])


def test_a_rejected_request_waits_for_the_response_before_it() -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([GET, b"rubbish\r\n\r\n"])
        assert statuses(wire) == [200]
        app.may_end.set()  # type: ignore[union-attr]
        await wire.settle()
        assert (statuses(wire), wire.is_ended) == ([200, 400], True)

    app = Echo(may_end=asyncio.Event())
    on_one_connection(test, app=app)


def test_an_error_in_the_body_withdraws_the_request() -> None:
    app = Echo()
    wire = received(CHUNKED + b"1\r\nx\r\n", b"no chunk\r\n", app=app)
    assert (statuses(wire), app.seen, app.disconnected) == ([400], [], 1)


def test_an_error_in_the_body_after_an_early_response_only_closes_the_connection() -> None:
    wire = received(CHUNKED + b"1\r\nx\r\n", b"no chunk\r\n", app=Echo(is_early=True))
    assert (statuses(wire), wire.is_ended) == ([200], True)


def test_an_error_in_the_body_during_the_response_cuts_the_connection() -> None:
    wire = received(
        CHUNKED + b"1\r\nx\r\n", b"no chunk\r\n", app=Echo(is_early=True, may_end=asyncio.Event()), zero_copy=False
    )
    assert (statuses(wire), wire.is_aborted) == ([200], True)


def test_trailers_are_no_headers() -> None:
    app = Echo()
    received(CHUNKED + b"1\r\nx\r\n0\r\nAuthorization: Bearer x\r\n\r\n", GET, app=app)
    assert [dict(seen.headers).get(b"authorization") for seen in app.seen] == [None, None]


def test_a_connection_can_be_used_again_after_an_early_response() -> None:
    wire = received(POST + b"Content-Length: 10\r\n\r\n", b"x" * 10, GET, app=Echo(is_early=True))
    assert (statuses(wire), wire.is_ended) == ([200, 200], False)


def test_an_upgrade_to_an_unknown_protocol_is_ignored() -> None:
    wire = received(GET[:-2] + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + GET, GET)
    assert (statuses(wire), wire.is_closing()) == ([200], True)
    assert b"connection: close\r\n" in wire.sent


def test_at_most_a_hundred_requests_wait_for_their_response() -> None:
    app = Echo()
    wire = received(GET * 1000, GET, app=app)
    assert (statuses(wire), wire.is_ended) == ([200] * 101, True)


def test_no_more_is_read_while_requests_wait() -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([GET * 50])
        assert not wire.is_reading()
        await wire.receive([GET * 50] * 4)
        app.may_end.set()  # type: ignore[union-attr]
        await wire.settle()
        assert (statuses(wire), wire.is_ended, wire.is_reading()) == ([200] * 250, False, True)

    app = Echo(may_end=asyncio.Event())
    on_one_connection(test, app=app)


# --- Number ---


def test_a_connection_too_many_is_rejected_without_being_read() -> None:
    async def test() -> None:
        edge = Edge(app, limits=ConnectionLimits(3, 2))
        wires = [edge.connect(f"192.0.2.{number}") for number in (1, 1, 1, 2, 3)]
        for wire in wires:
            await wire.receive([GET])
        assert [statuses(wire) for wire in wires] == [[200], [200], [503], [200], [503]]
        assert [wire.is_closing() for wire in wires] == [False, False, True, False, True]
        wires[0].close()
        await wires[0].settle()
        again = edge.connect("192.0.2.1")
        await again.receive([GET])
        assert statuses(again) == [200]

    app = Echo()
    asyncio.run(test())
    assert len(app.seen) == 4


async def _socket(_scope: Any, receive: Any, send: Any) -> None:
    """Accept a web socket and keep it open."""
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


def test_web_sockets_stay_open_and_count() -> None:
    async def test() -> None:
        edge = Edge(_socket, limits=ConnectionLimits(1, 1))
        first, second = edge.connect(), edge.connect()
        await first.receive([SOCKET])
        for now in (0.0, 1e6, 2e6):
            first.protocol.enforce_time_limits(now, LIMITS)
        await first.settle()
        assert (statuses(first), statuses(second), first.is_closing()) == ([101], [503], False)
        first.close()
        await first.settle()
        third = edge.connect()
        await third.receive([SOCKET])
        assert statuses(third) == [101]
        third.close()
        await third.settle()

    asyncio.run(test())


def test_a_web_socket_cannot_begin_before_an_earlier_response_ends() -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([GET, SOCKET])
        app.may_end.set()  # type: ignore[union-attr]
        await wire.settle()
        assert (statuses(wire), wire.is_ended) == ([200, 400], True)

    app = Echo(may_end=asyncio.Event())
    on_one_connection(test, app=app)
