"""Rate limits and fairness, in virtual time."""

import asyncio
import selectors
from collections.abc import Coroutine
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playdock.auth.actor import UserInfo
from playdock.features.downloads.rules import limits_of
from playdock.sending.limits import FairQueue, Limits, TokenBucket, TransferPermit
from playdock.settings import Settings

MIB = 1024 * 1024
BURST = 0.050001  # and rounding


class _NothingElse(selectors.SelectSelector):
    """A selector that advances the virtual time instead of waiting."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += timeout or 0.0
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with virtual time, which advances whenever there is nothing to do."""

    def __init__(self) -> None:
        self._passing = _NothingElse()
        super().__init__(self._passing)

    def time(self) -> float:
        return self._passing.now


@dataclass
class Sent:
    """The bytes sent from one queue, with time and user."""

    log: list[tuple[float, int, str]] = field(default_factory=list)

    def most_within_a_window(self, rate: int) -> float:
        """Return the largest excess of any time window over the rate, in seconds of the rate."""
        totals = [0]
        for _, amount, _ in self.log:
            totals.append(totals[-1] + amount)
        spans = combinations(range(len(self.log)), 2)
        over = ((totals[b + 1] - totals[a]) / rate - (self.log[b][0] - self.log[a][0]) for a, b in spans)
        return max(over, default=0.0)

    def of(self, name: str) -> int:
        return sum(amount for _, amount, by in self.log if by == name)


def run(*context: Coroutine[Any, Any, None], loop: VirtualLoop) -> None:
    async def together() -> None:
        await asyncio.gather(*context)

    try:
        loop.run_until_complete(together())
    finally:
        loop.close()


def queue(loop: VirtualLoop, rate: int) -> FairQueue:
    return FairQueue(TokenBucket(loop.time, rate))


async def send(own: FairQueue, server: FairQueue, amount: int, sent: Sent, name: str, *, until: float = 1e9) -> None:
    """Send like a transfer whose client reads everything immediately."""
    permit = TransferPermit(own, server, [])
    permit.enter()
    try:
        while amount and own.bucket.clock() < until:
            allowed = await permit.wait_for_bandwidth(amount)
            permit.record(allowed, allowed)
            amount -= allowed
            if own.bucket.clock() < until:
                sent.log.append((own.bucket.clock(), allowed, name))
    finally:
        permit.release()


RATES = st.integers(min_value=1, max_value=10**9)


