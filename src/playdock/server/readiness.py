"""Whether this process should receive requests now."""

import structlog
from msgspec import Struct

_log = structlog.get_logger()
# Until the first check has ended.
_STARTING = ("start",)


class Readiness(Struct):
    """The parts that keep this process from serving requests. It is ready when there are none.

    They are checked in the background (`web/health.py`). `start_draining` may be called in any thread and in the
    handler of a signal: from then on the process is not ready, while it still completes what it has begun.
    """

    is_draining: bool = False
    unavailable: tuple[str, ...] = _STARTING

    def record(self, unavailable: tuple[str, ...]) -> None:
        """Set the parts that cannot be used now, and log it if they have changed."""
        if unavailable != self.unavailable:
            if unavailable:
                _log.error("not ready", failed=list(unavailable))
            elif self.unavailable != _STARTING:
                _log.info("ready again")
        self.unavailable = unavailable

    def start_draining(self) -> None:
        self.is_draining = True

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the parts, which contain no details and no secrets."""
        return (*self.unavailable, "draining") if self.is_draining else self.unavailable
