"""How many ordinary requests a caller may send."""

import pytest

from playdock.server.request_rate import RequestRate, TooManyRequests, is_counted


class _Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def _count(rate: RequestRate, caller: str, times: int) -> int:
    """Count requests until one is refused, and return how many were not."""
    for number in range(times):
        try:
            rate.count(caller)
        except TooManyRequests:
            return number
    return times


def test_a_minutes_requests_can_be_sent_at_once_and_then_as_many_as_the_rate_allows() -> None:
    clock = _Clock()
    rate = RequestRate(120, clock=clock)
    assert _count(rate, "ada", 200) == 120
    assert _count(rate, "bob", 200) == 120
    clock.now += 10
    assert _count(rate, "ada", 200) == 20
    clock.now += 3600
    assert _count(rate, "ada", 200) == 120


def test_the_error_says_how_long_to_wait() -> None:
    clock = _Clock()
    rate = RequestRate(6, clock=clock)
    _count(rate, "ada", 6)
    with pytest.raises(TooManyRequests) as refused:
        rate.count("ada")
    assert refused.value.headers() == {"Retry-After": "10"}
    clock.now += 10
    assert _count(rate, "ada", 2) == 1


def test_zero_means_no_limit() -> None:
    assert _count(RequestRate(0), "ada", 10_000) == 10_000


def test_only_so_many_callers_are_remembered() -> None:
    rate = RequestRate(2, clock=_Clock(), max_callers=3)
    callers = ("first", "second", "third", "first", "fourth")
    assert [_count(rate, caller, 1) for caller in callers] == [1] * 5
    # The second was forgotten, the first was not.
    assert [_count(rate, caller, 5) for caller in ("first", "second")] == [0, 2]


@pytest.mark.parametrize(
    ("method", "path", "counted"),
    [
        ("GET", "/api/v1/store", True),
        ("POST", "/oauth/token", True),
        ("GET", "/api/v1/object/1", True),
        ("POST", "/api/v1/versions/1/patches", True),
        ("GET", "/api/v1/versions/1/content", False),
        ("HEAD", "/api/v1/versions/1/files/game.exe", False),
        ("GET", "/", False),
        ("GET", "/assets/main.js", False),
        ("GET", "/auth/oidc", False),
    ],
)
def test_pages_and_downloads_are_not_counted(method: str, path: str, counted: bool) -> None:  # noqa: FBT001 - a value of the table
    assert is_counted(method, path) is counted
