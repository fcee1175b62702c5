"""Transactions that the database rolls back in favor of others are retried, unless part of the call has committed."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from databases import PostgresqlDatabases
from playdock.db import database as module
from playdock.db.database import Database
from playdock.db.errors import TransactionConflict
from playdock.db.locks import advisory_lock
from playdock.db.retrying import MAX_RETRIES, retry_conflicts
from playdock.domain.companies import queries
from playdock.kit.clock import utc_now
from playdock.models import Company, FailedAttempt, ProviderState
from races import wait_for_lock
from world import World, running_world

from .conftest import opened

pytestmark = pytest.mark.both_databases

PATIENCE = 60


@pytest.fixture
def server(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[Database]:
    """A PostgreSQL database with the current schema."""
    with closing(opened(postgresql_databases.fresh(tmp_path))) as found:
        yield found


@pytest.fixture
def served(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[World]:
    """A running service on PostgreSQL."""
    with running_world(tmp_path, database_url=postgresql_databases.fresh(tmp_path)) as running:
        yield running


def _lock(session: Session, provider: str) -> None:
    count = update(ProviderState).where(ProviderState.source_id == provider)
    session.execute(count.values(token=ProviderState.token + "+"))


def _lock_both(database: Database, first: str, second: str, *, meet: threading.Barrier) -> int:
    """Lock two rows in the given order, in a call that is retried, and return the number of attempts."""
    runs: list[None] = []

    def call() -> None:
        runs.append(None)
        with database.write() as session:
            _lock(session, first)
            if len(runs) == 1:
                meet.wait(PATIENCE)
            _lock(session, second)

    retry_conflicts(call)
    return len(runs)


def test_both_transactions_of_a_deadlock_succeed(server: Database) -> None:
    with server.write() as session:
        session.add_all(ProviderState(source_id=name, calls=[], token="") for name in ("one", "other"))
    lock = partial(_lock_both, server, meet=threading.Barrier(2))

    with ThreadPoolExecutor(2) as threads:
        runs = list(threads.map(lock, ("one", "other"), ("other", "one")))

    with server.read() as session:
        locked = set(session.scalars(select(ProviderState.token)))
    # One is repeated, which may wait again for the other's commit.
    first, repeated = sorted(runs)
    assert (first, repeated > 1, locked) == (1, True, {"++"})


def test_a_serialization_failure_is_retried(server: Database) -> None:
    runs: list[None] = []

    def call() -> None:
        with server.write() as session:
            session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            session.scalars(select(ProviderState)).all()
            if not runs:
                _lock_elsewhere(server)
            runs.append(None)
            _lock(session, "one")

    with server.write() as session:
        session.add(ProviderState(source_id="one", calls=[], token=""))
    retry_conflicts(call)
    with server.read() as session:
        assert (len(runs), session.scalar(select(ProviderState.token))) == (2, "++")


def _lock_elsewhere(database: Database) -> None:
    def write() -> None:
        with database.write() as session:
            _lock(session, "one")

    with ThreadPoolExecutor(1) as thread:
        thread.submit(write).result(PATIENCE)


def test_a_deadlocked_request_is_retried(served: World) -> None:
    """The request acquires the lock of companies and waits for the company; the test locks in the other order."""
    admin, database = served.admin(), served.services.db
    company = admin.post("/api/v1/admin/company", {"name": "Valve"}).json()["id"]

    with ThreadPoolExecutor(1) as thread:
        with database.write() as session:
            session.execute(text("SET LOCAL deadlock_timeout = '1h'"))  # so that the request is cancelled
            session.execute(select(Company.id).where(Company.id == company).with_for_update())
            answer = thread.submit(
                admin.patch, f"/api/v1/admin/company/{company}", {"website": "https://valve.example"}
            )
            wait_for_lock(served, answer)
            advisory_lock(session, queries.LOCK)
            broken = not answer.done()
        changed = answer.result(PATIENCE)

    assert (broken, changed.status_code, changed.json().get("website")) == (True, 200, "https://valve.example")


def test_a_call_that_always_conflicts_is_retried_three_times() -> None:
    runs: list[None] = []

    def call() -> None:
        runs.append(None)
        raise TransactionConflict

    with pytest.raises(TransactionConflict):
        retry_conflicts(call)
    assert (len(runs), MAX_RETRIES) == (4, 3)


def test_a_call_that_has_committed_is_not_retried(database: Database) -> None:
    runs: list[None] = []

    def call() -> None:
        runs.append(None)
        with database.write() as session:
            session.add(FailedAttempt(key="key", at=utc_now()))
        raise TransactionConflict

    with pytest.raises(TransactionConflict):
        retry_conflicts(call)
    with database.read() as session:
        assert (len(runs), len(session.scalars(select(FailedAttempt)).all())) == (1, 1)


def test_other_errors_are_not_retried() -> None:
    runs: list[None] = []

    def call() -> None:
        runs.append(None)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        retry_conflicts(call)
    assert len(runs) == 1


def test_the_journal_of_a_new_database_is_changed_although_another_connection_holds_a_lock(tmp_path: Path) -> None:
    """SQLite rejects it without waiting where waiting could be a deadlock; a timeout of 0 has the same effect."""
    file = tmp_path / "new.sqlite3"
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE games (id)")
        other.execute("BEGIN IMMEDIATE")
        ending = threading.Timer(0.2, other.execute, ["COMMIT"])
        ending.start()
        with closing(sqlite3.connect(file, timeout=0)) as connection:
            module._use_wal(connection)
            ending.join()
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
