"""Connections and transactions.

On PostgreSQL, a process that hangs while a transaction is open must not keep its locks: the server ends a transaction
that does nothing for ten seconds, and statements that wait for a lock or run for too long fail.

SQLite needs WAL, a busy timeout, foreign keys enabled per connection, and ``synchronous=FULL`` because an acknowledged
sign-up must survive a power failure. Transactions that write begin with ``BEGIN IMMEDIATE``, because one that changes
from reading to writing may fail immediately instead of waiting for the lock.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from playdock.db.accompanying import pending
from playdock.db.errors import DatabaseBusy, NestedTransaction, TransactionConflict
from playdock.db.failures import DatabaseFault, fault_of
from playdock.db.json_columns import decode_json
from playdock.db.notifying import Channel, LocalNotifications, Notifications
from playdock.db.reconnecting import try_one_at_a_time
from playdock.db.retrying import note_commit
from playdock.db.revisions import Revisions, SqliteRevisions

# Longer than the longest transactions, which are those of imports.
_LOCK_TIMEOUT_SECONDS = 30
_WAL_RETRY_SECONDS = 0.05
# Time limits that PostgreSQL applies to each session, in seconds. The pauses between the statements of a transaction
# are short, since slow steps run without one; nobody waits for a statement that runs for five minutes.
SESSION_LIMITS = {
    "idle_in_transaction_session_timeout": 10,
    "lock_timeout": _LOCK_TIMEOUT_SECONDS,
    "statement_timeout": 300,
}
# A server that does not respond, for example because its machine is gone, is noticed after half a minute: the system
# sends probes on an idle connection, and waits this many milliseconds for the acknowledgement of sent data.
TCP_OPTIONS = {
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
# Notes are left out rather than delay the read noticeably.
_NOTE_WAIT_SECONDS = 0.2
# Connections that are kept open; PostgreSQL uses at most twice as many per process.
_POOL_SIZE = 8
# SQLite allows one connection for each of the 40 threads of handlers that only read, and for those that write.
_POOL_OVERFLOW = 40
_SNAPSHOT = "REPEATABLE READ"
# The busy timeout of a connection in milliseconds, if it was changed.
_BUSY_TIMEOUT = "busy_timeout"


class Database:
    """The database of this process. Connections are opened when they are first used."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.embedded = self.url.get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.embedded else _postgresql_engine(url)
        # All statements of a reading transaction see the same state of the database. SQLite always does this.
        self._reading = self.engine if self.embedded else self.engine.execution_options(isolation_level=_SNAPSHOT)
        self._write_lock = threading.Lock() if self.embedded else None
        self._thread = threading.local()
        self._local_notifications = LocalNotifications()
        self._closed = False
        event.listen(self.engine, "checkin", self._close_late_connection)
        self.revisions = self._revisions()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a read-only transaction with a consistent snapshot. Loaded objects remain usable after it ends.

        Raises:
            NestedTransaction: this thread already has a transaction open.
        """
        with self._single_transaction(), Session(self._reading, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self, *, max_wait: float = _LOCK_TIMEOUT_SECONDS) -> Iterator[Session]:
        """Open a writing transaction. It is committed at the end and rolled back by an exception.

        ``max_wait`` is how many seconds a writer waits for a lock. With SQLite, the writers of this process first queue
        for a lock in memory, since SQLite's own lock is not fair; the limit is for both.

        Raises:
            NestedTransaction: this thread already has a transaction open.
            TransactionConflict: the database rolled it back in favor of a concurrent one.
            DatabaseBusy: another transaction did not end in time.
        """
        with (
            self._single_transaction(),
            self._writing_engine(max_wait) as writing,
            Session(writing, expire_on_commit=False) as session,
            _translating_faults(),
        ):
            yield session
            accompaniments = pending()
            for each in accompaniments:
                each.write(session)
            session.commit()
        for each in accompaniments:
            each.written = True
        note_commit()
        self._local_notifications.pass_on(session)

    def note(self, add: Callable[[Session], object]) -> None:
        """Record something that a read notes, such as the last use of a session, in a writing transaction.

        If the database is busy or cannot be written, the note is left out: a caller that only reads must not notice.

        Raises:
            NestedTransaction: this thread already has a transaction open.
        """
        try:
            with self.write(max_wait=_NOTE_WAIT_SECONDS) as session:
                add(session)
        except (DatabaseBusy, TransactionConflict):
            return
        except SQLAlchemyError as error:
            if fault_of(error) is None:
                raise

    def close(self) -> None:
        """Close the connections; those of open transactions are closed when these end."""
        self._closed = True
        self.revisions.close()
        self.engine.dispose()

    def _close_late_connection(self, _connection: Any, entry: ConnectionPoolEntry) -> None:
        if self._closed:
            entry.invalidate()

    @contextmanager
    def _writing_engine(self, max_wait: float) -> Iterator[Engine]:
        """Yield the engine for a writing transaction, with SQLite after waiting for the other writers."""
        if self._write_lock is None:
            yield self.engine.execution_options(writes=True, max_wait=max_wait)
            return
        start = monotonic()
        if not self._write_lock.acquire(timeout=max_wait):
            raise DatabaseBusy
        try:
            yield self.engine.execution_options(writes=True, max_wait=max_wait - (monotonic() - start))
        finally:
            self._write_lock.release()

    @contextmanager
    def _single_transaction(self) -> Iterator[None]:
        """Ensure that this thread has at most one open transaction.

        A second one would wait for the first forever (SQLite), or need a second connection while all connections may be
        used by threads that also wait for a second one (PostgreSQL).
        """
        if getattr(self._thread, "busy", False):
            raise NestedTransaction
        self._thread.busy = True
        try:
            yield
        finally:
            self._thread.busy = False

    def listen(self, channel: Channel, on_notification: Callable[[], object]) -> Notifications:
        """Return what calls a function after notifications, once it is started."""
        if self.embedded:
            return self._local_notifications.listener(channel, on_notification)
        from playdock.db.listening import Listener

        return Listener(self._driver_options(), channel, on_notification)

    def _revisions(self) -> Revisions:
        if self.embedded:
            return SqliteRevisions(self.url.database or ":memory:")
        from playdock.db.postgresql_revisions import PostgresqlRevisions

        return PostgresqlRevisions(self._driver_options())

    def _driver_options(self) -> dict[str, Any]:
        _, options = self.engine.dialect.create_connect_args(self.url)
        return {**TCP_OPTIONS, **options}


@contextmanager
def _translating_faults() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        match fault_of(error):
            case DatabaseFault.CONFLICT:
                raise TransactionConflict from error
            case DatabaseFault.BUSY:
                raise DatabaseBusy from error
        raise


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": _LOCK_TIMEOUT_SECONDS, "check_same_thread": False},
        pool_size=_POOL_SIZE,
        max_overflow=_POOL_OVERFLOW,
        json_deserializer=decode_json,
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _postgresql_engine(url: str) -> Engine:
    # The options of the URL are passed in the same way, and take precedence.
    options = {name: value for name, value in TCP_OPTIONS.items() if name not in make_url(url).query}
    # Whatever the URL says, and although a database may have no encoding: its text would be bytes here.
    options["client_encoding"] = "utf8"
    engine = create_engine(
        url,
        connect_args=options,
        pool_size=_POOL_SIZE,
        max_overflow=_POOL_SIZE,
        pool_pre_ping=True,
        json_deserializer=decode_json,
    )
    try_one_at_a_time(engine)
    event.listen(engine, "connect", _prepare_postgresql)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def _prepare_postgresql(connection: Any, _entry: ConnectionPoolEntry) -> None:
    """Set the time limits of a session; as options of the connection, a connection pooler may refuse them."""
    limits = ", ".join(
        f"set_config('{name}', '{seconds * 1000:.0f}', false)" for name, seconds in SESSION_LIMITS.items()
    )
    connection.autocommit = True
    connection.execute(f"SELECT {limits}")
    connection.autocommit = False


def _begin_postgresql(connection: Connection) -> None:
    max_wait = connection.get_execution_options().get("max_wait", _LOCK_TIMEOUT_SECONDS)
    if max_wait < _LOCK_TIMEOUT_SECONDS:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {ceil(max_wait * 1000)}")


def _prepare_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    _use_wal(connection)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA cache_size=-4096")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Change the journal of a new database. If two processes do so at once, SQLite rejects one without waiting."""
    give_up = monotonic() + _LOCK_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > give_up:
                raise
            sleep(_WAL_RETRY_SECONDS)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    _set_busy_timeout(connection, options.get("max_wait", _LOCK_TIMEOUT_SECONDS))
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes", False) else "BEGIN")


def _set_busy_timeout(connection: Connection, seconds: float) -> None:
    """Set how long a statement waits for a lock, rounded up to tenths of a second, so that it seldom changes."""
    timeout = ceil(max(seconds, 0) * 10) * 100
    if connection.info.get(_BUSY_TIMEOUT, _LOCK_TIMEOUT_SECONDS * 1000) != timeout:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={timeout}")
        connection.info[_BUSY_TIMEOUT] = timeout


def prepare_folder(database: Database) -> None:
    """Create the folder of an embedded database, accessible only to the service's user."""
    if database.embedded and database.url.database:
        Path(database.url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
