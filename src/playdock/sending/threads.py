"""Threads for sending: separate ones for each library, so that a hanging disk does not block other libraries."""

from concurrent.futures import Executor, ThreadPoolExecutor

from msgspec import Struct, field

# Per library. Each sends for at most MAX_SEND_SECONDS before it serves another transfer.
_THREADS = 12


class SendingThreads(Struct, frozen=True):
    """Thread pools by library, each with ``count`` threads. Used only in the thread of the event loop."""

    count: int = _THREADS
    _pools: dict[str, ThreadPoolExecutor] = field(default_factory=dict)

    def of(self, key: str) -> Executor:
        """Return the threads for a key, such as a library's id."""
        if key not in self._pools:
            self._pools[key] = ThreadPoolExecutor(self.count, thread_name_prefix="sending")
        return self._pools[key]

    def close(self) -> None:
        """Accept no more work. Running calls end within `MAX_SEND_SECONDS`, or hang with their disk."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
