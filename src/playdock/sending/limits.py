"""Limits on the number and the speed of transfers.

Every transfer takes bandwidth from the *queue* of its user and from the queue of the whole service. In each queue, one
transfer at a time waits for the *token bucket*, in order of arrival. In the service's queue the transfers of a user
count as one. A user with many transfers therefore does not slow down others, and more connections do not get more.

A bucket fills at its rate. Bytes are taken out of it in portions of at most a fiftieth of a second, or less if many
transfers are running, so that each waits only briefly.

Several processes share the rates (`shares.py`).
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from math import inf
from time import monotonic
from typing import Self

from msgspec import Struct, field

from playdock.kit.errors import TooManyAtOnce
from playdock.sending.shares import RateDemand, Shares, demand_of

# No second has more than 1.05 seconds' worth. A portion is less than that, so that a delay is caught up with.
_BURST_SECONDS = 0.05
_PORTION_SECONDS = 0.02
# A share of a rate may have grown after this time.
_MAX_WAIT_SECONDS = 0.25
# Clocks are not more exact, so that waiting for less might never end.
_NEGLIGIBLE_SECONDS = 1e-6
# Smaller portions cost more processor time than sending them.
_MIN_PORTION_BYTES = 64 * 1024
# A fast client requests the next range before the server has noticed that the previous transfer has ended, so a
# transfer above the limit waits for a quarter of a second before it is refused.
_ADMISSION_ATTEMPTS = 10
_ADMISSION_DELAY_SECONDS = 0.025


# The subject of the service's own rate; those of users are their ids.
SERVER = ""


class TooManyDownloads(TooManyAtOnce):
    """The caller or the service has reached the limit of simultaneous downloads."""

    def __init__(self, reached: str) -> None:
        super().__init__(f"{reached} limit of simultaneous downloads. Wait for one to finish and try again.")


class Limits(Struct, frozen=True):
    """The rate in bytes per second, and the number of simultaneous transfers; 0 means no limit."""

    rate: int = 0
    at_once: int = 0

    def within(self, processes: int) -> Self:
        """Return the limits for one of several processes: the whole rate, and its part of the number, at least one."""
        return type(self)(self.rate, max(1, self.at_once // processes) if self.at_once else 0)


def _whole(rate: int) -> int:
    return rate


class TokenBucket(Struct):
    """The bytes that may be sent now. ``rate`` is in bytes per second, 0 for no limit; ``clock`` returns seconds."""

    clock: Callable[[], float]
    rate: int = 0
    _level: float = 0.0
    _since: float = -inf
    used: int = 0

    def portion(self, requested: int, *, among: int) -> int:
        """Return how many bytes one of ``among`` transfers may take at a time, at least one."""
        if not self.rate:
            return requested
        limit = self.rate * _PORTION_SECONDS
        return max(1, min(requested, int(max(limit / among, min(limit, _MIN_PORTION_BYTES)))))

    def seconds_until(self, amount: int) -> float:
        """Return the seconds until the bucket contains ``amount`` bytes, which must not exceed a portion."""
        return max(0.0, (amount - self._filled()) / self.rate) if self.rate else 0.0

    def take(self, amount: int) -> None:
        """Remove bytes that will be sent."""
        self.used += amount
        if self.rate:
            self._level, self._since = self._filled() - amount, self.clock()

    def change_rate(self, rate: int) -> None:
        """Fill the bucket at another rate from now on."""
        if rate != self.rate:
            if self.rate:
                self._level, self._since = self._filled(), self.clock()
            self.rate = rate

    def release(self, amount: int) -> None:
        """Return bytes that were taken but not sent."""
        self.take(-amount)

    def _filled(self) -> float:
        return min(self._level + (self.clock() - self._since) * self.rate, self._capacity)

    @property
    def _capacity(self) -> float:
        return max(1.0, self.rate * _BURST_SECONDS)


class LimitStatus(Struct, frozen=True):
    """Limits, and how many transfers are running."""

    limits: Limits
    running: int


class FairQueue(Struct):
    """The running transfers of one user or of the whole service, and their shared bandwidth.

    ``rate_now`` returns what this process may use of the rate now; without it, the bucket has the whole rate.
    """

    bucket: TokenBucket
    at_once: int = 0
    rate: int = 0
    rate_now: Callable[[int], int] = _whole
    running: "set[TransferPermit]" = field(default_factory=set)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waited: float = 0.0

    def limit(self, limits: Limits) -> None:
        self.rate, self.at_once = limits.rate, limits.at_once
        self.bucket.change_rate(self.rate_now(self.rate))

    def demand(self, running: int, *, seconds: float) -> RateDemand:
        """Return how much of the rate ``running`` transfers or users can use, from the last seconds; forget these."""
        used, waited = self.bucket.used, self._waited
        self.bucket.used, self._waited = 0, 0.0
        demand = demand_of(self.rate, running=running, waited=waited, used=used, seconds=seconds)
        return RateDemand(self.rate, demand)

    @property
    def is_full(self) -> bool:
        return 0 < self.at_once <= len(self.running)

    @asynccontextmanager
    async def portion(self, requested: int) -> AsyncIterator[int]:
        """Wait in the queue and for bandwidth. Yield a number of bytes, reserved while the context is open."""
        async with self._lock:
            while True:
                rate = self.rate_now(self.rate) if self.rate else self.bucket.rate
                self.bucket.change_rate(rate)
                portion = self.bucket.portion(requested, among=len(self.running))
                seconds = min(self.bucket.seconds_until(portion), _MAX_WAIT_SECONDS)
                if seconds < _NEGLIGIBLE_SECONDS:
                    break
                self._waited += seconds
                await asyncio.sleep(seconds)
            yield portion


class TransferPermit(Struct, eq=False):
    """Permission for one transfer; ``on_release`` receives the number of content bytes that were sent.

    Bandwidth is granted for the bytes that are sent. They convey as many bytes of content, or more if it is compressed.
    """

    own: FairQueue
    server: FairQueue
    on_release: list[Callable[[int], None]]
    content: int = 0

    async def wait_for_bandwidth(self, requested: int) -> int:
        """Wait until bytes may be sent, and return their number, at most ``requested``."""
        if not self.is_rate_limited:
            return requested
        async with self.own.portion(requested) as portion, self.server.portion(portion) as allowed:
            self.own.bucket.take(allowed)
            self.server.bucket.take(allowed)
            return allowed

    @property
    def is_rate_limited(self) -> bool:
        return bool(self.own.bucket.rate or self.server.bucket.rate)

    def record(self, allowed: int, sent: int, *, content: int | None = None) -> None:
        """Record how many of the allowed bytes were sent, and how many bytes of content if not as many."""
        self.content += sent if content is None else content
        self.own.bucket.release(allowed - sent)
        self.server.bucket.release(allowed - sent)

    def enter(self) -> None:
        self.own.running.add(self)
        self.server.running.add(self)

    def release(self) -> None:
        """End the transfer. Further calls have no effect."""
        if self not in self.own.running:
            return
        self.own.running.discard(self)
        self.server.running.discard(self)
        for callback in self.on_release:
            callback(self.content)


class DownloadLimiter:
    """All transfers of this process. Used only in the thread of the event loop.

    With several server processes, each has a part of the number of transfers, and its share of a rate at the time.
    """

    def __init__(self, limits: Limits, *, processes: int = 1) -> None:
        self._limits = self._applied = limits
        self._processes = processes
        self.shares = Shares(processes)
        # Set whenever a transfer with a limited rate begins.
        self.rate_limited = asyncio.Event()
        self._server = FairQueue(TokenBucket(monotonic), rate_now=partial(self.shares.of, SERVER))
        self._server.limit(limits.within(processes))
        # Queues are never removed: a new one has a full bucket, which would exceed the user's rate.
        self._queues: dict[str, FairQueue] = {}

    def change_limits(self, limits: Limits) -> None:
        """Apply other limits of the service from the next transfer on. This may be called in any thread."""
        self._limits = limits

    async def admit(self, user_id: str, limits: Limits, on_release: Callable[[int], None]) -> TransferPermit:
        """Return a permit for a transfer of a user.

        Raises:
            TooManyDownloads: the user or the service has reached the limit of simultaneous transfers.
        """
        own = self._queue_of(user_id, limits)
        for _ in range(_ADMISSION_ATTEMPTS):
            if not (own.is_full or self._server.is_full):
                break
            await asyncio.sleep(_ADMISSION_DELAY_SECONDS)
        if own.is_full:
            raise TooManyDownloads("You have reached your")
        if self._server.is_full:
            raise TooManyDownloads("The service has reached its")
        return self._permit(own, on_release)

    def admit_now(self, user_id: str, limits: Limits, on_release: Callable[[int], None]) -> TransferPermit | None:
        """Return a permit for a transfer of a user, None if it would have to wait for a slot or for bandwidth."""
        own = self._queue_of(user_id, limits)
        if own.is_full or self._server.is_full or own.bucket.rate or self._server.bucket.rate:
            return None
        return self._permit(own, on_release)

    def status_of(self, user_id: str, limits: Limits) -> LimitStatus:
        """Return a user's limits and the number of their transfers in this process."""
        return LimitStatus(limits, len(self._queue_of(user_id, limits).running))

    @property
    def status(self) -> LimitStatus:
        """The limits of the service and the number of transfers in this process."""
        return LimitStatus(self._limits, len(self._server.running))

    @property
    def is_rate_limited(self) -> bool:
        """Whether transfers with a limited rate are running."""
        return any(permit.is_rate_limited for permit in self._server.running)

    def demands(self, *, seconds: float) -> dict[str, RateDemand]:
        """Return the demand of the service and of users with limited rates, from the last seconds; forget these."""
        users = len({id(permit.own) for permit in self._server.running})
        found = {SERVER: self._server.demand(users, seconds=seconds)}
        for user_id, queue in self._queues.items():
            if queue.running or queue.bucket.used:
                found[user_id] = queue.demand(len(queue.running), seconds=seconds)
        return {subject: demand for subject, demand in found.items() if demand.rate}

    def _permit(self, own: FairQueue, on_release: Callable[[int], None]) -> TransferPermit:
        permit = TransferPermit(own, self._server, [on_release])
        permit.enter()
        if permit.is_rate_limited:
            self.rate_limited.set()
        return permit

    def _queue_of(self, user_id: str, limits: Limits) -> FairQueue:
        if self._applied is not self._limits:
            self._applied = self._limits
            self._server.limit(self._applied.within(self._processes))
        queue = self._queues.get(user_id)
        if queue is None:
            queue = FairQueue(TokenBucket(monotonic), rate_now=partial(self.shares.of, user_id))
            self._queues[user_id] = queue
        queue.limit(limits.within(self._processes))
        return queue
