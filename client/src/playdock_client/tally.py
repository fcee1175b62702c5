"""Counting what the engine tells, for whoever shows it."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playdock_client.progress import Notice, Phase

_WINDOW = 10.0


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a phase is: bytes of `total` (0: unknown), bytes over the network so far, bytes a second, seconds left.

    `path` is the file that is being worked on.
    """

    phase: Phase
    total: int
    done: int
    fetched: int
    path: str
    speed: float
    left: float | None


class Pace:
    """How fast something goes: the mean of the last ten seconds. Moments are of a clock that never jumps."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def speed(self, at: float, done: int) -> float:
        """Add a sample and give the speed, 0 as long as there is none."""
        self._samples.append((at, done))
        while len(self._samples) > 2 and self._samples[1][0] <= at - _WINDOW:  # noqa: PLR2004 - a span has two ends
            self._samples.popleft()
        begun, before = self._samples[0]
        return (done - before) / (at - begun) if at > begun else 0.0


class Tally:
    """A `Progress` that only counts, so that threads can tell it much."""

    def __init__(self, noticed: Callable[[Notice], None]) -> None:
        self._noticed = noticed
        self._lock = threading.Lock()
        self._phase = Phase.PREPARE
        self._total = self._done = self._fetched = 0
        self._path = ""
        self._pace = Pace()

    def begin(self, phase: Phase, *, total: int) -> None:
        with self._lock:
            self._phase, self._total, self._done, self._path, self._pace = phase, total, 0, "", Pace()

    def advance(self, done: int, *, fetched: int = 0) -> None:
        with self._lock:
            self._done += done
            self._fetched += fetched

    def at(self, path: str) -> None:
        self._path = path

    def notice(self, notice: Notice) -> None:
        self._noticed(notice)

    def read(self) -> Reading:
        with self._lock:
            speed = self._pace.speed(time.monotonic(), self._done)
            left = (self._total - self._done) / speed if speed and self._total else None
            return Reading(self._phase, self._total, self._done, self._fetched, self._path, speed, left)


@contextmanager
def ticking(show: Callable[[], None], *, every: float) -> Iterator[None]:
    """Show something every so many seconds, from a thread of its own."""
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(every):
            show()

    thread = threading.Thread(target=tick, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
