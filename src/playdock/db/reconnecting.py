"""Connecting to a server that may be away.

A connection to a machine that does not respond takes ten seconds to fail. Once one has failed, one thread at a time
tries again, and the others wait for it a second at most before they get the same error: requests are not held up, and
the threads remain free.
"""

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

from sqlalchemy import Dialect, Engine, event
from sqlalchemy.pool import ConnectionPoolEntry

# Longer than a server that is back takes to accept a connection.
_MAX_WAIT_SECONDS = 1.0


def try_one_at_a_time(engine: Engine) -> None:
    """Let an engine connect like that."""
    event.listen(engine, "do_connect", _Connecting())


class _Connecting:
    def __init__(self) -> None:
        self._trying = Lock()
        # Makes the error of the last connection, if that has failed.
        self._error: Callable[[], Exception] | None = None

    def __call__(self, dialect: Dialect, _entry: ConnectionPoolEntry, args: Any, options: Any) -> Any:
        error = self._error
        if error is None:
            return self._connect(dialect, args, options)
        if not self._trying.acquire(timeout=_MAX_WAIT_SECONDS):
            raise error()
        try:
            if self._error is not None:
                return self._connect(dialect, args, options)
        finally:
            self._trying.release()
        return self._connect(dialect, args, options)

    def _connect(self, dialect: Dialect, args: Any, options: Any) -> Any:
        try:
            connection = dialect.connect(*args, **options)
        except dialect.loaded_dbapi.OperationalError as error:
            self._error = partial(type(error), *error.args)
            raise
        self._error = None
        return connection
