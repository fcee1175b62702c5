"""Migrations: they result in exactly the models, also with several processes."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import JSON, Column, Connection, inspect, text

from databases import PostgresqlDatabases
from playdock.db.database import Database
from playdock.db.errors import EncodingUnsuitable
from playdock.db.migrate import is_current, migrate
from playdock.db.upgrade import MIGRATIONS, config, upgrade
from playdock.domain.search.queries import candidates
from playdock.domain.search.rules import SearchTerms
from playdock.models import Base

from .conftest import opened

pytestmark = pytest.mark.both_databases

_PROGRAM = "import sys; from playdock.db import database, migrate; migrate.migrate(database.Database(sys.argv[1]))"


@contextmanager
def _migrated(address: str) -> Iterator[Database]:
    with closing(opened(address)) as database:
        migrate(database)
        yield database


def _is_modelled(name: str | None) -> bool:
    """Return False for tables and indexes of searches, which differ by database and have no model."""
    return not (name or "").startswith(("search_index", "ix_games_sort_name_pattern"))


def _form(database: Database) -> dict[str, str]:
    """Return the columns, keys and indexes of all tables, as the database reports them."""
    seen = inspect(database.engine)

    def indexes(table: str) -> list[Any]:
        return [index for index in seen.get_indexes(table) if _is_modelled(index["name"])]

    looks = (seen.get_columns, indexes, seen.get_foreign_keys, seen.get_pk_constraint)
    return {name: _plain([look(name) for look in looks]) for name in filter(_is_modelled, seen.get_table_names())}


def _plain(part: object) -> str:
    """Return a description that does not depend on the order of the database's report."""
    if isinstance(part, dict):
        return str(sorted((name, _plain(value)) for name, value in part.items()))
    if isinstance(part, list):
        return str(sorted(_plain(each) for each in part))
    return str(part)


def _compare_default(
    _context: object, _there: object, column: Column[Any], there: str | None, *_defaults: object
) -> bool | None:
    """Use Alembic's comparison except for JSON, which PostgreSQL cannot compare, and for empty text."""
    return False if isinstance(column.type, JSON) or (there or "").strip("()").startswith("''") else None


def test_migrations_produce_exactly_the_schema_of_the_models(blank: str) -> None:
    with _migrated(blank) as database, database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": True,
                "compare_server_default": _compare_default,
                "include_name": lambda name, kind, _parents: kind not in ("table", "index") or _is_modelled(name),
            },
        )
        assert compare_metadata(context, Base.metadata) == []


def test_migrated_tables_equal_those_of_the_models(blank: str, modelled: Database) -> None:
    with _migrated(blank) as database:
        made = _form(database)
    del made["alembic_version"]
    assert made == _form(modelled)


def test_a_partial_index_allows_one_active_task_per_subject(database: Database) -> None:
    index = next(each for each in inspect(database.engine).get_indexes("tasks") if each["unique"])
    condition = next(str(value) for value in index.get("dialect_options", {}).values() if value is not None)
    assert (index["column_names"], "ended IS NULL" in condition) == (["subject"], True)


def test_migrating_again_changes_nothing(database: Database) -> None:
    before = _form(database)
    migrate(database)
    assert _form(database) == before
    assert is_current(database)


def test_an_empty_database_is_not_current(blank: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(exist_ok=True)
    with closing(opened(blank)) as database:
        assert not is_current(database)


def test_threads_can_migrate_simultaneously(blank: str) -> None:
    def once(_number: int) -> bool:
        with _migrated(blank) as database:
            return is_current(database)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(once, range(4))) == [True] * 4


def test_processes_can_migrate_simultaneously(blank: str) -> None:
    url = opened(blank).url.render_as_string(hide_password=False)
    racers = [subprocess.Popen([sys.executable, "-W", "error", "-c", _PROGRAM, url]) for _ in range(3)]
    assert [racer.wait(120) for racer in racers] == [0, 0, 0]
    with closing(opened(blank)) as database:
        assert is_current(database)


def test_a_failed_migration_leaves_nothing_behind(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_late(connection: Connection) -> None:
        upgrade(connection)
        raise ZeroDivisionError

    with closing(opened(blank)) as database:
        with monkeypatch.context() as patch:
            patch.setattr("playdock.db.upgrade.upgrade", fail_late)
            with pytest.raises(ZeroDivisionError):
                migrate(database)
        assert inspect(database.engine).get_table_names() == []
        migrate(database)
        assert is_current(database)


def test_a_migration_can_change_rows_and_then_their_table(database: Database) -> None:
    with database.engine.execution_options(writes=True).connect() as connection:
        upgrade(connection)
        for statement in (_A_GAME[0], "UPDATE libraries SET name = 'M'", "ALTER TABLE libraries ADD COLUMN x integer"):
            connection.execute(text(statement))
        assert connection.execute(text("SELECT name, x FROM libraries")).one() == ("M", None)
        connection.rollback()


def test_the_current_revision_is_that_of_the_newest_migration_file(database: Database) -> None:
    with database.engine.connect() as connection:
        present = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    assert present == max(path.name[:4] for path in (MIGRATIONS / "versions").glob("*.py"))


def test_existing_games_can_be_searched_after_the_migration(blank: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(exist_ok=True)
    with closing(opened(blank)) as database:
        with database.engine.execution_options(writes=True).begin() as connection:
            command.upgrade(config(connection), "0003")
            for statement in _A_GAME:
                connection.execute(text(statement))
        migrate(database)
        with database.read() as session:
            found = {
                typed: candidates(session, SearchTerms.of(typed))
                for typed in ("pokkemon", "valve", "dungeon", "nothing")
            }
    assert {typed: len(games) for typed, games in found.items()} == {
        "pokkemon": 1,
        "valve": 1,
        "dungeon": 1,
        "nothing": 0,
    }
    assert (found["valve"][0].title, found["valve"][0].labels) == ("pokemon", "valve")


_A_GAME = (
    "INSERT INTO libraries (id, name, backend, options, created) VALUES ('1', 'L', 'Filesystem', '{}', '2026-01-01')",
    """
    INSERT INTO games (id, library_id, path, name, metadata_source, metadata_id, description, created)
    VALUES ('1', '1', 'p', 'Pok\u00e9mon', 'Manual', '1', 'A dungeon.', '2026-01-01')
    """,
    """
    INSERT INTO companies (id, name, folded, description, website, created)
    VALUES ('1', 'Valve', 'valve', '', '', '2026-01-01')
    """,
    "INSERT INTO game_companies (game_id, role, company_id, position) VALUES ('1', 'developer', '1', 0)",
)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_new_database_must_store_all_text(postgresql_databases: PostgresqlDatabases, encoding: str) -> None:
    with (
        closing(opened(postgresql_databases.encoded(encoding))) as database,
        pytest.raises(EncodingUnsuitable, match=f"{encoding}.*createdb --encoding=UTF8"),
    ):
        migrate(database)
