"""Exchanging claims on the download limits through the table of nodes."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from typing import Any

import pytest
from anyio import CapacityLimiter

from playdock.db.database import Database
from playdock.kit.workers import new_worker_id
from playdock.models import Node
from playdock.nodes.registry import NodeRegistry
from playdock.nodes.sharing import ShareExchange
from playdock.sending.limits import SERVER, DownloadLimiter, Limits
from playdock.sending.shares import MAX_CLAIM_SECONDS, RateDemand, floor_of
from waiting import wait_until
from world import FakeClock

pytestmark = pytest.mark.both_databases

RATE = 1_000_000


@dataclass
class Process:
    """A process that serves downloads, as far as it shares limits."""

    registry: NodeRegistry
    limiter: DownloadLimiter
    exchange: ShareExchange

    async def claim(self, **demands: float) -> None:
        await self.exchange._exchange(
            {subject: RateDemand(RATE, demand) for subject, demand in demands.items()}, CapacityLimiter(1)
        )

    def rate(self, subject: str = "ada") -> int:
        return self.limiter.shares.of(subject, RATE)


class Nodes:
    """Starts processes that registered long ago, as if they ran elsewhere."""

    def __init__(self, db: Database, stack: ExitStack) -> None:
        self.db = db
        self.stack = stack

    def start(self, *, age: float = inf, serves: bool = True) -> Process:
        registry = self.stack.enter_context(closing(NodeRegistry(self.db, FakeClock(), new_worker_id("alpha"))))
        registry.start(serves=serves)
        registry._registered -= age
        limiter = DownloadLimiter(Limits(rate=RATE))
        limiter.shares.give_up()
        return Process(registry, limiter, ShareExchange(self.db, FakeClock(), registry, limiter))

    def demand(self, process: Process) -> Any:
        with self.db.read() as session:
            return session.get_one(Node, process.registry.worker_id).demand


@pytest.fixture
def nodes(db: Database) -> Iterator[Nodes]:
    with ExitStack() as stack:
        yield Nodes(db, stack)


def run(steps: Coroutine[Any, Any, None]) -> None:
    asyncio.run(steps)


def test_a_process_that_is_alone_has_the_whole_rate_and_writes_nothing(nodes: Nodes) -> None:
    process, _worker = nodes.start(), nodes.start(serves=False)
    assert process.rate() == floor_of(RATE)
    run(process.claim(ada=RATE))
    assert (process.rate(), nodes.demand(process)) == (RATE, {})


def test_processes_share_by_demand_and_never_have_more_than_the_rate(nodes: Nodes) -> None:
    first, second, idle = nodes.start(), nodes.start(), nodes.start()

    async def steps() -> None:
        await first.claim(ada=RATE)
        assert 0.99 * RATE < first.rate() <= RATE - 2 * floor_of(RATE)
        await second.claim(ada=3 * RATE)
        assert second.rate() == floor_of(RATE)  # the first one still has the rest
        await first.claim(ada=RATE)
        await second.claim(ada=3 * RATE)
        assert first.rate() + second.rate() + idle.rate() <= RATE
        assert second.rate() == pytest.approx(3 * first.rate(), rel=0.02)
        await first.claim()
        await second.claim(ada=3 * RATE, bob=1.0)
        assert second.rate() > 0.99 * RATE
        assert second.rate("bob") > 0.99 * RATE

    run(steps())
    assert (nodes.demand(first), set(nodes.demand(second))) == ({}, {"ada", "bob"})


def test_a_process_that_has_just_started_waits_for_one_that_thought_it_was_alone(nodes: Nodes) -> None:
    alone = nodes.start()

    async def steps() -> None:
        await alone.claim(ada=RATE)
        newcomer = nodes.start(age=0)
        await newcomer.claim(ada=RATE)
        assert (alone.rate(), newcomer.rate()) == (RATE, floor_of(RATE))
        await alone.claim(ada=RATE)
        assert alone.rate() <= RATE - floor_of(RATE)

    run(steps())


def test_the_share_of_a_silent_process_is_free_after_a_while(nodes: Nodes) -> None:
    silent, other = nodes.start(), nodes.start()

    async def steps() -> None:
        await silent.claim(ada=RATE)
        await other.claim(ada=RATE)
        assert other.rate() == floor_of(RATE)
        with nodes.db.write() as session:
            node = session.get_one(Node, silent.registry.worker_id)
            node.heartbeat -= timedelta(seconds=MAX_CLAIM_SECONDS)
        await other.claim(ada=RATE)
        assert other.rate() > 0.99 * RATE

    run(steps())


def test_without_the_database_processes_use_equal_parts(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _second = nodes.start(), nodes.start()

    async def steps() -> None:
        await first.claim(ada=RATE)
        with monkeypatch.context() as patch:
            patch.setattr("playdock.nodes.queries.claims_of_others", _raise)
            await first.claim(ada=RATE)
        assert first.rate() == RATE // 2
        await first.claim(ada=RATE)
        assert first.rate() > 0.99 * RATE

    run(steps())


def test_claims_are_exchanged_while_limited_transfers_run(nodes: Nodes) -> None:
    process, _other = nodes.start(), nodes.start()

    async def steps() -> None:
        async with process.exchange.running():
            permit = await process.limiter.admit("ada", Limits(), lambda _: None)
            while process.rate(SERVER) == floor_of(RATE):
                allowed = await permit.wait_for_bandwidth(RATE)
                permit.record(allowed, allowed)
            assert set(nodes.demand(process)) == {SERVER}
            permit.release()
            await asyncio.to_thread(wait_until, lambda: not nodes.demand(process))

    run(steps())
    assert process.rate(SERVER) == floor_of(RATE)


def _raise(*_arguments: object, **_options: object) -> None:
    raise OSError
