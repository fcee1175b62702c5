"""One web for all threads: started when it is needed, ended at once, and without memory."""

import threading
import time
from collections.abc import Callable

import pytest

from loopback import Line, Loopback, answer, deaf, silence
from playdock.fetching.errors import FetchFailed, Unreachable
from playdock.fetching.web import Bounds, Deadline, Reply, Request, Web, origin_of
from world import at_once

_PATIENCE = 30.0


def fetch(web: Web, address: str, *, seconds: float = _PATIENCE, **headers: str) -> Reply:
    bounds = Bounds(frozenset([origin_of(address)]), seconds=seconds, most_bytes=1000)
    return web.fetch(Request(address, headers=headers), bounds)


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def in_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[FetchFailed]]:
    """Start a call, and give its thread and the failures it ends with."""
    failures: list[FetchFailed] = []

    def run() -> None:
        try:
            call()
        except FetchFailed as reason:
            failures.append(reason)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, failures


def test_a_reply_has_status_headers_and_body(web: Web, server: Loopback) -> None:
    address = server.on("/a", answer(b"found", status=404, Content_Type="Application/JSON; charset=utf-8"))

    reply = fetch(web, address)

    assert (reply.status, reply.body, reply.media_type) == (404, b"found", "application/json")


def test_what_is_asked_arrives_as_it_is(web: Web, server: Loopback) -> None:
    address = server.on("/a b", answer())
    bounds = Bounds(frozenset([origin_of(address)]), seconds=_PATIENCE, most_bytes=1000)
    web.fetch(Request(f"{server.address}/a?b=c%27d", "POST", {"Client-ID": "us"}, b"fields *;"), bounds)

    heard = server.heard[0]
    assert (heard.method, heard.target, heard.body) == ("POST", "/a?b=c%27d", b"fields *;")
    assert (heard.headers["client-id"], heard.headers["accept-encoding"]) == ("us", "gzip")


@pytest.mark.parametrize(
    "cookie",
    ["id=secret", "id=secret; Path=/; Max-Age=99999", "id=secret; Domain=127.0.0.1", "id", '=;"', "a=b; expires=x", ""],
)
def test_cookies_are_not_kept(web: Web, server: Loopback, cookie: str) -> None:
    address = server.on("/a", answer(set_cookie=cookie))

    fetch(web, address)
    fetch(web, address)

    assert [heard.headers.get("cookie") for heard in server.heard] == [None, None]


@pytest.mark.parametrize("value", ["a\r\nX-Admin: yes", "a\nb", "a\0b", "ü"])
def test_no_header_can_be_slipped_in(web: Web, server: Loopback, value: str) -> None:
    with pytest.raises(Unreachable):
        fetch(web, server.on("/a", answer()), Accept=value)
    assert server.heard == []


def test_nobody_there_is_told_without_the_address(web: Web) -> None:
    with Loopback() as gone:
        address = gone.on("/a?key=secret")

    with pytest.raises(Unreachable, match=r"^cannot be reached \(ConnectError\)$"):
        fetch(web, address)


def test_thirty_threads_fetch_at_the_same_time(web: Web, server: Loopback) -> None:
    together = threading.Barrier(30)

    def send(line: Line) -> None:
        together.wait(_PATIENCE)
        line.send(answer(b"found"))

    address = server.on("/a", send)
    assert [reply.body for reply in at_once([lambda: fetch(web, address)] * 30)] == [b"found"] * 30


def test_nothing_is_started_before_it_is_needed_and_nothing_is_left(server: Loopback) -> None:
    before = threads()
    web = Web()
    assert threads() == before

    fetch(web, server.on("/a", answer()))
    assert "web" in threads()

    web.close()
    assert "web" not in threads()


def test_many_threads_start_one_loop(web: Web, server: Loopback) -> None:
    address = server.on("/a", answer())

    at_once([lambda: fetch(web, address)] * 8)

    assert [thread.name for thread in threading.enumerate()].count("web") == 1


def test_closing_ends_a_request_that_waits(server: Loopback) -> None:
    web = Web()
    thread, failures = in_thread(lambda: fetch(web, server.on("/a", silence)))
    wait_until(lambda: server.heard)

    web.close()
    thread.join(_PATIENCE)

    assert [type(reason) for reason in failures] == [Unreachable]


def test_closing_ends_a_connection_that_does_not_come_about() -> None:
    web = Web()
    with deaf() as address:
        thread, failures = in_thread(lambda: fetch(web, address, seconds=10 * _PATIENCE))
        wait_until(lambda: "web" in threads())

        web.close()
        thread.join(_PATIENCE)

    assert [type(reason) for reason in failures] == [Unreachable]


def test_closing_is_for_good(server: Loopback) -> None:
    web = Web()
    address = server.on("/a", answer())
    fetch(web, address)
    web.close()
    web.close()

    with pytest.raises(Unreachable, match="service stops"):
        fetch(web, address)
    assert len(server.heard) == 1
    assert "web" not in threads()


def test_what_was_never_used_can_be_closed() -> None:
    Web().close()


def test_closing_among_many_requests_leaves_none_waiting(server: Loopback) -> None:
    web = Web()
    address = server.on("/a", answer())

    def fetch_until_closed() -> None:
        while True:
            fetch(web, address)

    running = [in_thread(fetch_until_closed) for _ in range(12)]
    wait_until(lambda: len(server.heard) > 50)
    web.close()
    for thread, _ in running:
        thread.join(_PATIENCE)

    assert [type(reason) for _, failures in running for reason in failures] == [Unreachable] * 12


def test_a_pause_ends_when_the_service_does() -> None:
    web = Web()
    thread, _ = in_thread(lambda: web.pause(10 * _PATIENCE))

    web.close()
    thread.join(_PATIENCE)

    assert not thread.is_alive()


def test_a_deadline_never_has_less_than_nothing_left() -> None:
    assert Deadline.after(-5).left == 0
    assert 0 < Deadline.after(5).left <= 5
