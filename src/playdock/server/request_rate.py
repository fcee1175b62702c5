"""The rate of ordinary requests of each user, and of each network without a credential.

It protects others from a program that sends requests without a pause, and is far above what people and the player's
client need. Pages, web sockets and downloads are not counted; downloads have their own limits.
"""

import math
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from playdock.kit.errors import TooManyAtOnce

_PREFIXES = ("/api/", "/oauth/")
_DOWNLOADS = "/api/v1/versions/"
_SAFE_METHODS = ("GET", "HEAD")
# Requests that were not sent within a minute can be sent at once, so that nobody has to spread them.
_PERIOD_SECONDS = 60.0
# About 150 bytes each. The callers that were counted least recently are forgotten first.
_MAX_CALLERS = 20_000


class TooManyRequests(TooManyAtOnce):
    """The caller has sent too many requests in a short time."""

    def __init__(self, *, retry_after: int) -> None:
        super().__init__(f"Too many requests. Wait {retry_after} seconds and send them more slowly.")
        self.retry_after = retry_after

    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


def is_counted(method: str, path: str) -> bool:
    """Return whether a request counts. What is below the path of versions is read for downloads."""
    return path.startswith(_PREFIXES) and not (path.startswith(_DOWNLOADS) and method in _SAFE_METHODS)


class RequestRate:
    """A token bucket for each caller, in the memory of one process. Call it in the event loop.

    Of each bucket only the time is stored at which it is full again (the generic cell rate algorithm).
    """

    def __init__(
        self, per_minute: int, *, clock: Callable[[], float] = monotonic, max_callers: int = _MAX_CALLERS
    ) -> None:
        """Allow ``per_minute`` requests of a caller; any number if it is 0."""
        self.change(per_minute)
        self._clock = clock
        self._max_callers = max_callers
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def change(self, per_minute: int) -> None:
        """Allow another number of requests from now on. This may be called in any thread."""
        self._interval = _PERIOD_SECONDS / per_minute if per_minute else 0.0

    def count(self, caller: str) -> None:
        """Count a request.

        Raises:
            TooManyRequests: the caller has sent too many; this one is not counted.
        """
        if not self._interval:
            return
        now = self._clock()
        full_at = max(self._full_at.get(caller, now), now) + self._interval
        if full_at - now > _PERIOD_SECONDS:
            raise TooManyRequests(retry_after=math.ceil(full_at - now - _PERIOD_SECONDS))
        self._full_at[caller] = full_at
        self._full_at.move_to_end(caller)
        if len(self._full_at) > self._max_callers:
            self._full_at.popitem(last=False)
