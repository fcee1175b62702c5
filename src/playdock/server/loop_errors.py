"""Errors that the event loop reports, in the log like all others."""

import asyncio
import errno
from typing import Any

import structlog

from playdock.kit.throttled_log import ThrottledLog

_log = structlog.get_logger()

# The event loop waits a second after such an error, but reports it for each connection that it could have accepted.
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_LOG_SECONDS = 60.0


class LoopErrorHandler:
    """Logs errors of the event loop, and at most once a minute that no connection can be accepted."""

    def __init__(self) -> None:
        self._exhausted = ThrottledLog("connections cannot be accepted", _LOG_SECONDS)

    def __call__(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED and "socket" in context:
            self._exhausted.warn(reason=error.strerror)
        else:
            _log.error("error in the event loop", message=context["message"], exc_info=error)
