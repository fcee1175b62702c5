"""Connecting to a server that may be away.

A connection to a machine that does not respond takes ten seconds to fail. While the last one has failed, one thread at
a time tries again, and the others get its error at once: their callers are told that the database is away, instead of
waiting, too, and the threads remain free.
"""

from threading import Lock
from typing import Any

from sqlalchemy import Dialect, Engine, event
from sqlalchemy.pool import ConnectionPoolEntry


def try_one_at_a_time(engine: Engine) -> None:
    """Let an engine connect like that."""
    event.listen(engine, "do_connect", _Connecting())


class _Connecting:
    def __init__(self) -> None:
        self._trying = Lock()
        self._error: Exception | None = None

    def __call__(self, dialect: Dialect, _entry: ConnectionPoolEntry, args: Any, options: Any) -> Any:
        error = self._error
        if error is None:
            return self._connect(dialect, args, options)
        if not self._trying.acquire(blocking=False):
            # Another one, because each thread adds to the traceback of what it raises.
            raise type(error)(*error.args)
        try:
            return self._connect(dialect, args, options)
        finally:
            self._trying.release()

    def _connect(self, dialect: Dialect, args: Any, options: Any) -> Any:
        try:
            connection = dialect.connect(*args, **options)
        except dialect.loaded_dbapi.OperationalError as error:
            self._error = error
            raise
        self._error = None
        return connection
