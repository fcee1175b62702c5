"""Counts progress for display."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playdock_client.progress import Notice, Phase

# Long enough to even out single chunks, short enough to show changes of the connection.
_WINDOW_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ProgressReading:
    """The progress of a phase: bytes of `total` (0: unknown), bytes received, bytes per second, seconds left.

    While files are downloaded, `speed` is that of the received bytes, which `--limit-rate` limits.
    `path` is the current file.
    """

    phase: Phase
    total: int
    done: int
    fetched: int
    path: str
    speed: float
    left: float | None


class SpeedMeter:
    """The average speed of the last ten seconds. Times are those of a monotonic clock."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def speed(self, at: float, done: int) -> float:
        """Add a sample and return the speed, or 0 if it is not known yet."""
        self._samples.append((at, done))
        while len(self._samples) > 2 and self._samples[1][0] <= at - _WINDOW_SECONDS:  # noqa: PLR2004 - a span needs two samples
            self._samples.popleft()
        started, first_bytes = self._samples[0]
        return (done - first_bytes) / (at - started) if at > started else 0.0


class ProgressMeter:
    """A `Progress` that only counts, so that its methods are fast."""

    def __init__(self, on_notice: Callable[[Notice], None]) -> None:
        self._show_notice = on_notice
        self._lock = threading.Lock()
        self._phase = Phase.PREPARE
        self._total = self._done = self._fetched = 0
        self._path = ""
        self._speed = self._received = SpeedMeter()

    def begin(self, phase: Phase, *, total: int) -> None:
        with self._lock:
            self._phase, self._total, self._done, self._path = phase, total, 0, ""
            self._speed, self._received = SpeedMeter(), SpeedMeter()

    def advance(self, done: int, *, fetched: int = 0) -> None:
        with self._lock:
            self._done += done
            self._fetched += fetched

    def at(self, path: str) -> None:
        self._path = path

    def notice(self, notice: Notice) -> None:
        self._show_notice(notice)

    def check(self) -> None:
        """Let the operation go on: the player interrupts a command with Ctrl-C."""

    def read(self) -> ProgressReading:
        with self._lock:
            now = time.monotonic()
            speed = self._speed.speed(now, self._done)
            left = (self._total - self._done) / speed if speed and self._total else None
            if self._phase is Phase.FETCH:
                speed = self._received.speed(now, self._fetched)
            return ProgressReading(self._phase, self._total, self._done, self._fetched, self._path, speed, left)


@contextmanager
def ticking(show: Callable[[], None], *, every: float) -> Iterator[None]:
    """Call a function every `every` seconds in a separate thread."""
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
