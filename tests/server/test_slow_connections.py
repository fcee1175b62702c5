"""How slowly a client may send, and what the log says about clients that disconnect."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from playdock.server.connections import TimeLimits
from wire import BEGUN, CHUNKED, GET, LIMITS, POST, Echo, Edge, Wire, on_one_connection, statuses

# --- Time ---

HEADER, IDLE, PERIOD = LIMITS.header, LIMITS.idle, LIMITS.body_period
ENOUGH = int(LIMITS.body_period * LIMITS.body_bytes_per_second) + 2048
# What is received before the connection is first examined, the seconds until it is examined again, and the statuses of
# all responses if it has been closed then.
STALLED = [
    ([], HEADER, []),
    ([b"\r\n"], HEADER, []),
    ([BEGUN], HEADER, [408]),
    ([GET], IDLE, [200]),
    ([GET, BEGUN], HEADER, [200, 408]),
    ([GET, BEGUN, b"st: "], HEADER, [200, 408]),
    ([POST + b"Content-Length: 9\r\n\r\n"], PERIOD, [408]),
    ([GET, POST + b"Content-Length: 9\r\n\r\n"], PERIOD, [200, 408]),
    ([CHUNKED], PERIOD, [408]),
    ([b"rubbish\r\n\r\n"], LIMITS.closing, [400]),
]


@pytest.mark.parametrize(("pieces", "seconds", "expected"), STALLED)
def test_a_connection_that_stalls_is_closed_after_its_time(
    pieces: list[bytes], seconds: float, expected: list[int]
) -> None:
    async def test(wire: Wire) -> None:
        await wire.receive(pieces)
        wire.protocol.enforce_time_limits(100.0, LIMITS)
        wire.protocol.enforce_time_limits(100.0 + seconds - 0.1, LIMITS)
        await wire.settle()
        assert not wire.is_closing()
        wire.protocol.enforce_time_limits(100.0 + seconds + 0.1, LIMITS)
        await wire.settle()
        assert wire.is_closing() or wire.is_ended
        assert statuses(wire) == expected
        for now in (200.0, 300.0):
            wire.protocol.enforce_time_limits(now, LIMITS)
        assert wire.is_closing()

    on_one_connection(test)


def test_a_header_in_slow_pieces_is_given_up() -> None:
    async def test(wire: Wire) -> None:
        for second in range(20):
            await wire.receive([GET[second : second + 1]])
            wire.protocol.enforce_time_limits(float(second), LIMITS)
        assert statuses(wire) == [408]

    on_one_connection(test)


def test_a_body_may_take_any_time_at_the_minimum_rate() -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([POST + b"Content-Length: %d\r\n\r\n" % (ENOUGH * 20)])
        for period in range(20):
            wire.protocol.enforce_time_limits(period * (PERIOD + 1), LIMITS)
            await wire.receive([bytes(ENOUGH)])
        assert statuses(wire) == [200]

    on_one_connection(test)


def test_a_body_below_the_minimum_rate_is_given_up() -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([POST + b"Content-Length: 1000000\r\n\r\n"])
        for second in range(20):
            wire.protocol.enforce_time_limits(float(second), LIMITS)
            await wire.receive([bytes(1000)])
        assert (statuses(wire), app.disconnected) == ([408], 1)

    app = Echo()
    on_one_connection(test, app=app)


def test_a_slow_response_may_take_any_time() -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([GET, BEGUN])
        for hour in range(100):
            wire.protocol.enforce_time_limits(hour * 3600.0, LIMITS)
        assert not wire.is_closing()

    on_one_connection(test, app=Echo(may_end=asyncio.Event()))


def test_a_client_that_waits_for_permission_to_send_its_body_is_not_slow() -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([POST + b"Content-Length: 1\r\nExpect: 100-continue\r\n\r\n"])
        for hour in range(100):
            wire.protocol.enforce_time_limits(hour * 3600.0, LIMITS)
        assert not wire.is_closing()

    async def never_reads(_scope: Any, _receive: Any, _send: Any) -> None:
        await asyncio.Event().wait()

    on_one_connection(test, app=never_reads)


def test_connections_are_examined_regularly() -> None:
    async def test() -> None:
        edge = Edge(Echo(), times=TimeLimits(header=0.0, idle=1000.0, interval=0.001))
        silent, idle = edge.connect(), edge.connect()
        await idle.receive([GET])
        async with asyncio.timeout(60):
            while not silent.is_closing():  # noqa: ASYNC110 - nothing reports it
                await asyncio.sleep(0.001)
        assert not idle.is_closing()
        idle.close()
        await idle.settle()

    asyncio.run(test())


# --- Log ---


@pytest.mark.parametrize("piece", [b"", b"x" * 10])
def test_hanging_up_in_the_middle_of_a_body_is_logged_with_the_address(piece: bytes) -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([POST + b"Content-Length: 100\r\n\r\n", piece])
        wire.close()
        await wire.settle()

    app = Echo()
    with capture_logs() as lines:
        on_one_connection(test, app=app)
    assert [(line["log_level"], line["address"]) for line in lines] == [("warning", "198.51.100.1")]
    assert app.disconnected == 1


@pytest.mark.parametrize("data", [b"", BEGUN, GET])
def test_hanging_up_otherwise_is_not(data: bytes) -> None:
    async def test(wire: Wire) -> None:
        await wire.receive([data])
        wire.close()
        await wire.settle()

    with capture_logs() as lines:
        on_one_connection(test)
    assert lines == []


def test_many_malformed_requests_write_one_line_a_second() -> None:
    async def test() -> None:
        edge = Edge(Echo())
        for _ in range(100):
            await edge.connect().receive([b"rubbish\r\n\r\n"])

    with capture_logs() as lines:
        asyncio.run(test())
    # A slow machine may need several seconds.
    assert len(lines) < 50
