"""Classification of database failures, by SQLSTATE, by SQLite's result code, and with real failures."""

import sqlite3
from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from playdock.db.database import Database
from playdock.db.errors import DatabaseBusy, DatabaseUnusable, TransactionConflict
from playdock.db.failures import DatabaseFault, fault_of, unavailability
from playdock.kit.storage_failures import StorageUnusable

from .conftest import opened

pytestmark = pytest.mark.both_databases

UNAVAILABLE, BUSY, CONFLICT, FULL, READ_ONLY = DatabaseFault
_LOST = psycopg.OperationalError("server closed the connection unexpectedly")


@pytest.mark.parametrize(
    ("sqlstate", "fault"),
    [
        ("08006", UNAVAILABLE),  # connection failure
        ("25006", UNAVAILABLE),  # read-only transaction
        ("28P01", UNAVAILABLE),  # invalid password
        ("3D000", UNAVAILABLE),  # no such database
        ("53200", UNAVAILABLE),  # out of memory
        ("53300", UNAVAILABLE),  # too many connections
        ("57P01", UNAVAILABLE),  # admin shutdown
        ("57P03", UNAVAILABLE),  # cannot connect now
        ("58030", UNAVAILABLE),  # I/O error
        ("40001", CONFLICT),  # serialization failure
        ("40P01", CONFLICT),  # deadlock detected
        ("53100", FULL),  # disk full
        ("55P03", BUSY),  # lock not available
        ("57014", BUSY),  # query canceled
        ("22001", None),  # string too long
        ("23505", None),  # unique violation
        ("25P02", None),  # the transaction has failed already
        ("40003", None),  # unknown whether the statement completed
        ("42601", None),  # syntax error
        ("42P01", None),  # undefined table
        ("XX000", None),  # internal error
    ],
)
def test_failures_are_classified_by_sqlstate(sqlstate: str, fault: DatabaseFault | None) -> None:
    cause = psycopg.errors.lookup(sqlstate)("What went wrong.")
    assert fault_of(OperationalError("SELECT 1", {}, cause)) is fault
    assert fault_of(DBAPIError("SELECT 1", {}, cause)) is fault


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (sqlite3.SQLITE_BUSY, BUSY),
        (sqlite3.SQLITE_BUSY_RECOVERY, BUSY),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, CONFLICT),
        (sqlite3.SQLITE_LOCKED, BUSY),
        (sqlite3.SQLITE_PROTOCOL, BUSY),
        (sqlite3.SQLITE_FULL, FULL),
        (sqlite3.SQLITE_CANTOPEN_ISDIR, UNAVAILABLE),
        (sqlite3.SQLITE_CORRUPT, UNAVAILABLE),
        (sqlite3.SQLITE_IOERR_FSYNC, UNAVAILABLE),
        (sqlite3.SQLITE_NOTADB, UNAVAILABLE),
        (sqlite3.SQLITE_READONLY, READ_ONLY),
        (sqlite3.SQLITE_READONLY_DIRECTORY, READ_ONLY),
        (sqlite3.SQLITE_READONLY_DBMOVED, UNAVAILABLE),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, None),
        (sqlite3.SQLITE_ERROR, None),
        (sqlite3.SQLITE_INTERRUPT, None),
        (sqlite3.SQLITE_MISMATCH, None),
        (sqlite3.SQLITE_MISUSE, None),
        (sqlite3.SQLITE_SCHEMA, None),
        (sqlite3.SQLITE_TOOBIG, None),
    ],
)
def test_failures_are_classified_by_sqlite_result_code(code: int, fault: DatabaseFault | None) -> None:
    cause = sqlite3.OperationalError("What went wrong.")
    cause.sqlite_errorcode = code
    assert (fault_of(OperationalError("SELECT 1", {}, cause)), fault_of(cause)) == (fault, fault)


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (OperationalError("SELECT 1", {}, _LOST), UNAVAILABLE),
        (InterfaceError("SELECT 1", {}, _LOST), UNAVAILABLE),
        (DBAPIError("SELECT 1", {}, _LOST, connection_invalidated=True), UNAVAILABLE),
        (PoolExhausted("QueuePool limit reached"), BUSY),
        (DBAPIError("SELECT 1", {}, _LOST), None),
        (ProgrammingError("SELECT 1", {}, _LOST), None),
        (ProgrammingError("SELECT 1", {}, sqlite3.ProgrammingError("Cannot operate on a closed database.")), None),
        (ValueError("Nothing to do with a database."), None),
    ],
    ids=["operational", "interface", "disconnected", "pool exhausted", "of no kind", "program", "sqlite", "other"],
)
def test_failures_without_a_code_are_classified_by_class(error: Exception, fault: DatabaseFault | None) -> None:
    assert fault_of(error) is fault


