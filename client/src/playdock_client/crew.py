"""Threads that do the jobs of one installation together."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Protocol

from playdock_client.errors import ClientError

_LOOK_UP = 0.3


class Stopped(ClientError):
    """Another thread has failed, or the player wants no more."""


class Shuttable(Protocol):
    """What can be ended from another thread."""

    def shut(self) -> None: ...


class Crew:
    """So many threads. When one fails, or the player interrupts, all end soon."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stopped = threading.Event()
        self._open: set[Shuttable] = set()

    def run(self, jobs: Sequence[Callable[[], None]]) -> None:
        """Do the jobs and raise the first error."""
        with ThreadPoolExecutor(self.size, thread_name_prefix="playdock") as threads:
            waiting = {threads.submit(job) for job in jobs}
            try:
                while waiting:
                    # With a limit, for without one some systems let no interrupt through.
                    done, waiting = wait(waiting, timeout=_LOOK_UP, return_when=FIRST_EXCEPTION)
                    for each in done:
                        each.result()
            except BaseException:
                self._stop()
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    @contextmanager
    def watching(self, body: Shuttable) -> Iterator[None]:
        """Have a body cut off when all must end."""
        self._open.add(body)
        try:
            self.check()
            yield
        finally:
            self._open.discard(body)

    def check(self) -> None:
        """Raise Stopped if all must end."""
        if self.stopped.is_set():
            raise Stopped("This was interrupted. Run it again to go on.")

    def _stop(self) -> None:
        self.stopped.set()
        for body in tuple(self._open):
            body.shut()
