"""Limits on the number and the speed of transfers.

Every transfer takes bandwidth from the *queue* of its user and from the queue of the whole service. In each queue, one
transfer at a time waits for the *token bucket*, in order of arrival. In the service's queue the transfers of a user
count as one. A user with many transfers therefore does not slow down others, and more connections do not get more.

A bucket fills at its rate. Bytes are taken out of it in portions of at most a tenth of a second, or less if many
transfers are running, so that each waits only briefly.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf
from time import monotonic
from typing import Self

from msgspec import Struct, field

from playdock.kit.errors import TooManyAtOnce

# With a portion of 0.1 s in addition, no quarter of a second exceeds the rate by more than one burst.
_BURST_SECONDS = 0.15
_PORTION_SECONDS = 0.1
# Smaller portions cost more processor time than sending them.
_MIN_PORTION_BYTES = 64 * 1024
# A fast client requests the next range before the server has noticed that the previous transfer has ended, so a
# transfer above the limit waits for a quarter of a second before it is refused.
_ADMISSION_ATTEMPTS = 10
_ADMISSION_DELAY_SECONDS = 0.025


class TooManyDownloads(TooManyAtOnce):
    """The caller or the service has reached the limit of simultaneous downloads."""

    def __init__(self, reached: str) -> None:
        super().__init__(f"{reached} limit of simultaneous downloads. Wait for one to finish and try again.")


class Limits(Struct, frozen=True):
    """The rate in bytes per second, and the number of simultaneous transfers; 0 means no limit."""

    rate: int = 0
    at_once: int = 0

    def share(self, processes: int) -> Self:
        """Return the share of one of several processes: at least one transfer and one byte per second."""
        return type(self)(_share(self.rate, processes), _share(self.at_once, processes))


def _share(limit: int, processes: int) -> int:
    return max(1, limit // processes) if limit else 0


class TokenBucket(Struct):
    """The bytes that may be sent now. ``rate`` is in bytes per second, 0 for no limit; ``clock`` returns seconds."""

    clock: Callable[[], float]
    rate: int = 0
    _level: float = 0.0
    _since: float = -inf

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
        if self.rate:
            self._level, self._since = self._filled() - amount, self.clock()

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
    """The running transfers of one user or of the whole service, and their shared bandwidth."""

    bucket: TokenBucket
    at_once: int = 0
    running: "set[TransferPermit]" = field(default_factory=set)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def limit(self, limits: Limits) -> None:
        self.bucket.rate, self.at_once = limits.rate, limits.at_once

    @property
    def is_full(self) -> bool:
        return 0 < self.at_once <= len(self.running)

    @asynccontextmanager
    async def portion(self, requested: int) -> AsyncIterator[int]:
        """Wait in the queue and for bandwidth. Yield a number of bytes, reserved while the context is open."""
        async with self._lock:
            portion = self.bucket.portion(requested, among=len(self.running))
            if seconds := self.bucket.seconds_until(portion):
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

    With several processes, each enforces its share of the limits.
    """

    def __init__(self, limits: Limits, *, processes: int = 1) -> None:
        self._limits = limits
        self._processes = processes
        self._server = FairQueue(TokenBucket(monotonic))
        self._server.limit(limits.share(processes))
        # Queues are never removed: a new one has a full bucket, which would exceed the user's rate.
        self._queues: dict[str, FairQueue] = {}

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

    def _permit(self, own: FairQueue, on_release: Callable[[int], None]) -> TransferPermit:
        permit = TransferPermit(own, self._server, [on_release])
        permit.enter()
        return permit

    def _queue_of(self, user_id: str, limits: Limits) -> FairQueue:
        queue = self._queues.get(user_id)
        if queue is None:
            queue = self._queues[user_id] = FairQueue(TokenBucket(monotonic))
        queue.limit(limits.share(self._processes))
        return queue
