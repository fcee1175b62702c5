"""How fast to go: the player's limit, and whether compression pays on this line."""

import threading
import time

_FAST = 32 * 1024 * 1024
_ASK_AGAIN = 16
_WEIGHT = 0.5
_SHORTEST = 0.01


class Limiter:
    """Lets so many bytes a second through, of all threads together; None lets everything through."""

    def __init__(self, rate: int | None, *, stopped: threading.Event) -> None:
        self._rate = rate
        self._stopped = stopped
        self._lock = threading.Lock()
        self._free = time.monotonic()

    def take(self, size: int) -> None:
        """Wait until so many bytes more may have come."""
        if self._rate is None:
            return
        with self._lock:
            now = time.monotonic()
            self._free = max(self._free, now) + size / self._rate
            wait = self._free - now
        if wait > _SHORTEST:
            self._stopped.wait(wait)


class Line:
    """Learns from each piece how many plain bytes a second come, compressed or not, and chooses what was faster.

    A fast line is not asked to be compressed, for that costs the server more than it spares us. What is slower is tried
    again now and then, because lines change.
    """

    def __init__(self, compress: bool | None) -> None:  # noqa: FBT001 - the player's own word, or none
        self._forced = compress
        self._speeds: dict[bool, float] = {}
        self._chosen = 0
        self._lock = threading.Lock()

    def choose(self) -> bool:
        """Tell whether the next piece should come compressed."""
        if self._forced is not None:
            return self._forced
        with self._lock:
            self._chosen += 1
            plain, packed = self._speeds.get(False), self._speeds.get(True)
            if plain is None or plain > _FAST:
                return False
            if packed is None:
                return True
            better = packed > plain
            return not better if self._chosen % _ASK_AGAIN == 0 else better

    def learn(self, *, packed: bool, size: int, seconds: float) -> None:
        """Take note of a piece of `size` plain bytes."""
        speed = size / max(seconds, 1e-6)
        with self._lock:
            before = self._speeds.get(packed, speed)
            self._speeds[packed] = before + _WEIGHT * (speed - before)

    def distrust(self) -> None:
        """Never ask for compression again: the server cannot do it."""
        self._forced = False
