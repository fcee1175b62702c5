"""Connections and transactions.

SQLite wants WAL, a busy timeout, foreign keys switched on per connection, ``synchronous=FULL`` because an acknowledged
sign-up must survive a power cut, and ``BEGIN IMMEDIATE`` for whatever will write: a transaction that turns from
reading to writing fails at once instead of waiting.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

_LOCK_TIMEOUT = 30
_POOL_SIZE = 8
_POOL_OVERFLOW = 40
_ONE_STATE = "REPEATABLE READ"


class Database:
    """One database of this process, opened at the first use."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.embedded = self.url.get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.embedded else _postgresql_engine(url)
        # What is read in several statements must not be torn by a commit between them; SQLite sees to that by itself.
        self._looking = self.engine if self.embedded else self.engine.execution_options(isolation_level=_ONE_STATE)
        self._turn: AbstractContextManager[Any] = threading.Lock() if self.embedded else nullcontext()
        self._watcher: sqlite3.Connection | None = None

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a transaction that only looks, at one state of the database; what it returns can be used after it."""
        with Session(self._looking, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a transaction that changes something: committed at the end, undone by an exception.

        The writers of this process take turns, so that they queue fairly instead of racing for SQLite's lock.
        """
        with self._turn, Session(self.engine.execution_options(writes=True), expire_on_commit=False) as session:
            yield session
            session.commit()

    def revision(self) -> int | None:
        """Give a number that changes with every commit by anybody, or None where the database has none.

        SQLite's ``data_version`` costs some microseconds and waits for nobody, so it may be asked on the event loop.
        Call from one thread only.
        """
        if not self.embedded:
            return None
        if self._watcher is None:
            self._watcher = sqlite3.connect(self._file, check_same_thread=False, isolation_level=None)
        row: tuple[int] = self._watcher.execute("PRAGMA data_version").fetchone()
        return row[0]

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None
        self.engine.dispose()

    @property
    def _file(self) -> str:
        return self.url.database or ":memory:"


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": _LOCK_TIMEOUT, "check_same_thread": False},
        pool_size=_POOL_SIZE,
        max_overflow=_POOL_OVERFLOW,
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _postgresql_engine(url: str) -> Engine:
    return create_engine(url, pool_size=_POOL_SIZE, max_overflow=_POOL_SIZE, pool_pre_ping=True)


def _prepare_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA cache_size=-4096")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def prepare_folder(database: Database) -> None:
    """Make the folder of an embedded database, closed to others as its content is nobody else's business."""
    if database.embedded and database.url.database:
        Path(database.url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