@pytest.mark.parametrize(
    ("sqlstate", "told", "retry_after"),
    [
        ("08006", DatabaseUnusable, None),
        ("55P03", DatabaseBusy, "1"),
        ("40P01", TransactionConflict, "1"),
        ("53100", StorageUnusable, None),
    ],
)
def test_failures_are_reported_to_callers(sqlstate: str, told: type[Exception], retry_after: str | None) -> None:
    cause = psycopg.errors.lookup(sqlstate)("secret detail")
    error = unavailability(OperationalError("SELECT 1", {}, cause))
    assert type(error) is told
    assert error is not None
    assert error.headers().get("Retry-After") == retry_after
    assert "secret" not in error.detail


def _execute(database: Database, *statements: str) -> None:
    with database.engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def _use_syntax(database: Database) -> None:
    _execute(database, "SELEKT 1")


def _break_a_constraint(database: Database) -> None:
    _execute(database, *["INSERT INTO alembic_version (version_num) VALUES ('1')"] * 2)


def _miss_a_table(database: Database) -> None:
    _execute(database, "SELECT * FROM absent")


def _wait_too_long(database: Database) -> None:
    if database.embedded:
        patience, lock = "PRAGMA busy_timeout = 1", "INSERT INTO failed_attempts (key, at) VALUES ('k', '2026-01-01')"
    else:
        patience, lock = "SET LOCAL lock_timeout = 1", "LOCK TABLE failed_attempts"
    with closing(opened(database.url.render_as_string(hide_password=False))) as other, other.engine.begin() as holding:
        holding.execute(text(lock))
        _execute(database, patience, lock)


@pytest.mark.parametrize(
    ("fail", "fault"),
    [(_use_syntax, None), (_miss_a_table, None), (_break_a_constraint, None), (_wait_too_long, BUSY)],
)
def test_real_failures_are_classified(
    database: Database, fail: Callable[[Database], None], fault: DatabaseFault | None
) -> None:
    with pytest.raises(DBAPIError) as raised:
        fail(database)
    assert fault_of(raised.value) is fault


def test_a_full_disk_is_classified_with_sqlite(embedded: Database) -> None:
    fill = "INSERT INTO failed_attempts (key, at) VALUES (hex(zeroblob(10000000)), '2026-01-01')"
    with pytest.raises(DBAPIError) as raised:
        _execute(embedded, "PRAGMA max_page_count = 1", fill)
    assert fault_of(raised.value) is FULL


def test_an_invalid_sqlite_file_is_classified_as_unavailable(embedded: Database) -> None:
    assert embedded.url.database is not None
    embedded.engine.dispose()
    with open(embedded.url.database, "wb") as file:  # noqa: PTH123 - the path is a string
        file.write(b"no database" * 1000)
    with pytest.raises(DBAPIError) as raised:
        _execute(embedded, "SELECT 1")
    assert fault_of(raised.value) is UNAVAILABLE


def test_an_unreachable_server_is_classified_as_unavailable() -> None:
    with closing(Database("postgresql+psycopg://playdock@127.0.0.1:1/playdock")) as database:
        with pytest.raises(DBAPIError) as raised:
            _execute(database, "SELECT 1")
        assert fault_of(raised.value) is UNAVAILABLE


def test_a_violated_constraint_is_an_integrity_error(database: Database) -> None:
    with pytest.raises(IntegrityError):
        _break_a_constraint(database)
