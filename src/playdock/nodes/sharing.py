"""Exchanging claims on the download limits between the processes that serve downloads.

While transfers with a limited rate run, each process writes its claims twice per second, in a transaction that excludes
the others'. It gives up what it no longer gets before the transaction is committed, and takes more only afterwards. So
at no time do all processes together have more than the rate. A process that is alone writes nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic

import structlog
from anyio import CapacityLimiter, from_thread, to_thread
from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.kit.clock import Clock
from playdock.nodes import queries
from playdock.nodes.registry import NodeRegistry
from playdock.sending.limits import DownloadLimiter
from playdock.sending.shares import MAX_SHARE_SECONDS, Claim, RateDemand, share_of

_log = structlog.get_logger()

# A share that is not needed any more is free for another process after at most twice as long.
_PERIOD_SECONDS = 0.5
# A process that was alone writes no claims, and uses the whole rate for so long before it learns of another one.
_MIN_AGE_SECONDS = MAX_SHARE_SECONDS
# Equal parts are used meanwhile, so that it is not worth to wait longer.
_MAX_WAIT_SECONDS = 1.0


class ShareExchange:
    """Exchanges the claims of this process with those of the others."""

    def __init__(self, db: Database, clock: Clock, registry: NodeRegistry, limiter: DownloadLimiter) -> None:
        self._db = db
        self._clock = clock
        self._registry = registry
        self._limiter = limiter
        self._claimed = False
        self._failed = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Exchange claims until the end of the block."""
        task = asyncio.create_task(self._run(), name="download-shares")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        one_thread, shares = CapacityLimiter(1), self._limiter.shares
        while True:
            if self._claimed:
                await self._exchange({}, one_thread)
            shares.give_up()
            await self._limiter.rate_limited.wait()
            self._limiter.rate_limited.clear()
            last = monotonic() - _PERIOD_SECONDS
            while self._limiter.is_rate_limited:
                now = monotonic()
                await self._exchange(self._limiter.demands(seconds=now - last), one_thread)
                last = now
                await asyncio.sleep(_PERIOD_SECONDS)

    async def _exchange(self, demands: Mapping[str, RateDemand], one_thread: CapacityLimiter) -> None:
        """Exchange claims once. If that fails, use an equal part: the database is away, but transfers go on."""
        asked, shares = monotonic(), self._limiter.shares
        try:
            granted, processes = await to_thread.run_sync(partial(self._claim, demands), limiter=one_thread)
            shares.grant(granted, processes=processes, asked=asked)
            self._failed = False
        except Exception as error:  # noqa: BLE001 - the reason just given
            shares.divide_equally()
            if not self._failed:
                _log.warning("download limits are divided equally: claims were not exchanged", error=repr(error))
            self._failed = True

    def _claim(self, demands: Mapping[str, RateDemand]) -> tuple[Mapping[str, int], int]:
        """Write the claims of this process; return its shares, and the number of processes."""
        own = self._registry.worker_id
        with self._db.read() as session:
            others = queries.claims_of_others(session, own, at=self._clock())
        if not others and not self._claimed:
            return {}, 1
        with self._db.write(max_wait=_MAX_WAIT_SECONDS) as session:
            return self._claim_among_others(session, demands)

    def _claim_among_others(self, session: Session, demands: Mapping[str, RateDemand]) -> tuple[Mapping[str, int], int]:
        own = self._registry.worker_id
        queries.lock_claims(session)
        others = queries.claims_of_others(session, own, at=self._clock())
        processes = 1 + len(others)
        if self._registry.age_seconds < _MIN_AGE_SECONDS and others:
            return {}, processes
        granted = {subject: share_of(demand, _claims_on(subject, others)) for subject, demand in demands.items()}
        from_thread.run_sync(partial(self._limiter.shares.shrink, granted, processes=processes))
        claims = {subject: Claim(demand.demand, granted[subject]) for subject, demand in demands.items()}
        if not queries.set_claims(session, own, claims, at=self._clock()):
            return {}, processes
        self._claimed = bool(claims)
        return granted, processes


def _claims_on(subject: str, others: Sequence[Mapping[str, Claim]]) -> list[Claim]:
    return [claims.get(subject, Claim()) for claims in others]
