"""Faults of the database: those that are about its being away, full or busy rather than about what it was asked."""

import sqlite3

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted


def is_away(error: Exception) -> bool:
    """Tell whether the database could not be reached or used just now, so that the same may succeed later."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.OperationalError):
        # SQLite says with the same class that a table is missing; only its code tells the two apart.
        return getattr(cause, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
    if isinstance(error, OperationalError | InterfaceError | PoolExhausted):
        return True
    return isinstance(error, DBAPIError) and error.connection_invalidated


def reason_of(error: Exception) -> str:
    """Give the first line of what the database's driver says."""
    return str(error.__cause__ or error).splitlines()[0].rstrip(".")
