"""Rate limits: never too many calls in a period, and no call later than necessary."""

from hypothesis import given
from hypothesis import strategies as st

from playdock.metadata.rate_limit import RateLimit

# Multiples of a half, whose sums are exact.
_halves = st.integers(0, 200).map(lambda number: number / 2)
_rate_limits = st.builds(RateLimit, calls=st.integers(1, 6), seconds=st.integers(1, 40).map(lambda number: number / 2))


def call_times(rate_limit: RateLimit, requested: list[float]) -> list[float]:
    """Return the times of calls that are requested at these times, in the order of the requests."""
    times: list[float] = []
    calls = []
    for now in requested:
        at = rate_limit.next_call(times, now=now)
        times = rate_limit.with_call(times, at)
        calls.append(at)
    return calls


def max_calls_within(calls: list[float], seconds: float) -> int:
    return max(sum(start <= at < start + seconds for at in calls) for start in calls)


@given(_rate_limits, st.lists(_halves, min_size=1, max_size=40).map(sorted))
def test_no_period_has_more_calls_than_allowed(rate_limit: RateLimit, requested: list[float]) -> None:
    calls = call_times(rate_limit, requested)

    assert max_calls_within(calls, rate_limit.seconds) <= rate_limit.calls
    assert all(at >= now for at, now in zip(calls, requested, strict=True))


@given(_rate_limits, st.lists(_halves, min_size=1, max_size=40))
def test_setting_the_clock_back_allows_no_additional_calls(rate_limit: RateLimit, requested: list[float]) -> None:
    assert max_calls_within(call_times(rate_limit, requested), rate_limit.seconds) <= rate_limit.calls


@given(_rate_limits, st.lists(_halves, max_size=40).map(sorted))
def test_no_call_waits_longer_than_necessary(rate_limit: RateLimit, requested: list[float]) -> None:
    calls = call_times(rate_limit, requested)

    for index, (at, now) in enumerate(zip(calls, requested, strict=True)):
        if at > now:
            just_before = [other for other in calls[:index] if at - rate_limit.seconds - 0.25 < other]
            assert len(just_before) >= rate_limit.calls


@given(_rate_limits, st.lists(_halves, max_size=40).map(sorted))
def test_only_the_calls_that_count_are_stored(rate_limit: RateLimit, requested: list[float]) -> None:
    times: list[float] = []
    for now in requested:
        times = rate_limit.with_call(times, rate_limit.next_call(times, now=now))

    assert len(times) <= rate_limit.calls
    assert times == sorted(times)


def test_the_fifth_call_at_four_per_second_waits_until_a_second_after_the_first() -> None:
    assert call_times(RateLimit(4, 1.0), [0, 0.25, 0.5, 0.75, 0.75, 0.75]) == [0, 0.25, 0.5, 0.75, 1.0, 1.25]
