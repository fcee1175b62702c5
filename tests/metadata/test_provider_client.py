"""The provider client: requests, rate limit, retries, cache, and invalid responses."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clocks import StillClock
from loopback import Answer, Loopback, answer, endlessly, head, redirect, silence
from playdock.fetching.requests import Deadline, Request
from playdock.fetching.web import Fetcher
from playdock.metadata.errors import ProviderError, StatusRefused
from playdock.metadata.provider_client import MAX_PICTURE_BYTES, MAX_RESPONSE_BYTES, ProviderClient
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.rate_limit import RateLimit
from world import at_once

PLENTY = RateLimit(1000, 1.0)
DAY = timedelta(days=1)
GAME = answer(b'{"name": "Doom"}', content_type="application/json")
DEEP = b"[" * 100_000
ClientFactory = Callable[..., ProviderClient]


@pytest.fixture
def client_at(web: Fetcher, provider_store: ProviderStore, clock: StillClock) -> ClientFactory:
    """Return a factory of clients for a provider at an address."""
    return partial(_client, web, provider_store, clock)


def _client(
    web: Fetcher, provider_store: ProviderStore, clock: StillClock, address: str, *, rate_limit: RateLimit = PLENTY
) -> ProviderClient:
    options = {"addresses": (address,), "pictures": (address,), "rate_limit": rate_limit, "user_agent": "Playdock/1"}
    return ProviderClient("Games", "The games", web, provider_store, sleep=clock.sleep, **options)  # type: ignore[arg-type]


@pytest.fixture
def client(client_at: ClientFactory, server: Loopback) -> ProviderClient:
    return client_at(server.address)


def send(
    client: ProviderClient,
    server: Loopback,
    *answers: Answer,
    seconds: float = 60,
    cache_for: timedelta | None = None,
) -> Any:
    """Script the responses of the server and send a request for JSON."""
    address = server.on("/game", *answers) if answers else f"{server.address}/game"
    return client.json(Request(address), within=Deadline.after(seconds), cache_for=cache_for)


def fault(client: ProviderClient, server: Loopback, *answers: Answer, seconds: float = 60) -> ProviderError:
    with pytest.raises(ProviderError) as raised:
        send(client, server, *answers, seconds=seconds)
    return raised.value


def test_a_response_is_decoded_and_the_request_has_a_user_agent(client: ProviderClient, server: Loopback) -> None:
    assert send(client, server, GAME) == {"name": "Doom"}
    assert server.requests_received[0].headers["user-agent"] == "Playdock/1"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (answer(b"<html></html>", content_type="text/html; charset=utf-8"), "responded with text/html instead of JSON"),
        (answer(b"<html></html>"), "responded in an unknown format instead of JSON"),
        (answer(b"", content_type="application/json"), "responded with application/json instead of JSON"),
        (answer(b"{", content_type="x" * 99), f"responded with {'x' * 60} instead of JSON"),
        (answer(DEEP), "responded in an unknown format instead of JSON"),
        (answer(b'{"name": "\xff"}'), "responded in an unknown format instead of JSON"),
        (answer(b"{}", status=404), "responded with status 404"),
        (answer(b"{}", content_encoding="br"), "used an unsupported Content-Encoding"),
        (redirect("http://localhost/"), "redirects to a server that is not its own"),
        (endlessly(head(), b" " * 65536), f"sent more than {MAX_RESPONSE_BYTES:,} bytes"),
    ],
)
def test_an_invalid_response_is_explained(client: ProviderClient, server: Loopback, wrong: Answer, reason: str) -> None:
    assert str(fault(client, server, wrong)) == f"The games {reason}."


def test_a_timeout_is_not_retried(client: ProviderClient, server: Loopback) -> None:
    late = fault(client, server, silence, seconds=0.3)

    assert (str(late), late.retryable) == ("The games did not respond in time.", True)
    assert len(server.requests_received) == 1


@pytest.mark.parametrize("bad", [answer(status=500), answer(status=503), answer(status=599)])
def test_a_server_error_is_retried_after_a_delay(
    client: ProviderClient, server: Loopback, clock: StillClock, bad: bytes
) -> None:
    assert send(client, server, bad, bad, GAME) == {"name": "Doom"}
    assert clock.slept == [1, 2]


def test_the_third_attempt_is_the_last(client: ProviderClient, server: Loopback, clock: StillClock) -> None:
    refused = fault(client, server, answer(status=502))

    assert (str(refused), refused.retryable) == ("The games responded with status 502.", True)
    assert (len(server.requests_received), clock.slept) == (3, [1, 2])


def test_a_broken_connection_is_retried(client: ProviderClient, server: Loopback, clock: StillClock) -> None:
    assert send(client, server, lambda line: None, lambda line: None, GAME) == {"name": "Doom"}
    assert clock.slept == [1, 2]


def test_an_unreachable_server_is_reported_after_three_attempts(client_at: ClientFactory, clock: StillClock) -> None:
    with Loopback() as gone:
        client = client_at(gone.address)

    away = fault(client, gone)

    assert (str(away), away.retryable, clock.slept) == ("The games cannot be reached.", True, [1, 2])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418])
def test_a_client_error_is_not_retried(client: ProviderClient, server: Loopback, status: int) -> None:
    refused = fault(client, server, answer(status=status))

    assert isinstance(refused, StatusRefused)
    assert (refused.status, refused.retryable, len(server.requests_received)) == (status, False, 1)


def test_there_is_no_retry_if_the_delay_exceeds_the_deadline(
    client: ProviderClient, server: Loopback, clock: StillClock
) -> None:
    refused = fault(client, server, answer(status=503), seconds=0.9)

    assert (refused.retryable, clock.slept, len(server.requests_received)) == (True, [], 1)


def rate_limited(value: str | None, *, status: int = 429) -> bytes:
    return answer(status=status) if value is None else answer(status=status, retry_after=value)


_NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        (None, 2),
        ("7", 7),
        ("1.5", 1.5),
        ("0", 1),
        ("-5", 1),
        ("", 2),
        ("soon", 2),
        ("nan", 2),
        (format_datetime(_NOON + timedelta(seconds=20), usegmt=True), 20),
        (format_datetime(_NOON - timedelta(days=9), usegmt=True), 1),
        ("Fri, 20 Nov 2026 12:00:05", 5),
        ("Mon, 99999999999999999999 Jan 2020 00:00:00", 2),
        ("Fri, 20 Nov 2026 12:00:05 +9999", 2),
    ],
)
def test_a_provider_is_blocked_for_the_time_in_retry_after(
    client: ProviderClient, server: Loopback, clock: StillClock, retry_after: str | None, seconds: float
) -> None:
    assert send(client, server, rate_limited(retry_after), GAME) == {"name": "Doom"}
    assert clock.slept == [seconds]


@pytest.mark.parametrize("retry_after", ["999999999999", "inf", "Fri, 31 Dec 9999 23:59:59 GMT", "9" * 5000])
def test_a_provider_is_blocked_for_at_most_an_hour(
    client: ProviderClient, server: Loopback, clock: StillClock, retry_after: str
) -> None:
    refused = fault(client, server, rate_limited(retry_after))

    assert (str(refused), refused.retryable) == ("The games responded with status 429.", True)
    assert str(fault(client, server, GAME)) == "The games has reached its rate limit."
    assert client.provider_store.reserve_call("Games", PLENTY, max_wait=9999) == 3600
    assert (clock.slept, len(server.requests_received)) == ([], 1)


def test_503_with_retry_after_blocks_the_provider_too(
    client: ProviderClient, server: Loopback, clock: StillClock
) -> None:
    assert send(client, server, rate_limited("9", status=503), GAME) == {"name": "Doom"}
    assert clock.slept == [9]


def test_the_third_429_response_blocks_later_requests(client: ProviderClient, server: Loopback) -> None:
    fault(client, server, rate_limited("3"), rate_limited("3"), rate_limited("50"))

    assert client.provider_store.reserve_call("Games", PLENTY, max_wait=60) == 50


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
def test_any_retry_after_is_accepted(
    client: ProviderClient, server: Loopback, clock: StillClock, retry_after: str
) -> None:
    clock.advance(hours=2)
    clock.slept.clear()
    fault(client, server, rate_limited(retry_after), answer(status=404))

    assert all(1 <= seconds < 60 for seconds in clock.slept)


def test_every_attempt_counts_against_the_rate_limit(
    client_at: ClientFactory, server: Loopback, clock: StillClock
) -> None:
    client = client_at(server.address, rate_limit=RateLimit(2, 20.0))

    send(client, server, answer(status=500), answer(status=500), GAME)

    assert clock.slept == [1, 2, 17]


def test_no_request_is_sent_if_the_rate_limit_exceeds_the_deadline(
    client_at: ClientFactory, server: Loopback, clock: StillClock
) -> None:
    client = client_at(server.address, rate_limit=RateLimit(1, 300.0))
    send(client, server, GAME)

    late = fault(client, server)

    assert (str(late), late.retryable) == ("The games has reached its rate limit.", True)
    assert (len(server.requests_received), clock.slept) == (1, [])


def test_a_cached_response_is_requested_once(client: ProviderClient, server: Loopback, clock: StillClock) -> None:
    assert [send(client, server, GAME, cache_for=DAY), send(client, server, cache_for=DAY)] == [{"name": "Doom"}] * 2
    assert len(server.requests_received) == 1

    clock.advance(days=1)
    send(client, server, cache_for=DAY)
    assert len(server.requests_received) == 2


def test_a_different_request_is_not_answered_from_the_cache(client: ProviderClient, server: Loopback) -> None:
    server.on("/game", GAME)
    requests = [("/game", b""), ("/game?b", b""), ("/game", b"a"), ("/game", b"b"), ("/game", b"a")]
    for path, body in requests:
        request = Request(server.address + path, "POST" if body else "GET", body=body)
        client.json(request, within=Deadline.after(60), cache_for=DAY)

    assert [
        (requests_received.target, requests_received.body) for requests_received in server.requests_received
    ] == requests[:4]


def test_an_uncached_request_is_sent_each_time(client: ProviderClient, server: Loopback) -> None:
    for _ in range(2):
        send(client, server, GAME)

    assert len(server.requests_received) == 2


@pytest.mark.parametrize("wrong", [answer(b"<html>"), answer(b"{}", status=404), redirect("http://localhost/")])
def test_an_invalid_response_is_not_cached(client: ProviderClient, server: Loopback, wrong: bytes) -> None:
    server.on("/game", wrong, GAME)
    with pytest.raises(ProviderError):
        send(client, server, cache_for=DAY)

    assert send(client, server, cache_for=DAY) == {"name": "Doom"}


def _name(options: Any) -> str:
    found: str = msgspec.convert(options, dict[str, str]).get("name", "")
    return found


def test_a_response_that_cannot_be_parsed_is_an_error_and_not_cached(client: ProviderClient, server: Loopback) -> None:
    request = Request(server.on("/game", answer(b"null"), GAME))
    with pytest.raises(ProviderError, match=r"^The games sent an unexpected response\.$"):
        client.read(request, _name, within=Deadline.after(60), cache_for=DAY)

    assert client.read(request, _name, within=Deadline.after(60), cache_for=DAY) == "Doom"


def test_a_cached_response_that_can_no_longer_be_parsed_is_requested_again(
    client: ProviderClient, server: Loopback
) -> None:
    request = Request(server.on("/game", answer(b"[]"), GAME))
    client.json(request, within=Deadline.after(60), cache_for=DAY)

    assert client.read(request, _name, within=Deadline.after(60), cache_for=DAY) == "Doom"


def test_the_target_of_a_redirect_is_returned_without_following_it(client: ProviderClient, server: Loopback) -> None:
    server.on("/game", answer(status=503), redirect("http://localhost/elsewhere"))
    request = Request(server.address + "/game")

    assert client.redirect_target(request, within=Deadline.after(60)) == "http://localhost/elsewhere"
    assert server.targets == ["/game"] * 2


def test_an_image_does_not_count_against_the_rate_limit(client_at: ClientFactory, server: Loopback) -> None:
    client = client_at(server.address, rate_limit=RateLimit(1, 300.0))
    address = server.on("/picture", answer(b"\x89PNG"))

    assert [client.picture(address, within=Deadline.after(60)) for _ in range(3)] == [b"\x89PNG"] * 3


@pytest.mark.parametrize(
    ("wrong", "retryable"),
    [
        (answer(status=404), False),
        (answer(status=503), True),
        (redirect("http://localhost/"), False),
        (lambda line: None, True),
        (endlessly(head(), b"x" * 65536), False),
    ],
)
def test_a_failed_download_of_an_image_is_an_error(
    client: ProviderClient, server: Loopback, wrong: Answer, *, retryable: bool
) -> None:
    with pytest.raises(ProviderError) as raised:
        client.picture(server.on("/picture", wrong), within=Deadline.after(60))

    assert raised.value.retryable == retryable
    assert str(raised.value).startswith("The games ")


def test_an_image_may_be_larger_than_a_response(client: ProviderClient, server: Loopback) -> None:
    large = answer(b"x" * (MAX_RESPONSE_BYTES + 1))

    assert len(client.picture(server.on("/picture", large), within=Deadline.after(60))) > MAX_RESPONSE_BYTES
    assert MAX_PICTURE_BYTES > MAX_RESPONSE_BYTES


def test_images_are_downloaded_only_from_the_image_servers(client: ProviderClient, server: Loopback) -> None:
    with Loopback() as other, pytest.raises(ProviderError, match="does not serve images from this URL"):
        client.picture(other.address, within=Deadline.after(60))
    assert other.requests_received == []


@pytest.mark.both_databases
def test_concurrent_requests_respect_the_rate_limit(
    client_at: ClientFactory, server: Loopback, clock: StillClock
) -> None:
    client = client_at(server.address, rate_limit=RateLimit(5, 300.0))
    request = Request(server.on("/game", GAME))

    def statuses() -> int:
        try:
            return client.send(request, within=Deadline.after(60)).status
        except ProviderError:
            return 0

    assert sorted(at_once([statuses] * 12)) == [0] * 7 + [200] * 5
    assert len(server.requests_received) == 5
