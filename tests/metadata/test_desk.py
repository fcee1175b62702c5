"""What a provider is asked, how often, and what is made of its answers, however wrong they are."""

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
from playdock.fetching.web import Deadline, Request, Web
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import MOST_ANSWER_BYTES, MOST_PICTURE_BYTES, Desk
from playdock.metadata.errors import ProviderFault, Refused
from playdock.metadata.ledger import Ledger
from world import at_once

PLENTY = Allowance(1000, 1.0)
DAY = timedelta(days=1)
GAME = answer(b'{"name": "Doom"}', content_type="application/json")
DEEP = b"[" * 100_000
DesksFor = Callable[..., Desk]


@pytest.fixture
def desk_at(web: Web, ledger: Ledger, clock: StillClock) -> DesksFor:
    """Make desks of a provider at an address."""
    return partial(_desk, web, ledger, clock)


def _desk(web: Web, ledger: Ledger, clock: StillClock, address: str, *, allowance: Allowance = PLENTY) -> Desk:
    given = {"addresses": (address,), "pictures": (address,), "allowance": allowance, "user_agent": "Playdock/1"}
    return Desk("Games", "The games", web, ledger, sleep=clock.sleep, **given)  # type: ignore[arg-type]


@pytest.fixture
def desk(desk_at: DesksFor, server: Loopback) -> Desk:
    return desk_at(server.address)


def ask(desk: Desk, server: Loopback, *answers: Answer, seconds: float = 60, keep: timedelta | None = None) -> Any:
    """Ask for JSON, once a test has said how it is answered."""
    address = server.on("/game", *answers) if answers else f"{server.address}/game"
    return desk.json(Request(address), within=Deadline.after(seconds), keep=keep)


def fault(desk: Desk, server: Loopback, *answers: Answer, seconds: float = 60) -> ProviderFault:
    with pytest.raises(ProviderFault) as raised:
        ask(desk, server, *answers, seconds=seconds)
    return raised.value


def test_an_answer_is_decoded_and_says_who_asked(desk: Desk, server: Loopback) -> None:
    assert ask(desk, server, GAME) == {"name": "Doom"}
    assert server.heard[0].headers["user-agent"] == "Playdock/1"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (answer(b"<html></html>", content_type="text/html; charset=utf-8"), "answered with text/html instead of JSON"),
        (answer(b"<html></html>"), "answered with something instead of JSON"),
        (answer(b"", content_type="application/json"), "answered with application/json instead of JSON"),
        (answer(b"{", content_type="x" * 99), f"answered with {'x' * 60} instead of JSON"),
        (answer(DEEP), "answered with something instead of JSON"),
        (answer(b'{"name": "\xff"}'), "answered with something instead of JSON"),
        (answer(b"{}", status=404), "answered with status 404"),
        (answer(b"{}", content_encoding="br"), "answered in a coding that was not asked for"),
        (redirect("http://localhost/"), "leads to an address that is not its own"),
        (endlessly(head(), b" " * 65536), f"answered with more than {MOST_ANSWER_BYTES:,} bytes"),
    ],
)
def test_a_wrong_answer_is_told_in_a_sentence(desk: Desk, server: Loopback, wrong: Answer, reason: str) -> None:
    assert str(fault(desk, server, wrong)) == f"The games {reason}."


def test_what_takes_too_long_is_not_asked_again(desk: Desk, server: Loopback) -> None:
    late = fault(desk, server, silence, seconds=0.3)

    assert (str(late), late.passes) == ("The games did not answer in time.", True)
    assert len(server.heard) == 1


@pytest.mark.parametrize("bad", [answer(status=500), answer(status=503), answer(status=599)])
def test_a_failure_is_asked_about_again_after_a_pause(
    desk: Desk, server: Loopback, clock: StillClock, bad: bytes
) -> None:
    assert ask(desk, server, bad, bad, GAME) == {"name": "Doom"}
    assert clock.slept == [1, 2]


def test_three_tries_are_enough(desk: Desk, server: Loopback, clock: StillClock) -> None:
    refused = fault(desk, server, answer(status=502))

    assert (str(refused), refused.passes) == ("The games answered with status 502.", True)
    assert (len(server.heard), clock.slept) == (3, [1, 2])


def test_a_broken_connection_is_tried_again(desk: Desk, server: Loopback, clock: StillClock) -> None:
    assert ask(desk, server, lambda line: None, lambda line: None, GAME) == {"name": "Doom"}
    assert clock.slept == [1, 2]


