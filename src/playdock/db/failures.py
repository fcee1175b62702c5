"""Classification of database errors: unavailable, busy, full, conflict between transactions, or programming errors.

PostgreSQL's errors are classified by SQLSTATE (appendix A of its manual), SQLite's by result code.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from playdock.db.errors import DatabaseBusy, DatabaseUnusable, TransactionConflict
from playdock.kit.errors import Unavailable
from playdock.kit.storage_failures import DISK_FULL, READ_ONLY, StorageUnusable


class DatabaseFault(Enum):
    """A failure that is not caused by the statement itself, so that a retry may succeed."""

    UNAVAILABLE = "the database cannot be reached, or cannot read or write its files"
    BUSY = "a lock or a connection was not available in time"
    CONFLICT = "the transaction was rolled back in favor of a concurrent one"
    FULL = "the database's disk is full"
    READ_ONLY = "the database's files cannot be written"


# The longest matching prefix applies. The first two characters of a SQLSTATE are its class.
_BY_SQLSTATE: Mapping[str, DatabaseFault] = {
    "08": DatabaseFault.UNAVAILABLE,  # connection exception
    "25P03": DatabaseFault.UNAVAILABLE,  # the transaction did nothing for too long, so the server ended the session
    "25006": DatabaseFault.UNAVAILABLE,  # read-only transaction: this is a standby server
    "28": DatabaseFault.UNAVAILABLE,  # invalid user name or password
    "3D000": DatabaseFault.UNAVAILABLE,  # the database does not exist
    "40001": DatabaseFault.CONFLICT,  # serialization failure
    "40P01": DatabaseFault.CONFLICT,  # deadlock detected
    "53": DatabaseFault.UNAVAILABLE,  # out of memory, too many connections
    "53100": DatabaseFault.FULL,
    "55P03": DatabaseFault.BUSY,  # lock not available (lock_timeout)
    "57014": DatabaseFault.BUSY,  # canceled (statement_timeout)
    "57P": DatabaseFault.UNAVAILABLE,  # the server is shutting down, has crashed, or is starting
    "58": DatabaseFault.UNAVAILABLE,  # I/O error of the server, or a missing file
}
# Extended result codes apply before primary ones, which are their lowest byte.
_BY_SQLITE_CODE: Mapping[int, DatabaseFault] = {
    sqlite3.SQLITE_BUSY: DatabaseFault.BUSY,
    sqlite3.SQLITE_BUSY_SNAPSHOT: DatabaseFault.CONFLICT,
    sqlite3.SQLITE_LOCKED: DatabaseFault.BUSY,
    sqlite3.SQLITE_PROTOCOL: DatabaseFault.BUSY,
    sqlite3.SQLITE_FULL: DatabaseFault.FULL,
    sqlite3.SQLITE_CANTOPEN: DatabaseFault.UNAVAILABLE,
    sqlite3.SQLITE_CORRUPT: DatabaseFault.UNAVAILABLE,
    sqlite3.SQLITE_IOERR: DatabaseFault.UNAVAILABLE,
    sqlite3.SQLITE_NOMEM: DatabaseFault.UNAVAILABLE,
    sqlite3.SQLITE_NOTADB: DatabaseFault.UNAVAILABLE,
    sqlite3.SQLITE_PERM: DatabaseFault.UNAVAILABLE,
    sqlite3.SQLITE_READONLY: DatabaseFault.READ_ONLY,
    sqlite3.SQLITE_READONLY_DBMOVED: DatabaseFault.UNAVAILABLE,
}
_PRIMARY_CODE = 0xFF
# What PostgreSQL says about an unknown user, password or database, and about an address that it does not admit.
_REFUSALS = ("authentication failed", "does not exist", "pg_hba.conf", "no password supplied")
_UNAVAILABLE = "The database is not reachable, or its files cannot be read or written. Try again in a moment."


def fault_of(error: Exception) -> DatabaseFault | None:
    """Return the kind of a failure, None if it is not a database error or is caused by the statement."""
    if isinstance(error, PoolExhausted):
        return DatabaseFault.BUSY
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return _BY_SQLITE_CODE.get(code) or _BY_SQLITE_CODE.get(code & _PRIMARY_CODE)
    return _fault_of_postgresql(error) if isinstance(error, DBAPIError) else None


def unavailability(error: Exception) -> Unavailable | None:
    """Return the error to report for a failure of the database, None if it is not a `DatabaseFault`."""
    match fault_of(error):
        case DatabaseFault.UNAVAILABLE:
            return DatabaseUnusable(_UNAVAILABLE)
        case DatabaseFault.BUSY:
            return DatabaseBusy()
        case DatabaseFault.CONFLICT:
            return TransactionConflict()
        case DatabaseFault.FULL:
            return StorageUnusable(DISK_FULL)
        case DatabaseFault.READ_ONLY:
            return StorageUnusable(READ_ONLY)
        case None:
            return None


def is_permanent(error: Exception) -> bool:
    """Return whether a server refused a connection for a reason that waiting does not change.

    The driver has no code for that, only the server's message. One in another language is not recognized.
    """
    return any(words in str(error) for words in _REFUSALS)


@contextmanager
def on_rollback(undo: Callable[[], object]) -> Iterator[None]:
    """Call a function if an error shows that the transaction inside was rolled back.

    If the database becomes unavailable during the commit, nobody knows whether it was made. Then what the transaction
    refers to is kept: the daily cleanup deletes it if it is not referenced.
    """
    try:
        yield
    except BaseException as error:
        if not (isinstance(error, Exception) and fault_of(error) is DatabaseFault.UNAVAILABLE):
            undo()
        raise


def reason_of(error: Exception) -> str:
    """Return the first line of the driver's message."""
    return str(error.__cause__ or error).splitlines()[0].rstrip(".")


def _fault_of_postgresql(error: DBAPIError) -> DatabaseFault | None:
    state: str | None = getattr(error.orig, "sqlstate", None)
    if state is None:
        # Without a SQLSTATE the server has not responded: libpq could not connect, or lost the connection.
        disconnected = isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated
        return DatabaseFault.UNAVAILABLE if disconnected else None
    matches = (_BY_SQLSTATE[state[:length]] for length in range(len(state), 1, -1) if state[:length] in _BY_SQLSTATE)
    return next(matches, None)
