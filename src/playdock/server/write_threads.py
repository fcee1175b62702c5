"""The threads of handlers that change the database.

With SQLite all writers wait for one lock, which another process may hold. In threads of their own they do not take
those of handlers that only read.
"""

import math
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, fail_after, to_thread

from playdock.db.errors import DatabaseBusy

# Most of them wait for the lock; PostgreSQL gives a process at most 16 connections.
_THREADS = 16
# Together with the time that a writer waits for the lock, less than the minute after which proxies usually give up.
_MAX_WAIT_SECONDS = 20.0

_T = TypeVar("_T")


class WriteThreads:
    """Runs calls in their own threads. Calls that have waited for a thread too long are refused."""

    def __init__(self, *, threads: int = _THREADS, max_wait: float = _MAX_WAIT_SECONDS) -> None:
        self._free = CapacityLimiter(threads)
        self._unlimited = CapacityLimiter(math.inf)
        self._max_wait = max_wait

    async def run(self, call: Callable[[], _T]) -> _T:
        """Return the result of a call.

        Raises:
            DatabaseBusy: no thread was free in time.
        """
        borrower = object()
        try:
            with fail_after(self._max_wait):
                await self._free.acquire_on_behalf_of(borrower)
        except TimeoutError:
            raise DatabaseBusy from None
        try:
            return await to_thread.run_sync(call, limiter=self._unlimited)
        finally:
            self._free.release_on_behalf_of(borrower)