@settings(deadline=None, max_examples=60)
@given(rate=RATES, wants=st.lists(st.integers(1, 400), min_size=1, max_size=6))
def test_no_time_window_exceeds_the_rate_by_more_than_a_twentieth_of_a_second(rate: int, wants: list[int]) -> None:
    loop, sent = VirtualLoop(), Sent()
    own, server = queue(loop, 0), queue(loop, rate)
    context = [send(own, server, max(1, rate * want // 100), sent, str(n)) for n, want in enumerate(wants)]
    run(*context, loop=loop)
    assert sum(sent.of(str(n)) for n in range(len(wants))) == sum(max(1, rate * want // 100) for want in wants)
    assert sent.most_within_a_window(rate) <= max(BURST, 2 / rate)


@settings(deadline=None, max_examples=60)
@given(rate=st.integers(100_000, 10**9), seed=st.integers(0, 1000))
def test_unsent_bytes_are_returned(rate: int, seed: int) -> None:
    now, sent, random = 0.0, 0, Random(seed)
    bucket = TokenBucket(lambda: now, rate)
    while now < 5:
        portion = bucket.portion(10**12, among=1)
        now += bucket.seconds_until(portion)
        bucket.take(portion)
        taken = random.choice([0, portion // 2, portion])
        bucket.release(portion - taken)
        sent, now = sent + taken, now + 0.001
    assert rate * 4.5 <= sent <= rate * (now + BURST)


def test_a_rate_is_reached() -> None:
    loop, sent = VirtualLoop(), Sent()
    run(send(queue(loop, 0), queue(loop, MIB), 100 * MIB, sent, "ada"), loop=loop)
    assert 99 < sent.log[-1][0] <= 100


def test_the_rate_of_a_user_does_not_depend_on_the_number_of_transfers() -> None:
    loop, sent = VirtualLoop(), Sent()
    own, server = queue(loop, MIB), queue(loop, 100 * MIB)
    run(*(send(own, server, MIB, sent, str(number)) for number in range(8)), loop=loop)
    assert sent.most_within_a_window(MIB) <= BURST
    assert 7.5 < sent.log[-1][0] <= 8


def test_the_transfers_of_a_user_share_the_rate_equally() -> None:
    loop, sent = VirtualLoop(), Sent()
    own, server = queue(loop, MIB), queue(loop, 0)
    run(*(send(own, server, 4096 * MIB, sent, name, until=20) for name in "abcd"), loop=loop)
    shares = [sent.of(name) for name in "abcd"]
    assert max(shares) < 1.1 * min(shares)


def test_users_share_the_rate_equally_with_any_number_of_transfers() -> None:
    loop, sent = VirtualLoop(), Sent()
    ada, bob, server = queue(loop, 0), queue(loop, 0), queue(loop, 10 * MIB)
    many = [send(ada, server, 4096 * MIB, sent, "ada", until=20) for _ in range(30)]
    run(*many, send(bob, server, 4096 * MIB, sent, "bob", until=20), loop=loop)
    assert 0.9 < sent.of("ada") / sent.of("bob") < 1.1


def test_a_slow_user_does_not_delay_others() -> None:
    loop, sent = VirtualLoop(), Sent()
    slow, quick, server = queue(loop, 1000), queue(loop, 0), queue(loop, 10 * MIB)
    run(
        send(slow, server, MIB, sent, "slow", until=10),
        send(quick, server, 4096 * MIB, sent, "quick", until=10),
        loop=loop,
    )
    assert sent.of("slow") == pytest.approx(10_000, rel=0.1)
    assert sent.of("quick") > 9.5 * 10 * MIB


def test_a_small_transfer_does_not_wait_for_a_large_one() -> None:
    loop, sent = VirtualLoop(), Sent()
    ada, bob, server = queue(loop, 0), queue(loop, 0), queue(loop, MIB)

    async def later() -> None:
        await asyncio.sleep(5)
        await send(bob, server, 10_000, sent, "bob")

    run(send(ada, server, 4096 * MIB, sent, "ada", until=10), later(), loop=loop)
    assert next(at for at, _, name in sent.log if name == "bob") < 5.3


def test_a_cancelled_wait_does_not_block_the_queue() -> None:
    loop, sent = VirtualLoop(), Sent()
    own, server = queue(loop, 0), queue(loop, MIB)

    async def leave() -> None:
        waiting = [asyncio.ensure_future(send(own, server, MIB, sent, "gone")) for _ in range(5)]
        await asyncio.sleep(0.5)
        for each in waiting:
            each.cancel()
        before = sent.of("gone")
        await send(own, server, MIB, sent, "stays")
        assert sent.of("gone") == before

    run(leave(), loop=loop)
    assert sent.of("stays") == MIB
    assert sent.most_within_a_window(MIB) <= BURST


def test_a_changed_rate_applies_immediately() -> None:
    loop, sent = VirtualLoop(), Sent()
    own, server = queue(loop, 0), queue(loop, 0)

    async def change() -> None:
        await send(own, server, 100 * MIB, sent, "before")
        own.limit(Limits(rate=MIB))
        await send(own, server, 10 * MIB, sent, "after")

    run(change(), loop=loop)
    assert 9.5 < loop.time() <= 10


@pytest.mark.parametrize(
    ("limits", "processes", "share"),
    [
        (Limits(1000, 32), 1, Limits(1000, 32)),
        (Limits(1000, 32), 4, Limits(1000, 8)),
        (Limits(0, 0), 4, Limits(0, 0)),
        (Limits(3, 2), 4, Limits(3, 1)),
    ],
)
def test_each_of_several_processes_has_a_part_of_the_number(limits: Limits, processes: int, share: Limits) -> None:
    assert limits.within(processes) == share


@pytest.mark.parametrize(
    ("rate", "at_once", "limits"),
    [(None, None, Limits(500, 32)), (7, None, Limits(7, 32)), (None, 3, Limits(500, 3)), (0, 0, Limits(0, 0))],
)
def test_a_users_own_limits_override_the_defaults(rate: int | None, at_once: int | None, limits: Limits) -> None:
    ada = UserInfo("1", "ada", "Ada", "", "", admin=False, enabled=True, download_rate=rate, downloads_at_once=at_once)
    assert limits_of(ada, Settings(download_rate_per_user=500)) == limits
