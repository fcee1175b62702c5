"""Shares of a rate between processes: never more than the rate together, and all of it to those that want it."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.sending.shares import Claim, RateDemand, Shares, demand_of, floor_of, share_of

RATE = 50_000_000


@dataclass
class Processes:
    """Processes that exchange claims in any order, as transactions that exclude each other do."""

    rate: int
    claims: list[Claim] = field(default_factory=list)

    def exchange(self, number: int, demand: float) -> None:
        others = [claim for other, claim in enumerate(self.claims) if other != number]
        self.claims[number] = Claim(demand, share_of(RateDemand(self.rate, demand), others))

    @property
    def total(self) -> int:
        """What all of them may use: a process without a claim may use the floor."""
        return sum(max(claim.share, floor_of(self.rate)) for claim in self.claims)


DEMANDS = st.floats(0, 1e12, allow_nan=False)


@given(
    rate=st.integers(100_000, 10**10),
    number=st.integers(1, 20),
    steps=st.lists(st.tuples(st.integers(0, 19), DEMANDS), max_size=80),
)
def test_processes_never_have_more_than_the_rate_together(
    rate: int, number: int, steps: list[tuple[int, float]]
) -> None:
    processes = Processes(rate, [Claim() for _ in range(number)])
    for which, demand in steps:
        processes.exchange(which % number, demand)
        assert all(claim.share >= 1 or claim == Claim() for claim in processes.claims)
        assert processes.total <= rate


@given(demands=st.lists(st.floats(1, 1e12), min_size=1, max_size=12))
def test_shares_follow_demand_after_two_exchanges_of_each(demands: list[float]) -> None:
    processes = Processes(RATE, [Claim() for _ in demands])
    for _ in range(2):
        for number, demand in enumerate(demands):
            processes.exchange(number, demand)
    floor = floor_of(RATE)
    for claim, demand in zip(processes.claims, demands, strict=True):
        part = (RATE - len(demands) * floor) * demand / sum(demands)
        assert claim.share == pytest.approx(floor + part, abs=len(demands) + 1)


def test_one_download_gets_nearly_all_of_the_rate_once_the_others_have_ended() -> None:
    processes = Processes(RATE, [Claim() for _ in range(3)])
    for number in (0, 1, 2):
        processes.exchange(number, RATE)
    for number in (1, 2, 0):
        processes.exchange(number, RATE if number == 0 else 0)
    assert processes.claims[0].share > 0.99 * RATE


@pytest.mark.parametrize(
    ("running", "waited", "used", "demand"),
    [
        (1, 0.9, 1_000, float(RATE)),  # gets less than it wants
        (3, 0.9, 1_000, 3.0 * RATE),
        (1, 0.1, 1_000, 1_250.0),  # its reader is slow
        (0, 0.9, 1_000, 1_250.0),  # has just ended
        (0, 0.0, 0, 0.0),
    ],
)
def test_those_that_wait_for_bandwidth_want_all_of_it(running: int, waited: float, used: int, demand: float) -> None:
    assert demand_of(RATE, running=running, waited=waited, used=used, seconds=1.0) == demand


def test_a_process_uses_equal_parts_then_the_floor_then_its_share() -> None:
    shares = Shares(2)
    assert (shares.of("ada", 1000), shares.of("ada", 0)) == (500, 0)
    shares.give_up()
    assert shares.of("ada", 2560) == 10
    shares.grant({"ada": 2000}, processes=2, asked=float("inf"))
    assert (shares.of("ada", 2560), shares.of("bob", 2560), shares.of("ada", 100)) == (2000, 10, 100)
    shares.shrink({"ada": 1500, "bob": 900}, processes=2)
    assert (shares.of("ada", 2560), shares.of("bob", 2560)) == (1500, 10)
    shares.grant({}, processes=1, asked=float("inf"))
    assert shares.of("ada", 2560) == 2560
    shares.grant({"ada": 2000}, processes=2, asked=float("-inf"))
    assert shares.of("ada", 2560) == 10  # it is too old
    shares.divide_equally()
    assert shares.of("ada", 2560) == 1280
