"""How often may be asked: in no stretch of time more than is allowed, and no later than need be."""

from hypothesis import given
from hypothesis import strategies as st

from playdock.metadata.allowances import Allowance

# Halves, so that sums are exact.
_halves = st.integers(0, 200).map(lambda number: number / 2)
_allowances = st.builds(Allowance, calls=st.integers(1, 6), seconds=st.integers(1, 40).map(lambda number: number / 2))


def moments(allowance: Allowance, wanted: list[float]) -> list[float]:
    """Give when calls are made that are wanted at these moments, in the order of their being wanted."""
    taken: list[float] = []
    made = []
    for now in wanted:
        at = allowance.next_call(taken, now=now)
        taken = allowance.with_call(taken, at)
        made.append(at)
    return made


def most_within(made: list[float], seconds: float) -> int:
    return max(sum(start <= at < start + seconds for at in made) for start in made)


@given(_allowances, st.lists(_halves, min_size=1, max_size=40).map(sorted))
def test_in_no_stretch_are_more_calls_than_allowed(allowance: Allowance, wanted: list[float]) -> None:
    made = moments(allowance, wanted)

    assert most_within(made, allowance.seconds) <= allowance.calls
    assert all(at >= now for at, now in zip(made, wanted, strict=True))


@given(_allowances, st.lists(_halves, min_size=1, max_size=40))
def test_a_clock_that_is_set_back_allows_no_more(allowance: Allowance, wanted: list[float]) -> None:
    assert most_within(moments(allowance, wanted), allowance.seconds) <= allowance.calls


@given(_allowances, st.lists(_halves, max_size=40).map(sorted))
def test_nobody_waits_without_need(allowance: Allowance, wanted: list[float]) -> None:
    made = moments(allowance, wanted)

    for index, (at, now) in enumerate(zip(made, wanted, strict=True)):
        if at > now:
            just_before = [other for other in made[:index] if at - allowance.seconds - 0.25 < other]
            assert len(just_before) >= allowance.calls


@given(_allowances, st.lists(_halves, max_size=40).map(sorted))
def test_only_the_calls_that_count_are_remembered(allowance: Allowance, wanted: list[float]) -> None:
    taken: list[float] = []
    for now in wanted:
        taken = allowance.with_call(taken, allowance.next_call(taken, now=now))

    assert len(taken) <= allowance.calls
    assert taken == sorted(taken)


def test_the_fifth_call_of_four_a_second_waits_for_the_first_to_be_a_second_ago() -> None:
    assert moments(Allowance(4, 1.0), [0, 0.25, 0.5, 0.75, 0.75, 0.75]) == [0, 0.25, 0.5, 0.75, 1.0, 1.25]
