"""The threads of handlers that change the database.

With SQLite all writers wait for one lock, which another process may hold. In threads of their own they do not take
those of handlers that only read.
"""

from playdock.db.errors import DatabaseBusy
from playdock.kit.limited_threads import LimitedThreads

# Most of them wait for the lock; PostgreSQL gives a process at most 16 connections.
_THREADS = 16


class WriteThreads(LimitedThreads):
    """Runs calls that write, or raises `DatabaseBusy`."""

    def __init__(self) -> None:
        super().__init__(_THREADS, refusal=DatabaseBusy)
