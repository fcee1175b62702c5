"""Cache revisions: numbers that show whether cached values are current, whichever process has changed the database.

Each number belongs to a subject. Triggers change it together with the rows from which the subject's caches are read
(`CacheRevision`). Other commits, such as those of a task's progress, do not change it.
"""

import sqlite3
from enum import StrEnum
from typing import NamedTuple, Protocol

READ = "SELECT credentials, content, settings FROM cache_revisions"


class Subject(StrEnum):
    """The subjects of caches. The values are columns of `CacheRevision`."""

    CREDENTIALS = "credentials"
    CONTENT = "content"
    SETTINGS = "settings"


class Numbers(NamedTuple):
    """The current number of each subject."""

    credentials: int
    content: int
    settings: int = 0

    def of(self, subject: Subject) -> int:
        number: int = getattr(self, subject.value)
        return number


class Revisions(Protocol):
    """Reads the current numbers. All methods are called only in the thread of the event loop."""

    def known(self) -> Numbers | None:
        """Return the current numbers if they can be read without waiting for I/O, else None."""

    async def latest(self) -> Numbers | None:
        """Return numbers that were read after this call began, None if the database is unavailable."""

    def close(self) -> None:
        """Close the connection."""


class SqliteRevisions:
    """Reads the row only if ``data_version`` of SQLite, which takes microseconds to read, shows that it may differ."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._version = -1
        self._numbers: Numbers | None = None

    def known(self) -> Numbers | None:
        if self._connection is None:
            self._connection = sqlite3.connect(self._file, check_same_thread=False, isolation_level=None)
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            [row] = self._connection.execute(READ).fetchall()  # all, so that no transaction stays open
            self._numbers = Numbers(*row)
            self._version = version
        return self._numbers

    async def latest(self) -> Numbers | None:
        return self.known()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._version, self._numbers = None, -1, None
