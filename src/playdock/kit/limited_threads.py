"""Threads for calls that may wait for long, such as those that access a disk."""

import math
from collections.abc import Callable
from typing import TypeVar

from anyio import CancelScope, CapacityLimiter, fail_after, to_thread

from playdock.kit.errors import PlaydockError

# Together with what the call itself may take, less than the minute after which proxies usually give up.
_MAX_WAIT_SECONDS = 20.0

_T = TypeVar("_T")


class LimitedThreads:
    """Runs calls in a number of threads. Calls that have waited for a thread too long are refused."""

    def __init__(
        self, threads: int, *, refusal: Callable[[], PlaydockError], max_wait: float = _MAX_WAIT_SECONDS
    ) -> None:
        self._free = CapacityLimiter(threads)
        self._unlimited = CapacityLimiter(math.inf)
        self._refusal = refusal
        self._max_wait = max_wait

    async def run(self, call: Callable[[], _T]) -> _T:
        """Return the result of a call, or raise the refusal if no thread was free in time."""
        borrower = object()
        try:
            with fail_after(self._max_wait):
                await self._free.acquire_on_behalf_of(borrower)
        except TimeoutError:
            raise self._refusal() from None
        try:
            return await to_thread.run_sync(call, limiter=self._unlimited)
        finally:
            self._free.release_on_behalf_of(borrower)

    async def release(self, call: Callable[[], object]) -> None:
        """Run a call that releases what others wait for. It is never refused, whatever hangs."""
        with CancelScope(shield=True):
            await to_thread.run_sync(call, limiter=self._unlimited)
