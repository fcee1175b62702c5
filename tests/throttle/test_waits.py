"""The limits, and the wait after too many failures."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.throttle.rules import (
    WINDOW,
    Limit,
    device_limits,
    invitation_limits,
    known_browser_limits,
    password_limits,
    sign_in_limits,
    user_code_limits,
    wait,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ages = st.lists(st.integers(0, int(WINDOW.total_seconds()) - 1), max_size=20).map(sorted)


def at(age: float) -> datetime:
    return NOW - timedelta(seconds=age)


def test_the_limits_have_their_documented_values() -> None:
    assert [limit.most for limit in sign_in_limits("ada", "192.0.2.1")] == [10, 100, 100]
    assert [limit.most for limit in sign_in_limits("ada", "2001:db8::1")] == [10, 40, 100, 400, 100]
    assert [limit.most for limit in known_browser_limits("browser")] == [10]
    assert [limit.most for limit in invitation_limits("192.0.2.1")] == [50]
    assert [limit.most for limit in password_limits("id")] == [10]
    assert timedelta(minutes=10) == WINDOW


def test_pending_devices_are_limited_for_the_lifetime_of_their_codes() -> None:
    assert [(limit.most, limit.window) for limit in device_limits("192.0.2.1")] == [
        (20, timedelta(minutes=10)),
        (1000, timedelta(minutes=10)),
    ]
    assert [limit.most for limit in user_code_limits("id", "192.0.2.1")] == [10, 50]


def test_a_limit_may_have_its_own_window() -> None:
    assert wait([at(100)], Limit("key", 1, timedelta(minutes=2)), now=NOW) == 20


def test_there_is_no_wait_below_the_limit() -> None:
    assert wait([at(1), at(2)], Limit("key", 3), now=NOW) == 0


def test_the_wait_ends_when_the_oldest_counted_failure_leaves_the_window() -> None:
    assert wait([at(1), at(2), at(100)], Limit("key", 3), now=NOW) == 500


def test_a_wait_is_at_least_one_second() -> None:
    assert wait([at(599.9)], Limit("key", 1), now=NOW) == 1


@given(ages, st.integers(1, 10))
def test_the_next_attempt_is_allowed_after_the_wait(found: list[int], limit: int) -> None:
    failures = [at(age) for age in found][:limit]
    seconds = wait(failures, Limit("key", limit), now=NOW)

    later = NOW + timedelta(seconds=seconds)
    still = [moment for moment in failures if moment > later - WINDOW]

    assert wait(still, Limit("key", limit), now=later) == 0
    assert (seconds > 0) == (len(found) >= limit)


@pytest.mark.parametrize(("age", "seconds"), [(0, 5), (3.5, 2), (5, 0), (400, 0)])
def test_with_a_pause_the_wait_begins_with_the_last_failure(age: float, seconds: int) -> None:
    limit = Limit("key", 2, pause=timedelta(seconds=5))

    assert wait([at(age), at(500)], limit, now=NOW) == seconds
    assert wait([at(age)], limit, now=NOW) == 0


def test_the_limits_of_an_account_have_different_keys_for_each_network_and_the_account() -> None:
    keys = [limit.key for address in ("192.0.2.1", "2001:db8::1") for limit in sign_in_limits("ada", address)]
    assert len(set(keys)) == 7
    assert {limit.key for limit in sign_in_limits("ada:192.0.2.1", "")}.isdisjoint(keys)
