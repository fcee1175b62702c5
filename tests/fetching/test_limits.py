"""No server takes more of our time or memory than it is given."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopback import Answer, Line, Loopback, answer, deaf, endlessly, head, silence
from playdock.fetching.errors import FetchFailed, TookTooLong, TooLarge, Unreachable
from playdock.fetching.web import Bounds, Reply, Request, Web, origin_of

_MOST = 1000
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def fetch(web: Web, server: Loopback, given: Answer, *, seconds: float = 10, most_bytes: int = _MOST) -> Reply:
    bounds = Bounds(frozenset([origin_of(server.address)]), seconds=seconds, most_bytes=most_bytes)
    return web.fetch(Request(server.on("/a", given)), bounds)


def packed(content: bytes) -> bytes:
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
def test_whatever_is_slow_ends_with_the_time(web: Web, server: Loopback, slow: Answer) -> None:
    with pytest.raises(TookTooLong):
        fetch(web, server, slow, seconds=0.4)


def test_a_connection_that_does_not_come_about_ends_with_the_time(web: Web) -> None:
    with deaf() as address, pytest.raises(TookTooLong):
        web.fetch(Request(address), Bounds(frozenset([origin_of(address)]), seconds=0.3, most_bytes=1))


def test_no_time_at_all_is_no_fault_of_ours(web: Web, server: Loopback) -> None:
    with pytest.raises(TookTooLong, match="did not answer in time"):
        fetch(web, server, answer(), seconds=0)


def test_after_many_that_took_too_long_others_are_still_served(web: Web, server: Loopback) -> None:
    for _ in range(40):
        with pytest.raises(TookTooLong):
            fetch(web, server, silence, seconds=0.01)

    assert fetch(web, server, answer(b"found")).body == b"found"


@pytest.mark.parametrize("most", [0, 1, _MOST])
@pytest.mark.parametrize("write", [answer, packed])
def test_as_much_as_is_allowed_is_read(web: Web, server: Loopback, most: int, write: Callable[[bytes], bytes]) -> None:
    assert fetch(web, server, write(b"x" * most), most_bytes=max(most, 30)).body == b"x" * most


@pytest.mark.parametrize(
    "large",
    [
        pytest.param(answer(b"x" * (_MOST + 1)), id="a byte more"),
        pytest.param(packed(b"x" * (_MOST + 1)), id="a byte more when unpacked"),
        pytest.param(endlessly(head(), b"x" * 1000), id="no end"),
        pytest.param(endlessly(head(content_length=str(2**31)), b"x" * 1000), id="2 GB, as it says"),
        pytest.param(endlessly(head(transfer_encoding="chunked"), b"2\r\nxx\r\n"), id="no end of chunks"),
        pytest.param(endlessly(head(content_encoding="gzip") + gzip.compress(b"")[:10], b"\0\0\0\xff\xff"), id="air"),
    ],
)
def test_what_is_too_large_is_not_read_on(web: Web, server: Loopback, large: Answer) -> None:
    with pytest.raises(TooLarge):
        fetch(web, server, large)


def test_a_bomb_is_put_away_before_it_goes_off(web: Web, server: Loopback) -> None:
    bomb = packed(b"\0" * 64_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            fetch(web, server, bomb, most_bytes=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 16_000_000
    finally:
        tracemalloc.stop()


def test_headers_without_end_are_not_read_on(web: Web, server: Loopback) -> None:
    with pytest.raises(Unreachable):
        fetch(web, server, endlessly(b"HTTP/1.1 200 OK\r\n", b"a: " + b"b" * 1000 + b"\r\n"))


@pytest.mark.parametrize("coding", ["gzip, gzip", "br", "deflate", "zstd", "identity, gzip", "x"])
def test_what_was_not_asked_for_is_not_unpacked(web: Web, server: Loopback, coding: str) -> None:
    twice = gzip.compress(gzip.compress(b"found"))

    with pytest.raises(Unreachable, match="coding"):
        fetch(web, server, answer(twice, content_encoding=coding))


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
def test_what_is_broken_is_told_from_what_is_whole(web: Web, server: Loopback, broken: Answer) -> None:
    with pytest.raises(Unreachable):
        fetch(web, server, broken)


@pytest.mark.parametrize("status", [200, 204, 304, 404])
def test_no_body_needs_no_unpacking(web: Web, server: Loopback, status: int) -> None:
    assert fetch(web, server, answer(status=status, content_encoding="GZIP")).body == b""


@given(st.binary(max_size=200), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", head(), head(content_encoding="gzip")]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_rubbish_is_a_reply_or_a_failure_that_is_told(web: Web, server: Loopback, rubbish: bytes, start: bytes) -> None:
    def send(line: Line) -> None:
        line.send(start + rubbish)

    with suppress(FetchFailed):
        assert fetch(web, server, send).status >= 100
