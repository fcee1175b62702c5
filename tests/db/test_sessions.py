"""The limits of PostgreSQL's sessions: a process that hangs in a transaction must not keep its locks."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from databases import PostgresqlDatabases
from playdock.db import database as module
from playdock.db.database import SESSION_LIMITS, TCP_OPTIONS, Database
from playdock.db.errors import DatabaseBusy
from playdock.db.failures import DatabaseFault, fault_of

from .conftest import opened


@pytest.fixture
def address(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[str]:
    found = postgresql_databases.fresh(tmp_path)
    yield found
    postgresql_databases.release(found)


def test_every_session_has_limits(address: str) -> None:
    with closing(opened(address)) as database, database.read() as session:
        rows = session.execute(text("SELECT name, setting FROM pg_settings"))
        found = {name: setting for name, setting in rows if name in SESSION_LIMITS}
    assert found == {name: str(seconds * 1000) for name, seconds in SESSION_LIMITS.items()}


@pytest.mark.parametrize(("query", "expected"), [("", TCP_OPTIONS["keepalives_idle"]), ("?keepalives_idle=77", "77")])
def test_connections_are_probed_unless_the_url_says_otherwise(address: str, query: str, expected: str) -> None:
    with closing(opened(f"{address}{query}")) as database, database.engine.connect() as connection:
        assert connection.connection.driver_connection is not None
        parameters = connection.connection.driver_connection.info.get_parameters()
    assert parameters["keepalives_idle"] == expected
    assert parameters["tcp_user_timeout"] == TCP_OPTIONS["tcp_user_timeout"]


def test_a_transaction_that_does_nothing_loses_its_locks(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.SESSION_LIMITS, "idle_in_transaction_session_timeout", 0.2)
    with closing(opened(address)) as hanging, closing(opened(address)) as other:
        with pytest.raises(DBAPIError) as ended:
            _hang(hanging, while_locked=other)
        assert fault_of(ended.value) is DatabaseFault.UNAVAILABLE
        with hanging.read() as session:
            assert session.scalar(text("SELECT 1")) == 1


def test_a_statement_waits_for_a_lock_for_a_limited_time(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.SESSION_LIMITS, "lock_timeout", 0.1)
    with closing(opened(address)) as database, closing(opened(address)) as other, database.write() as session:
        _lock(session)
        with pytest.raises(DatabaseBusy):
            _lock_once(other)


def test_a_note_waits_for_a_lock_only_briefly(address: str) -> None:
    def read_limit(session: Session) -> None:
        found.append(session.scalar(text("SHOW lock_timeout")))

    found: list[str | None] = []
    with closing(opened(address)) as database:
        database.note(read_limit)
        with database.write() as session:
            read_limit(session)
    assert found == ["200ms", "30s"]


def _hang(hanging: Database, *, while_locked: Database) -> None:
    """Lock a row, do nothing until another process has locked it, and go on."""
    with hanging.write() as session:
        _lock(session)
        _lock_once(while_locked)
        session.execute(text("SELECT 1"))


def _lock_once(database: Database) -> None:
    with database.write() as session:
        _lock(session)


def _lock(session: Session) -> None:
    session.execute(text("UPDATE cache_revisions SET content = content"))
