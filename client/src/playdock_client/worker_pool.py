"""Threads for the jobs of one installation."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Protocol

from playdock_client.errors import ClientError

# Short enough that Ctrl-C seems immediate.
_INTERRUPT_CHECK_SECONDS = 0.3


class PoolClosed(ClientError):
    """Another thread has failed, or the player interrupted the operation."""


class Closeable(Protocol):
    """Something another thread can abort."""

    def abort(self) -> None: ...


class WorkerPool:
    """A fixed number of threads. When one fails, or the player interrupts, all stop soon."""

    def __init__(self, size: int, *, check: Callable[[], None]) -> None:
        """``check`` is called several times a second by the thread that waits for the jobs, and may raise an error."""
        self.size = size
        self._check_interrupted = check
        self.stopped = threading.Event()
        self._open: set[Closeable] = set()

    def run(self, jobs: Sequence[Callable[[], None]]) -> None:
        """Run the jobs, and raise the first error."""
        with ThreadPoolExecutor(self.size, thread_name_prefix="playdock") as threads:
            waiting = {threads.submit(job) for job in jobs}
            try:
                while waiting:
                    # Without a timeout some systems do not deliver interrupts.
                    done, waiting = wait(waiting, timeout=_INTERRUPT_CHECK_SECONDS, return_when=FIRST_EXCEPTION)
                    for each in done:
                        each.result()
                    self._check_interrupted()
            except BaseException:
                self._stop()
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    @contextmanager
    def abortable(self, body: Closeable) -> Iterator[None]:
        """Abort a body when the pool stops."""
        self._open.add(body)
        try:
            self.check()
            yield
        finally:
            self._open.discard(body)

    def check(self) -> None:
        """Raise PoolClosed if the pool has stopped."""
        if self.stopped.is_set():
            raise PoolClosed("Interrupted. Run the same command again to resume.")

    def _stop(self) -> None:
        self.stopped.set()
        for body in tuple(self._open):
            body.abort()