def test_nobody_there_is_told_after_three_tries(desk_at: DesksFor, clock: StillClock) -> None:
    with Loopback() as gone:
        desk = desk_at(gone.address)

    away = fault(desk, gone)

    assert (str(away), away.passes, clock.slept) == ("The games cannot be reached (ConnectError).", True, [1, 2])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418])
def test_who_says_no_is_not_asked_again(desk: Desk, server: Loopback, status: int) -> None:
    refused = fault(desk, server, answer(status=status))

    assert isinstance(refused, Refused)
    assert (refused.status, refused.passes, len(server.heard)) == (status, False, 1)


def test_a_pause_that_is_longer_than_the_time_is_not_begun(desk: Desk, server: Loopback, clock: StillClock) -> None:
    refused = fault(desk, server, answer(status=503), seconds=0.9)

    assert (refused.passes, clock.slept, len(server.heard)) == (True, [], 1)


def rests(value: str | None, *, status: int = 429) -> bytes:
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
def test_a_provider_is_left_alone_for_as_long_as_it_says(
    desk: Desk, server: Loopback, clock: StillClock, retry_after: str | None, seconds: float
) -> None:
    assert ask(desk, server, rests(retry_after), GAME) == {"name": "Doom"}
    assert clock.slept == [seconds]


@pytest.mark.parametrize("retry_after", ["999999999999", "inf", "Fri, 31 Dec 9999 23:59:59 GMT", "9" * 5000])
def test_nobody_is_left_alone_for_more_than_an_hour(
    desk: Desk, server: Loopback, clock: StillClock, retry_after: str
) -> None:
    refused = fault(desk, server, rests(retry_after))

    assert (str(refused), refused.passes) == ("The games answered with status 429.", True)
    assert str(fault(desk, server, GAME)) == "The games may not be asked more often now."
    assert desk.ledger.reserve("Games", PLENTY, patience=9999) == 3600
    assert (clock.slept, len(server.heard)) == ([], 1)


def test_who_is_away_for_a_time_that_it_names_is_left_alone_as_well(
    desk: Desk, server: Loopback, clock: StillClock
) -> None:
    assert ask(desk, server, rests("9", status=503), GAME) == {"name": "Doom"}
    assert clock.slept == [9]


def test_the_third_refusal_counts_for_the_next_who_asks(desk: Desk, server: Loopback) -> None:
    fault(desk, server, rests("3"), rests("3"), rests("50"))

    assert desk.ledger.reserve("Games", PLENTY, patience=60) == 50


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
def test_no_wish_is_too_odd(desk: Desk, server: Loopback, clock: StillClock, wish: str) -> None:
    clock.advance(hours=2)
    clock.slept.clear()
    fault(desk, server, rests(wish), answer(status=404))

    assert all(1 <= seconds < 60 for seconds in clock.slept)


def test_every_try_takes_a_turn(desk_at: DesksFor, server: Loopback, clock: StillClock) -> None:
    desk = desk_at(server.address, allowance=Allowance(2, 20.0))

    ask(desk, server, answer(status=500), answer(status=500), GAME)

    assert clock.slept == [1, 2, 17]


def test_who_may_not_be_asked_in_time_is_not_asked(desk_at: DesksFor, server: Loopback, clock: StillClock) -> None:
    desk = desk_at(server.address, allowance=Allowance(1, 300.0))
    ask(desk, server, GAME)

    late = fault(desk, server)

    assert (str(late), late.passes) == ("The games may not be asked more often now.", True)
    assert (len(server.heard), clock.slept) == (1, [])


def test_what_may_be_kept_is_asked_for_once(desk: Desk, server: Loopback, clock: StillClock) -> None:
    assert [ask(desk, server, GAME, keep=DAY), ask(desk, server, keep=DAY)] == [{"name": "Doom"}] * 2
    assert len(server.heard) == 1

    clock.advance(days=1)
    ask(desk, server, keep=DAY)
    assert len(server.heard) == 2


def test_what_is_asked_otherwise_is_asked_for(desk: Desk, server: Loopback) -> None:
    server.on("/game", GAME)
    requests = [("/game", b""), ("/game?b", b""), ("/game", b"a"), ("/game", b"b"), ("/game", b"a")]
    for path, body in requests:
        request = Request(server.address + path, "POST" if body else "GET", body=body)
        desk.json(request, within=Deadline.after(60), keep=DAY)

    assert [(heard.target, heard.body) for heard in server.heard] == requests[:4]


