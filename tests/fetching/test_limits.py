"""The limits of requests: no server can use more time or memory than allowed."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopback import Answer, Line, Loopback, answer, deaf, endlessly, head, silence
from playdock.fetching.errors import FetchFailed, FetchTimeout, ResponseTooLarge, Unreachable
from playdock.fetching.requests import FetchLimits, FetchResponse, Request, origin_of
from playdock.fetching.web import Fetcher

_MAX_BYTES = 1000
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def fetch(
    web: Fetcher, server: Loopback, served: Answer, *, seconds: float = 10, max_bytes: int = _MAX_BYTES
) -> FetchResponse:
    limits = FetchLimits(frozenset([origin_of(server.address)]), seconds=seconds, max_bytes=max_bytes)
    return web.fetch(Request(server.on("/a", served)), limits)


def compressed(content: bytes) -> bytes:
    return answer(gzip.compress(content), content_encoding="gzip")


@pytest.mark.parametrize(
    "slow",
    [
        pytest.param(silence, id="nothing"),
        pytest.param(endlessly(b"", b"H", every=0.05), id="a status line, sign by sign"),
        pytest.param(endlessly(b"HTTP/1.1 200 OK\r\n", b"a: b\r\n", every=0.05), id="a header now and then"),
        pytest.param(endlessly(b"", _CONTINUE, every=0.001), id="go on, go on"),
        pytest.param(endlessly(head(), b"x", every=0.05), id="a byte now and then"),
        pytest.param(endlessly(head(content_length="999"), b"x", every=0.05), id="a byte now and then of so many"),
        pytest.param(endlessly(head(transfer_encoding="chunked"), b"1\r\nx\r\n", every=0.05), id="a chunk at times"),
        pytest.param(endlessly(head(), b"", every=0.05), id="no body, and no end"),
    ],
)
def test_a_slow_response_ends_at_the_time_limit(web: Fetcher, server: Loopback, slow: Answer) -> None:
    with pytest.raises(FetchTimeout):
        fetch(web, server, slow, seconds=0.4)


def test_a_pending_connection_ends_at_the_time_limit(web: Fetcher) -> None:
    with deaf() as address, pytest.raises(FetchTimeout):
        web.fetch(Request(address), FetchLimits(frozenset([origin_of(address)]), seconds=0.3, max_bytes=1))


def test_a_request_without_any_time_left_times_out(web: Fetcher, server: Loopback) -> None:
    with pytest.raises(FetchTimeout, match="did not respond in time"):
        fetch(web, server, answer(), seconds=0)


def test_requests_succeed_after_many_timeouts(web: Fetcher, server: Loopback) -> None:
    for _ in range(40):
        with pytest.raises(FetchTimeout):
            fetch(web, server, silence, seconds=0.01)

    assert fetch(web, server, answer(b"found")).body == b"found"


@pytest.mark.parametrize("most", [0, 1, _MAX_BYTES])
@pytest.mark.parametrize("write", [answer, compressed])
def test_a_body_of_the_maximum_size_is_read(
    web: Fetcher, server: Loopback, most: int, write: Callable[[bytes], bytes]
) -> None:
    assert fetch(web, server, write(b"x" * most), max_bytes=max(most, 30)).body == b"x" * most


@pytest.mark.parametrize(
    "large",
    [
        pytest.param(answer(b"x" * (_MAX_BYTES + 1)), id="a byte more"),
        pytest.param(compressed(b"x" * (_MAX_BYTES + 1)), id="a byte more when unpacked"),
        pytest.param(endlessly(head(), b"x" * 1000), id="no end"),
        pytest.param(endlessly(head(content_length=str(2**31)), b"x" * 1000), id="2 GB, as it says"),
        pytest.param(endlessly(head(transfer_encoding="chunked"), b"2\r\nxx\r\n"), id="no end of chunks"),
        pytest.param(endlessly(head(content_encoding="gzip") + gzip.compress(b"")[:10], b"\0\0\0\xff\xff"), id="air"),
    ],
)
def test_reading_stops_at_the_maximum_size(web: Fetcher, server: Loopback, large: Answer) -> None:
    with pytest.raises(ResponseTooLarge):
        fetch(web, server, large)


def test_a_decompression_bomb_is_not_decompressed(web: Fetcher, server: Loopback) -> None:
    bomb = compressed(b"\0" * 64_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(ResponseTooLarge):
            fetch(web, server, bomb, max_bytes=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 16_000_000
    finally:
        tracemalloc.stop()


def test_reading_stops_in_endless_headers(web: Fetcher, server: Loopback) -> None:
    with pytest.raises(Unreachable):
        fetch(web, server, endlessly(b"HTTP/1.1 200 OK\r\n", b"a: " + b"b" * 1000 + b"\r\n"))


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "deflate", "zstd", "identity, gzip", "x"])
def test_an_unrequested_content_encoding_is_rejected(web: Fetcher, server: Loopback, encoding: str) -> None:
    twice = gzip.compress(gzip.compress(b"found"))

    with pytest.raises(Unreachable, match="unsupported Content-Encoding"):
        fetch(web, server, answer(twice, content_encoding=encoding))


def _part(line: Line) -> None:
    line.send(head(content_encoding="gzip") + gzip.compress(b"found")[:-1])


def _promised(line: Line) -> None:
    line.send(head(content_length="100") + b"found")


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(answer(b"found", content_encoding="gzip"), id="not packed"),
        pytest.param(answer(zlib.compress(b"found"), content_encoding="gzip"), id="packed otherwise"),
        pytest.param(answer(gzip.compress(b"found")[:-1], content_encoding="gzip"), id="cut"),
        pytest.param(_part, id="cut with the connection"),
        pytest.param(_promised, id="less than promised"),
        pytest.param(answer(gzip.compress(b"found") + b"x", content_encoding="gzip"), id="something behind the end"),
        pytest.param(endlessly(head(content_encoding="gzip") + gzip.compress(b""), b"x" * 9), id="much behind the end"),
        pytest.param(answer(gzip.compress(b"found")[:-6] + b"rubbish", content_encoding="gzip"), id="wrong checksum"),
    ],
)
def test_an_incomplete_or_damaged_body_is_an_error(web: Fetcher, server: Loopback, broken: Answer) -> None:
    with pytest.raises(Unreachable):
        fetch(web, server, broken)


@pytest.mark.parametrize("status", [200, 204, 304, 404])
def test_an_empty_body_is_not_decompressed(web: Fetcher, server: Loopback, status: int) -> None:
    assert fetch(web, server, answer(status=status, content_encoding="GZIP")).body == b""


@given(st.binary(max_size=200), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", head(), head(content_encoding="gzip")]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_random_bytes_are_a_response_or_an_error(web: Fetcher, server: Loopback, rubbish: bytes, start: bytes) -> None:
    def send(line: Line) -> None:
        line.send(start + rubbish)

    with suppress(FetchFailed):
        assert fetch(web, server, send).status >= 100
