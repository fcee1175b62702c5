"""Transactions: durable, one writer after the other, and a number that tells of every commit."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.kit.clock import utc_now
from playdock.models import Failure, Token

from .conftest import opened

_WRITE = """
import sys
from playdock.db.database import Database
from playdock.kit.clock import utc_now
from playdock.models import Failure
with Database(sys.argv[1]).write() as session:
    session.add(Failure(key="elsewhere", at=utc_now()))
"""


_HOW_MANY = select(func.count()).select_from(Failure)


def _add(session: Session, key: str = "key") -> None:
    session.add(Failure(key=key, at=utc_now()))


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


def test_what_was_written_is_there_for_others(database: Database) -> None:
    with database.write() as session:
        _add(session)
    with closing(opened(_address(database))) as other:
        assert _count(other) == 1


def test_an_exception_undoes_what_was_written(database: Database) -> None:
    _fail_to_write(database)
    assert _count(database) == 0


def test_reading_writes_nothing(database: Database) -> None:
    with database.read() as session:
        _add(session)
        session.flush()
    assert _count(database) == 0


def test_references_are_checked(database: Database) -> None:
    stray = Token(id="1", user_id="nobody", digest="d", name="n", acls=[], created=utc_now(), expires=None)
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(stray)


def test_moments_come_back_as_they_were(database: Database) -> None:
    now = utc_now()
    with database.write() as session:
        session.add(Failure(key="key", at=now))
    with database.read() as session:
        assert session.scalar(select(Failure.at)) == now


def test_every_connection_to_sqlite_is_prepared(embedded: Database) -> None:
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


def test_a_writer_waits_for_one_of_another_process(database: Database) -> None:
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


def test_a_reader_sees_one_state_from_first_to_last(database: Database) -> None:
    with database.read() as session:
        before = session.scalar(_HOW_MANY)
        with database.write() as writing:
            _add(writing)
        assert session.scalar(_HOW_MANY) == before


def test_nobody_commits_between_what_a_writer_reads_and_writes(embedded: Database) -> None:
    """SQLite refuses to turn a reader into a writer when somebody has committed in between: writers begin as such."""

    def write_elsewhere() -> None:
        with closing(opened(_address(embedded))) as other, other.write() as session:
            _add(session, "other")

    rival = threading.Thread(target=write_elsewhere)
    with embedded.write() as session:
        session.scalar(select(func.count()).select_from(Failure))
        rival.start()
        rival.join(0.3)
        _add(session)
    rival.join()
    assert _count(embedded) == 2


def test_the_revision_changes_with_a_commit_of_this_process(embedded: Database) -> None:
    before = embedded.revision()
    with embedded.write() as session:
        _add(session)
    assert embedded.revision() != before


def test_the_revision_changes_with_a_commit_of_another_process(embedded: Database) -> None:
    before = embedded.revision()
    subprocess.run([sys.executable, "-c", _WRITE, _address(embedded)], check=True)
    assert embedded.revision() != before


def test_the_revision_stays_while_nobody_commits(embedded: Database) -> None:
    before = embedded.revision()
    _count(embedded)
    _fail_to_write(embedded)
    assert embedded.revision() == before


def test_a_commit_that_is_not_done_does_not_count(embedded: Database) -> None:
    before = embedded.revision()
    with embedded.write() as session:
        _add(session)
        session.flush()
        during = embedded.revision()
    assert during == before
    assert embedded.revision() != before


def test_a_server_has_no_revision(database: Database) -> None:
    assert (database.revision() is None) is (not database.embedded)
