"""Log lines about events that anybody on the network can cause: not more than one per period."""

from time import monotonic
from typing import Any

import structlog
from msgspec import Struct

_log = structlog.get_logger()


class ThrottledLog(Struct):
    """Logs an event at most once in ``seconds``. The next line contains how many were left out."""

    event: str
    seconds: float
    _left_out: int = 0
    _next: float = 0.0

    def warn(self, **fields: Any) -> None:
        """Log the event, or count it if the last line is too recent."""
        now = monotonic()
        if now < self._next:
            self._left_out += 1
            return
        if self._left_out:
            fields["left_out"] = self._left_out
        _log.warning(self.event, **fields)
        self._left_out, self._next = 0, now + self.seconds