def test_what_is_not_to_be_kept_is_asked_for_each_time(desk: Desk, server: Loopback) -> None:
    for _ in range(2):
        ask(desk, server, GAME)

    assert len(server.heard) == 2


@pytest.mark.parametrize("wrong", [answer(b"<html>"), answer(b"{}", status=404), redirect("http://localhost/")])
def test_a_wrong_answer_is_not_kept(desk: Desk, server: Loopback, wrong: bytes) -> None:
    server.on("/game", wrong, GAME)
    with pytest.raises(ProviderFault):
        ask(desk, server, keep=DAY)

    assert ask(desk, server, keep=DAY) == {"name": "Doom"}


def _name(given: Any) -> str:
    found: str = msgspec.convert(given, dict[str, str]).get("name", "")
    return found


def test_an_answer_of_no_use_is_a_fault_and_is_not_kept(desk: Desk, server: Loopback) -> None:
    request = Request(server.on("/game", answer(b"null"), GAME))
    with pytest.raises(ProviderFault, match=r"^The games answered with something unexpected\.$"):
        desk.read(request, _name, within=Deadline.after(60), keep=DAY)

    assert desk.read(request, _name, within=Deadline.after(60), keep=DAY) == "Doom"


def test_what_was_kept_and_is_of_no_use_any_more_is_asked_for_again(desk: Desk, server: Loopback) -> None:
    request = Request(server.on("/game", answer(b"[]"), GAME))
    desk.json(request, within=Deadline.after(60), keep=DAY)

    assert desk.read(request, _name, within=Deadline.after(60), keep=DAY) == "Doom"


def test_where_an_address_leads_is_told_without_going_there(desk: Desk, server: Loopback) -> None:
    server.on("/game", answer(status=503), redirect("http://localhost/elsewhere"))
    request = Request(server.address + "/game")

    assert desk.target(request, within=Deadline.after(60)) == "http://localhost/elsewhere"
    assert server.targets == ["/game"] * 2


def test_a_picture_takes_no_turn(desk_at: DesksFor, server: Loopback) -> None:
    desk = desk_at(server.address, allowance=Allowance(1, 300.0))
    address = server.on("/picture", answer(b"\x89PNG"))

    assert [desk.picture(address, within=Deadline.after(60)) for _ in range(3)] == [b"\x89PNG"] * 3


@pytest.mark.parametrize(
    ("wrong", "passes"),
    [
        (answer(status=404), False),
        (answer(status=503), True),
        (redirect("http://localhost/"), False),
        (lambda line: None, True),
        (endlessly(head(), b"x" * 65536), False),
    ],
)
def test_a_picture_that_cannot_be_had_is_a_fault(desk: Desk, server: Loopback, wrong: Answer, passes: bool) -> None:  # noqa: FBT001
    with pytest.raises(ProviderFault) as raised:
        desk.picture(server.on("/picture", wrong), within=Deadline.after(60))

    assert raised.value.passes == passes
    assert str(raised.value).startswith("The games ")


def test_a_picture_may_be_larger_than_an_answer(desk: Desk, server: Loopback) -> None:
    large = answer(b"x" * (MOST_ANSWER_BYTES + 1))

    assert len(desk.picture(server.on("/picture", large), within=Deadline.after(60))) > MOST_ANSWER_BYTES
    assert MOST_PICTURE_BYTES > MOST_ANSWER_BYTES


def test_pictures_come_from_their_own_addresses_alone(desk: Desk, server: Loopback) -> None:
    with Loopback() as other, pytest.raises(ProviderFault, match="not its own"):
        desk.picture(other.address, within=Deadline.after(60))
    assert other.heard == []


def test_many_at_once_keep_to_the_limit(desk_at: DesksFor, server: Loopback, clock: StillClock) -> None:
    desk = desk_at(server.address, allowance=Allowance(5, 300.0))
    request = Request(server.on("/game", GAME))

    def statuses() -> int:
        try:
            return desk.ask(request, within=Deadline.after(60)).status
        except ProviderFault:
            return 0

    assert sorted(at_once([statuses] * 12)) == [0] * 7 + [200] * 5
    assert len(server.heard) == 5
