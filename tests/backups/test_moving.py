"""Moving the database: all rows arrive, whichever kind the source and the target are of."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import func, select

from databases import PostgresqlDatabases, SqliteDatabases
from playdock.backups.errors import DestinationNotEmpty, SameDatabase
from playdock.backups.moving import move
from playdock.db import moving
from playdock.db.database import Database
from playdock.db.errors import DatabaseInUse, MoveFailed
from playdock.db.migrate import migrate, revisions
from playdock.domain.search.queries import candidates
from playdock.domain.search.rules import SearchTerms
from playdock.kit.clock import utc_now
from playdock.kit.messages import Message
from playdock.models import Base, Task, Version
from playdock.settings import Settings
from playdock.tasks.queries import add_line
from schema_dumps import DUMPS

# The newest schema that has a dump: rows in all tables that it has.
_SCHEMA = max(file.stem for file in (DUMPS / "sqlite").glob("*.sql"))


def _opened(address: str) -> Database:
    return Database(Settings(database_url=address).database)


def _loaded(kind: str, address: str) -> None:
    """Fill a blank database with rows of all tables, in an earlier schema."""
    statements = (DUMPS / kind / f"{_SCHEMA}.sql").read_text()
    if kind == "postgresql":
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statements.encode())
    else:
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as file:
            file.executescript(statements)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, PostgreSQL needs seconds to end the session that has filled a database."""
    monkeypatch.setattr(moving, "_MAX_CLOSING_SECONDS", 120.0)


@pytest.fixture
def addresses(
    sqlite_databases: SqliteDatabases, postgresql_databases: PostgresqlDatabases, tmp_path: Path
) -> dict[str, str]:
    """A blank database of each kind."""
    return {"sqlite": sqlite_databases.blank(tmp_path), "postgresql": postgresql_databases.blank(tmp_path)}


@pytest.fixture
def pair(addresses: dict[str, str], direction: tuple[str, str]) -> Iterator[tuple[Database, Database]]:
    """A database with rows in all tables, and a blank one."""
    source, target = direction
    _loaded(source, addresses[source])
    with ExitStack() as closed:
        yield tuple(closed.enter_context(closing(_opened(addresses[kind]))) for kind in (source, target))  # type: ignore[misc]


_BOTH_WAYS = pytest.mark.parametrize("direction", [("sqlite", "postgresql"), ("postgresql", "sqlite")])
_TO_POSTGRESQL = pytest.mark.parametrize("direction", [("sqlite", "postgresql")])


@_BOTH_WAYS
def test_all_rows_are_moved(pair: tuple[Database, Database]) -> None:
    source, target = pair
    counts = move(source, target, progress=lambda _table, _rows: None)
    assert set(counts) == {table.name for table in Base.metadata.sorted_tables}
    # The dump has rows of all tables that its schema had.
    assert sum(count > 0 for count in counts.values()) > len(counts) - 5
    with source.read() as before, target.read() as after:
        assert after.scalars(select(Version.base_id)).all() == before.scalars(select(Version.base_id)).all()
        for table in Base.metadata.sorted_tables:
            counted = select(func.count()).select_from(table)
            assert after.scalar(counted) == before.scalar(counted) == counts[table.name]
        terms = SearchTerms.of("portal")
        assert candidates(after, terms)
        assert [found.game_id for found in candidates(after, terms)] == [
            found.game_id for found in candidates(before, terms)
        ]


@_TO_POSTGRESQL
def test_a_moved_database_numbers_new_rows_after_the_old_ones(pair: tuple[Database, Database]) -> None:
    source, target = pair
    move(source, target, progress=lambda _table, _rows: None)
    with target.write() as session:
        task = session.scalars(select(Task.id)).first()
        assert task is not None
        add_line(session, task, at=utc_now(), level="info", message=Message("no-damage"))


@_BOTH_WAYS
def test_a_target_with_rows_is_refused(pair: tuple[Database, Database]) -> None:
    source, target = pair
    move(source, target, progress=lambda _table, _rows: None)
    with pytest.raises(DestinationNotEmpty):
        move(source, target, progress=lambda _table, _rows: None)
    with pytest.raises(SameDatabase):
        move(source, source, progress=lambda _table, _rows: None)


@_BOTH_WAYS
def test_a_database_in_use_is_not_moved(
    pair: tuple[Database, Database], direction: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_MAX_CLOSING_SECONDS", 0.3)
    source, target = pair
    migrate(source)
    with closing(Database(source.url.render_as_string(hide_password=False))) as service:
        with service.read() as session:
            session.scalar(select(func.count()).select_from(Task))
        # The connection is in the pool of the service, as between two requests.
        with pytest.raises(DatabaseInUse):
            move(source, target, progress=lambda _table, _rows: None)
    move(source, target, progress=lambda _table, _rows: None)


@_BOTH_WAYS
def test_a_move_that_fails_leaves_nothing_and_can_be_repeated(pair: tuple[Database, Database]) -> None:
    source, target = pair

    def fail(table: str, _rows: int) -> None:
        if table == "tasks":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        move(source, target, progress=fail)
    with target.read() as session:
        assert moving.is_empty(session.connection())
    assert move(source, target, progress=lambda _table, _rows: None)["tasks"] > 0


@_TO_POSTGRESQL
def test_a_row_that_postgresql_cannot_have_is_reported(pair: tuple[Database, Database]) -> None:
    source, target = pair
    migrate(source)
    with source.engine.execution_options(writes=True).begin() as connection:
        connection.exec_driver_sql("UPDATE games SET description = 'a' || char(0) || 'b'")
    with pytest.raises(MoveFailed, match=r"the table games cannot be copied: .*NUL.* Nothing was changed"):
        move(source, target, progress=lambda _table, _rows: None)


def test_the_dump_is_recent() -> None:
    assert int(revisions()[-1]) - int(_SCHEMA) <= 2
