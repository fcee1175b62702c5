"""Links that open a window of the app once."""

import threading
import time
from collections.abc import Callable
from secrets import token_urlsafe

# A window opens within seconds; a link that a user copies to another browser may take minutes.
LIFETIME_SECONDS = 600.0
_MAX_LINKS = 20


class OneTimeLinks:
    """The keys of links that have not been used. Each is valid once, for ten minutes."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._expiries: dict[str, float] = {}

    def create(self) -> str:
        """Return the key of a new link. The oldest unused link becomes invalid if there are too many."""
        key = token_urlsafe(32)
        with self._lock:
            while len(self._expiries) >= _MAX_LINKS:
                del self._expiries[next(iter(self._expiries))]
            self._expiries[key] = self._monotonic() + LIFETIME_SECONDS
        return key

    def is_unused(self, key: str) -> bool:
        """Return whether a key is valid."""
        with self._lock:
            return self._monotonic() < self._expiries.get(key, 0.0)

    def redeem(self, key: str) -> bool:
        """Return whether a key is valid, and make it invalid."""
        with self._lock:
            expiry = self._expiries.pop(key, None)
        return expiry is not None and self._monotonic() < expiry
