"""Transactions: durability, isolation, and the order of writers."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import psycopg
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.db.errors import DatabaseBusy, NestedTransaction
from playdock.db.insertion import insert_or_ignore
from playdock.kit.clock import utc_now
from playdock.models import FailedAttempt, Token

from .conftest import opened

pytestmark = pytest.mark.both_databases

_HOW_MANY = select(func.count()).select_from(FailedAttempt)


def _add(session: Session, key: str = "key") -> None:
    session.add(FailedAttempt(key=key, at=utc_now()))


def _fail_to_write(database: Database) -> None:
    with suppress(ZeroDivisionError), database.write() as session:
        _add(session)
        session.flush()
        raise ZeroDivisionError


def _count(database: Database) -> int:
    with database.read() as session:
        return session.scalar(_HOW_MANY) or 0


def _address(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


def test_committed_rows_are_visible_to_others(database: Database) -> None:
    with database.write() as session:
        _add(session)
    with closing(opened(_address(database))) as other:
        assert _count(other) == 1


def test_an_exception_rolls_back_the_transaction(database: Database) -> None:
    _fail_to_write(database)
    assert _count(database) == 0


def test_connections_of_open_transactions_are_closed_when_these_end(database: Database) -> None:
    with database.read() as session:
        connection = session.connection().connection.driver_connection
        database.close()
        assert session.scalar(_HOW_MANY) == 0
    assert connection is not None
    with pytest.raises(database.engine.dialect.loaded_dbapi.Error):
        connection.cursor().execute("SELECT 1")


def _failure(sqlstate: str) -> DBAPIError:
    return OperationalError("UPDATE", {}, psycopg.errors.lookup(sqlstate)("What went wrong."))


def _sqlite_failure(code: int) -> DBAPIError:
    cause = sqlite3.OperationalError("What went wrong.")
    cause.sqlite_errorcode = code
    return OperationalError("UPDATE", {}, cause)


_FAULTS: dict[str, Exception] = {
    "busy": DatabaseBusy(),
    "conflict": _failure("40P01"),
    "disk full": _failure("53100"),
    "standby server": _failure("25006"),
    "disk of SQLite full": _sqlite_failure(sqlite3.SQLITE_FULL),
    "files of SQLite read-only": _sqlite_failure(sqlite3.SQLITE_READONLY),
    "no connection": PoolExhausted(),
}


@pytest.mark.parametrize("fault", _FAULTS)
def test_a_note_that_cannot_be_written_is_left_out(database: Database, fault: str) -> None:
    def add(session: Session) -> None:
        _add(session)
        session.flush()
        raise _FAULTS[fault]

    database.note(add)
    assert _count(database) == 0
    database.note(_add)
    assert _count(database) == 1


def test_a_wrong_statement_of_a_note_is_an_error(database: Database) -> None:
    with pytest.raises(DBAPIError):
        database.note(lambda session: session.execute(text("SELECT nonsense")))


def test_a_read_transaction_writes_nothing(database: Database) -> None:
    with database.read() as session:
        _add(session)
        session.flush()
    assert _count(database) == 0


def test_foreign_keys_are_enforced(database: Database) -> None:
    stray = Token(id="1", user_id="nobody", digest="d", name="n", acls=[], created=utc_now(), expires=None)
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(stray)


def test_times_are_stored_unchanged(database: Database) -> None:
    now = utc_now()
    with database.write() as session:
        session.add(FailedAttempt(key="key", at=now))
    with database.read() as session:
        assert session.scalar(select(FailedAttempt.at)) == now


def test_every_connection_to_sqlite_is_configured(embedded: Database) -> None:
    asked = ("journal_mode", "synchronous", "foreign_keys")
    connections = [embedded.engine.connect() for _ in range(12)]
    found = {tuple(each.execute(text(f"PRAGMA {name}")).scalar() for name in asked) for each in connections}
    for connection in connections:
        connection.close()
    assert found == {("wal", 2, 1)}


def test_writers_wait_for_each_other(database: Database) -> None:
    def write(number: int) -> None:
        with database.write() as session:
            _add(session, f"key {number}")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(40)))
    assert _count(database) == 40


def test_a_writer_waits_for_one_on_another_connection(database: Database) -> None:
    holding, waited = threading.Event(), threading.Event()

    def hold() -> None:
        with closing(opened(_address(database))) as other, other.write() as session:
            _add(session, "first")
            session.flush()
            holding.set()
            waited.wait(0.3)

    holder = threading.Thread(target=hold)
    holder.start()
    holding.wait(10)
    with database.write() as session:
        _add(session, "second")
    holder.join()
    assert _count(database) == 2


def test_readers_do_not_wait_for_a_writer(database: Database) -> None:
    with database.write() as session:
        _add(session)
        session.flush()
        with closing(opened(_address(database))) as other:
            assert _count(other) == 0


def test_a_reader_sees_a_consistent_snapshot(database: Database) -> None:
    with closing(opened(_address(database))) as other, database.read() as session:
        before = session.scalar(_HOW_MANY)
        with other.write() as writing:
            _add(writing)
        assert session.scalar(_HOW_MANY) == before


def _open_another(database: Database, outer: str, inner: str) -> None:
    with getattr(database, outer)(), getattr(database, inner)():
        pass


@pytest.mark.parametrize(
    ("outer", "inner"), [("write", "write"), ("write", "read"), ("read", "write"), ("read", "read")]
)
def test_a_thread_has_one_transaction_at_a_time(database: Database, outer: str, inner: str) -> None:
    with pytest.raises(NestedTransaction):
        _open_another(database, outer, inner)
    with database.write() as session:
        _add(session)
    assert _count(database) == 1


def test_each_thread_can_have_a_transaction(database: Database) -> None:
    with database.write(), ThreadPoolExecutor(1) as thread:
        assert thread.submit(_count, database).result(60) == 0


def test_no_commit_happens_between_a_writers_read_and_write(embedded: Database) -> None:
    """SQLite does not let a reader become a writer after another commit, so writers lock at the beginning."""

    def write_elsewhere() -> None:
        with closing(opened(_address(embedded))) as other, other.write() as session:
            _add(session, "other")

    rival = threading.Thread(target=write_elsewhere)
    with embedded.write() as session:
        session.scalar(select(func.count()).select_from(FailedAttempt))
        rival.start()
        rival.join(0.3)
        _add(session)
    rival.join()
    assert _count(embedded) == 2


def test_a_writer_waits_for_another_one_no_longer_than_it_may(database: Database) -> None:
    """On PostgreSQL writers wait for each other only at a row."""
    if not database.embedded:
        return

    def write() -> None:
        with database.write(max_wait=0.1) as refused:
            _add(refused, "other")

    with closing(opened(_address(database))) as other, other.write() as session:
        _add(session)
        session.flush()
        with pytest.raises(DatabaseBusy):
            write()
    assert _count(database) == 1
    with database.write() as session:
        _add(session, "other")
    assert _count(database) == 2


def test_a_writer_waits_for_another_one_of_its_process_no_longer_than_it_may(database: Database) -> None:
    if not database.embedded:
        return

    def write() -> None:
        with database.write(max_wait=0.1):
            pass

    with database.write(), ThreadPoolExecutor(1) as pool, pytest.raises(DatabaseBusy):
        pool.submit(write).result()


def test_an_insert_that_nobody_reads_does_not_keep_a_commit_waiting(database: Database) -> None:
    with database.write() as session:
        # A kept result keeps its statement.
        kept = session.execute(insert_or_ignore(session, FailedAttempt, {"key": "a", "at": utc_now()}))

    assert kept
