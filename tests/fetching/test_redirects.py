"""Redirects: allowed targets and the headers that are sent to them."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopback import Loopback, answer, redirect, silence
from playdock.fetching.errors import FetchFailed, FetchTimeout, RedirectRefused, Unreachable
from playdock.fetching.requests import FetchLimits, FetchResponse, Request, origin_of
from playdock.fetching.web import Fetcher

# The address at which cloud providers serve the credentials of a machine.
_LINK_LOCAL = "169.254.169.254"
_EVERYTHING = {"Authorization": "Bearer key", "X-Api-Key": "key", "Cookie": "key", "User-Agent": "Us", "Accept": "a/b"}
_OURS, _THEIRS = "OURS", "THEIRS"
_PIECES = ["http:", "https:", "/", "//", "\\", "@", "#", "?", ":", "%40", "%2f", ";", ".", " ", "x", "[", "]", "80"]


def limits(*servers: Loopback, seconds: float = 10, follow: bool = True) -> FetchLimits:
    origins = frozenset(origin_of(server.address) for server in servers)
    return FetchLimits(origins, seconds=seconds, max_bytes=1000, follow=follow)


def fetch(web: Fetcher, server: Loopback, path: str = "/a") -> FetchResponse:
    return web.fetch(Request(server.address + path), limits(server))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", ["/games/b?c=d", "b?c=d", "?c=d", "./x/../b?c=d"])
def test_a_redirect_within_the_origin_is_followed(web: Fetcher, server: Loopback, status: int, target: str) -> None:
    server.on("/games/a", redirect(target, status=status), answer(b"found"))
    server.on("/games/b", answer(b"found"))

    assert fetch(web, server, "/games/a").body == b"found"
    assert server.targets[1] in ("/games/b?c=d", "/games/a?c=d")


def test_an_absolute_url_of_the_same_origin_is_followed(web: Fetcher, server: Loopback) -> None:
    server.on("/a", redirect(f"HTTP://127.0.0.1:{server.port}/b"))
    server.on("/b", answer(b"found"))

    assert fetch(web, server).body == b"found"


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:{other}/",
        "//127.0.0.1:{other}/",
        "http://localhost:{server}/",
        "http://[::1]:{server}/",
        "http://[::ffff:127.0.0.1]:{server}/",
        "http://2130706433:{server}/",
        "http://{short}:{server}/",
        "http://{dotted}:{server}/",
        "http://127.0.0.1/",
        "https://127.0.0.1:{server}/",
        "http://{link_local}/latest/meta-data/",
        "http://user:word@127.0.0.1:{server}/",
        "http://127.0.0.1:{server}@127.0.0.1:{other}/",
        "http://127.0.0.1:{other}\\@127.0.0.1:{server}/",
        "http://127.0.0.1:{other}#@127.0.0.1:{server}/",
        "ftp://127.0.0.1:{server}/",
        "file:///etc/hostname",
        "javascript:alert(1)",
        "http://[/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "\thttp://127.0.0.1:{other}/",
        "http://127.0.0.1:{other}\t/",
    ],
)
def test_nothing_is_fetched_from_another_origin(web: Fetcher, server: Loopback, other: Loopback, target: str) -> None:
    hosts = {"link_local": _LINK_LOCAL, "short": "127.1", "dotted": "127.0.0.1."}
    server.on("/a", redirect(target.format(server=server.port, other=other.port, **hosts)))

    with pytest.raises(RedirectRefused):
        fetch(web, server)
    assert (len(server.requests_received), other.requests_received) == (1, [])


@given(st.lists(st.sampled_from([_OURS, _THEIRS, *_PIECES]), max_size=8).map("".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_spelling_of_a_url_reaches_another_origin(
    web: Fetcher, server: Loopback, other: Loopback, target: str
) -> None:
    where = target.replace(_OURS, f"127.0.0.1:{server.port}").replace(_THEIRS, f"127.0.0.1:{other.port}")
    server.on("/a", redirect(where.strip() or "/b"))

    with suppress(RedirectRefused, Unreachable):
        fetch(web, server)
    assert other.requests_received == []


def test_the_first_url_must_be_within_the_origins_too(web: Fetcher, server: Loopback, other: Loopback) -> None:
    with pytest.raises(RedirectRefused):
        web.fetch(Request(other.address), limits(server))
    assert other.requests_received == []


@pytest.mark.parametrize("origins", [frozenset(), frozenset([""])])
def test_an_invalid_url_is_never_fetched(web: Fetcher, origins: frozenset[str]) -> None:
    with pytest.raises(RedirectRefused):
        web.fetch(Request("no address"), FetchLimits(origins, seconds=1, max_bytes=1))


def test_no_credentials_are_sent_to_another_allowed_origin(web: Fetcher, server: Loopback, other: Loopback) -> None:
    server.on("/a", redirect(other.on("/b", answer(b"found"))))

    web.fetch(Request(server.address + "/a", headers=_EVERYTHING), limits(server, other))

    response = other.requests_received[0].headers
    assert "key" not in " ".join(response.values())
    assert (response["user-agent"], response["accept"], response["host"]) == ("Us", "a/b", f"127.0.0.1:{other.port}")


def test_all_headers_are_sent_again_within_the_origin(web: Fetcher, server: Loopback) -> None:
    server.on("/a", redirect("/b"))
    web.fetch(Request(server.address + "/a", headers=_EVERYTHING), limits(server))

    assert server.requests_received[1].headers["authorization"] == "Bearer key"
    assert server.requests_received[1].headers["x-api-key"] == "key"


@pytest.mark.parametrize("steps", [1, 20])
def test_the_number_of_redirects_is_limited(web: Fetcher, server: Loopback, steps: int) -> None:
    for step in range(20):
        server.on(f"/{step}", redirect(f"/{(step + 1) % steps}"))

    with pytest.raises(Unreachable):
        fetch(web, server, "/0")
    assert len(server.requests_received) == 4


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_of_a_post_is_not_followed(web: Fetcher, server: Loopback, status: int) -> None:
    server.on("/a", redirect("/b", status=status))

    posted = web.fetch(Request(server.address + "/a", "POST", body=b"secret"), limits(server))

    assert (posted.status, server.targets) == (status, ["/a"])


def test_redirects_are_returned_if_they_are_not_to_be_followed(web: Fetcher, server: Loopback) -> None:
    server.on("/a", redirect("/b"))
    reply = web.fetch(Request(server.address + "/a"), limits(server, follow=False))

    assert (reply.status, reply.headers["location"], server.targets) == (302, "/b", ["/a"])


def test_a_redirect_without_a_target_is_a_response(web: Fetcher, server: Loopback) -> None:
    server.on("/a", answer(b"somewhere", status=302))

    assert fetch(web, server).body == b"somewhere"


def test_the_body_of_a_redirect_is_limited_too(web: Fetcher, server: Loopback) -> None:
    server.on("/a", answer(b"x" * 1001, status=302, location="/b"))

    with pytest.raises(FetchFailed):
        fetch(web, server)


def test_all_redirects_share_one_time_limit(web: Fetcher, server: Loopback) -> None:
    server.on("/a", redirect("/b"))
    server.on("/b", silence)

    with pytest.raises(FetchTimeout):
        web.fetch(Request(server.address + "/a"), limits(server, seconds=0.3))
    assert server.targets == ["/a", "/b"]
