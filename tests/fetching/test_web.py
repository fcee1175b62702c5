"""The fetcher: one loop for all threads, started at the first request and ended at once, without cookies."""

import gc
import inspect
import threading
import time
from collections.abc import Callable

import pytest

from loopback import Line, Loopback, answer, deaf, silence
from playdock.fetching.errors import FetchFailed, Unreachable
from playdock.fetching.requests import Deadline, FetchLimits, FetchResponse, Request, origin_of
from playdock.fetching.web import Fetcher
from world import at_once

_TIMEOUT_SECONDS = 120.0


def fetch(web: Fetcher, address: str, *, seconds: float = _TIMEOUT_SECONDS, **headers: str) -> FetchResponse:
    limits = FetchLimits(frozenset([origin_of(address)]), seconds=seconds, max_bytes=1000)
    return web.fetch(Request(address, headers=headers), limits)


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def in_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[FetchFailed]]:
    """Start a call in a thread, and return the thread and a list of its failures."""
    failures: list[FetchFailed] = []

    def run() -> None:
        try:
            call()
        except FetchFailed as reason:
            failures.append(reason)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, failures


def _open_generators() -> set[object]:
    """Return the asynchronous generators of this process that have not ended."""
    return {each for each in gc.get_objects() if inspect.isasyncgen(each) and each.ag_frame}


def test_a_response_has_status_headers_and_body(web: Fetcher, server: Loopback) -> None:
    address = server.on("/a", answer(b"found", status=404, Content_Type="Application/JSON; charset=utf-8"))

    reply = fetch(web, address)

    assert (reply.status, reply.body, reply.media_type) == (404, b"found", "application/json")


def test_the_body_of_a_refused_response_is_closed(web: Fetcher, server: Loopback) -> None:
    address = server.on("/a", answer(b"not compressed", Content_Encoding="gzip"))
    before = _open_generators()

    # While the error is kept, so are the frames that it passed through.
    with pytest.raises(Unreachable) as refused:
        fetch(web, address)

    wait_until(lambda: _open_generators() <= before)
    assert refused.value


def test_a_request_arrives_unchanged(web: Fetcher, server: Loopback) -> None:
    address = server.on("/a b", answer())
    limits = FetchLimits(frozenset([origin_of(address)]), seconds=_TIMEOUT_SECONDS, max_bytes=1000)
    web.fetch(Request(f"{server.address}/a?b=c%27d", "POST", {"Client-ID": "us"}, b"fields *;"), limits)

    requests_received = server.requests_received[0]
    assert (requests_received.method, requests_received.target, requests_received.body) == (
        "POST",
        "/a?b=c%27d",
        b"fields *;",
    )
    assert (requests_received.headers["client-id"], requests_received.headers["accept-encoding"]) == ("us", "gzip")


@pytest.mark.parametrize(
    "cookie",
    ["id=secret", "id=secret; Path=/; Max-Age=99999", "id=secret; Domain=127.0.0.1", "id", '=;"', "a=b; expires=x", ""],
)
def test_cookies_are_not_stored(web: Fetcher, server: Loopback, cookie: str) -> None:
    address = server.on("/a", answer(set_cookie=cookie))

    fetch(web, address)
    fetch(web, address)

    assert [requests_received.headers.get("cookie") for requests_received in server.requests_received] == [None, None]


@pytest.mark.parametrize("value", ["a\r\nX-Admin: yes", "a\nb", "a\0b", "ü"])
def test_no_header_can_be_injected(web: Fetcher, server: Loopback, value: str) -> None:
    with pytest.raises(Unreachable):
        fetch(web, server.on("/a", answer()), Accept=value)
    assert server.requests_received == []


def test_an_unreachable_server_is_reported_without_the_url(web: Fetcher) -> None:
    with Loopback() as gone:
        address = gone.on("/a?key=secret")

    with pytest.raises(Unreachable, match=r"^cannot be reached$"):
        fetch(web, address)


def test_thirty_threads_fetch_concurrently(web: Fetcher, server: Loopback) -> None:
    together = threading.Barrier(30)

    def send(line: Line) -> None:
        together.wait(_TIMEOUT_SECONDS)
        line.send(answer(b"found"))

    address = server.on("/a", send)
    assert [reply.body for reply in at_once([lambda: fetch(web, address)] * 30)] == [b"found"] * 30


def test_the_thread_starts_with_the_first_request_and_ends_with_close(server: Loopback) -> None:
    before = threads()
    web = Fetcher()
    assert threads() == before

    fetch(web, server.on("/a", answer()))
    assert "web" in threads()

    web.close()
    assert "web" not in threads()


def test_concurrent_first_requests_start_one_loop(web: Fetcher, server: Loopback) -> None:
    address = server.on("/a", answer())

    at_once([lambda: fetch(web, address)] * 8)

    assert [thread.name for thread in threading.enumerate()].count("web") == 1


def test_closing_ends_a_waiting_request(server: Loopback) -> None:
    web = Fetcher()
    thread, failures = in_thread(lambda: fetch(web, server.on("/a", silence)))
    wait_until(lambda: server.requests_received)

    web.close()
    thread.join(_TIMEOUT_SECONDS)

    assert [type(reason) for reason in failures] == [Unreachable]


def test_closing_ends_a_pending_connection() -> None:
    web = Fetcher()
    with deaf() as address:
        thread, failures = in_thread(lambda: fetch(web, address, seconds=10 * _TIMEOUT_SECONDS))
        wait_until(lambda: "web" in threads())

        web.close()
        thread.join(_TIMEOUT_SECONDS)

    assert [type(reason) for reason in failures] == [Unreachable]


def test_a_closed_fetcher_sends_no_request(server: Loopback) -> None:
    web = Fetcher()
    address = server.on("/a", answer())
    fetch(web, address)
    web.close()
    web.close()

    with pytest.raises(Unreachable, match="service is stopping"):
        fetch(web, address)
    assert len(server.requests_received) == 1
    assert "web" not in threads()


def test_an_unused_fetcher_can_be_closed() -> None:
    Fetcher().close()


def test_closing_during_many_requests_leaves_none_waiting(server: Loopback) -> None:
    web = Fetcher()
    address = server.on("/a", answer())

    def fetch_until_closed() -> None:
        while True:
            fetch(web, address)

    running = [in_thread(fetch_until_closed) for _ in range(12)]
    wait_until(lambda: len(server.requests_received) > 50)
    web.close()
    for thread, _ in running:
        thread.join(_TIMEOUT_SECONDS)

    assert [type(reason) for _, failures in running for reason in failures] == [Unreachable] * 12


def test_closing_ends_a_sleep() -> None:
    web = Fetcher()
    thread, _ = in_thread(lambda: web.sleep(10 * _TIMEOUT_SECONDS))

    web.close()
    thread.join(_TIMEOUT_SECONDS)

    assert not thread.is_alive()


def test_a_deadline_never_has_negative_time_left() -> None:
    assert Deadline.after(-5).left == 0
    assert 0 < Deadline.after(5).left <= 5
