"""Threads for sending: a few for each library, so that one whose disk hangs holds up no other."""

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field

_THREADS = 12


@dataclass(frozen=True, slots=True)
class SendingThreads:
    """Threads by what they read from; they belong to the event loop's thread."""

    _pools: dict[str, ThreadPoolExecutor] = field(default_factory=dict)

    def of(self, place: str) -> Executor:
        """Give the threads of a place, such as a library's id."""
        if place not in self._pools:
            self._pools[place] = ThreadPoolExecutor(_THREADS, thread_name_prefix="sending")
        return self._pools[place]

    def close(self) -> None:
        """Take nothing on any more; what is being sent ends by itself within a moment, or hangs with its disk."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
