"""The threads of handlers that change the database.

With SQLite all writers wait for one lock, which another process may hold. In threads of their own they do not take
those of handlers that only read.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from time import monotonic
from typing import TypeVar

from playdock.db.errors import DatabaseBusy

# Most of them wait for the lock; PostgreSQL gives a process at most 16 connections.
_THREADS = 16
# Together with the time that a writer waits for the lock, less than the minute after which proxies usually give up.
_MAX_WAIT_SECONDS = 20.0

_T = TypeVar("_T")


class WriteThreads:
    """Runs calls in their own threads. Calls that have waited for a thread too long are refused."""

    def __init__(self, *, threads: int = _THREADS, max_wait: float = _MAX_WAIT_SECONDS) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="writing")
        self._max_wait = max_wait

    async def run(self, call: Callable[[], _T]) -> _T:
        """Return the result of a call.

        Raises:
            DatabaseBusy: no thread was free in time.
        """
        loop, context = asyncio.get_running_loop(), copy_context()
        return await loop.run_in_executor(self._executor, context.run, self._run, call, monotonic())

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _run(self, call: Callable[[], _T], enqueued: float) -> _T:
        if monotonic() - enqueued > self._max_wait:
            raise DatabaseBusy
        return call()
