"""The player's rate limit, and the decision whether to request compression."""

import threading
import time

# A connection this fast gains little from compression, which takes processor time on the server.
_FAST_BYTES_PER_SECOND = 32 * 1024 * 1024
# The slower way is tried for one piece in 16, so it costs little.
_RETRY_EVERY = 16
# The weight of the newest speed in the moving average.
_WEIGHT = 0.5
# Shorter waits are less than what timers resolve; they add up in `_free` instead.
_MIN_SLEEP_SECONDS = 0.01


class RateLimiter:
    """Limits the bytes per second of all threads together; None means no limit."""

    def __init__(self, rate: int | None, *, stopped: threading.Event) -> None:
        self._rate = rate
        self._stopped = stopped
        self._lock = threading.Lock()
        self._free = time.monotonic()

    def take(self, size: int) -> None:
        """Wait until `size` more bytes are allowed."""
        if self._rate is None:
            return
        with self._lock:
            now = time.monotonic()
            self._free = max(self._free, now) + size / self._rate
            wait = self._free - now
        if wait > _MIN_SLEEP_SECONDS:
            self._stopped.wait(wait)


class CompressionPolicy:
    """Measures the speed of pieces with and without compression, and chooses the faster way.

    On a fast connection compression is not used, because it costs the server more than it saves. The slower way is
    tried again from time to time, because connections change.
    """

    def __init__(self, compress: bool | None) -> None:  # noqa: FBT001 - the player's choice, or None
        self._forced = compress
        self._speeds: dict[bool, float] = {}
        self._choices = 0
        self._lock = threading.Lock()

    def choose(self) -> bool:
        """Return whether to request the next piece compressed."""
        if self._forced is not None:
            return self._forced
        with self._lock:
            self._choices += 1
            uncompressed, compressed = self._speeds.get(False), self._speeds.get(True)
            if uncompressed is None or uncompressed > _FAST_BYTES_PER_SECOND:
                return False
            if compressed is None:
                return True
            prefer = compressed > uncompressed
            return not prefer if self._choices % _RETRY_EVERY == 0 else prefer

    def record(self, *, compressed: bool, size: int, seconds: float) -> None:
        """Record the time taken for a piece of `size` uncompressed bytes."""
        speed = size / max(seconds, 1e-6)
        with self._lock:
            before = self._speeds.get(compressed, speed)
            self._speeds[compressed] = before + _WEIGHT * (speed - before)

    def disable(self) -> None:
        """Do not request compression again, because the server does not support it."""
        self._forced = False
