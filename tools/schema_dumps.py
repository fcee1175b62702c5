"""Dumps of databases with the schemas of earlier releases, made by the real migrations: `make schema-dumps`.

Tests migrate them. Run this after adding a migration.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import Connection, MetaData, insert

from playdock.db.database import Database
from playdock.db.migrate import revisions
from playdock.db.upgrade import config
from postgresql import execute, find_programs, running_server
from schema_rows import ROWS

DUMPS = Path(__file__).parents[1] / "tests" / "db" / "dumps"
_INDEX = "search_index"


def populated(database: Database) -> Iterator[str]:
    """Upgrade an empty database step by step, adding rows after each, and yield each schema's number."""
    for revision in revisions():
        with database.engine.execution_options(writes=True).begin() as connection:
            command.upgrade(config(connection), revision)
            _insert(connection, revision)
        yield revision


def _insert(connection: Connection, revision: str) -> None:
    tables = MetaData()
    tables.reflect(connection, only=sorted({table for table, _ in ROWS.get(revision, ())}))
    for table, row in ROWS.get(revision, ()):
        connection.execute(insert(tables.tables[table]).values(row))


def write_dumps() -> None:
    """Write the dumps of all schemas except the newest."""
    with tempfile.TemporaryDirectory() as folder:
        _write_sqlite(Path(folder) / "playdock.sqlite3")
    programs = find_programs()
    if programs is None:
        sys.exit("PostgreSQL's programs are missing: install Debian's postgresql.")
    with running_server(programs) as address:
        _write_postgresql(address, programs)


def _write_sqlite(file: Path) -> None:
    with closing(Database(f"sqlite:///{file}")) as database:
        for revision in populated(database):
            with database.engine.connect() as connection:
                _write("sqlite", revision, _sqlite_statements(connection))


def _write_postgresql(address: str, programs: Path) -> None:
    execute(address, "CREATE DATABASE dumped TEMPLATE template0")
    with closing(Database(f"{address}/dumped".replace("postgresql:", "postgresql+psycopg:"))) as database:
        for revision in populated(database):
            options = ["--inserts", "--no-owner", "--no-privileges", "--no-comments"]
            dumped = subprocess.run(
                [programs / "pg_dump", *options, f"{address}/dumped"], check=True, capture_output=True, text=True
            )
            _write("postgresql", revision, _postgresql_statements(dumped.stdout))


def _write(kind: str, revision: str, lines: Iterator[str]) -> None:
    if revision != revisions()[-1]:
        file = DUMPS / kind / f"{revision}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines))


def _postgresql_statements(dump: str) -> Iterator[str]:
    """Remove comments, psql commands, and statements that only recent servers understand."""
    unwanted = ("--", "\\", "SET transaction_timeout")
    return (line for line in dump.splitlines() if line and not line.startswith(unwanted))


def _sqlite_statements(connection: Connection) -> Iterator[str]:
    """Return the statements that recreate a database: tables, rows, then indexes and triggers.

    Python's own `iterdump` writes virtual tables straight into the schema's table, which SQLite may forbid.
    """
    schema = connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL").all()
    own = [each for each in schema if not each.name.startswith((f"{_INDEX}_", "sqlite_"))]
    yield "PRAGMA foreign_keys = OFF;"
    tables = [each for each in own if each.type == "table"]
    for table in tables:
        yield f"{table.sql};"
    for table in tables:
        yield from _sqlite_rows(connection, table.name)
    for other in own:
        if other.type != "table":
            yield f"{other.sql};"


def _sqlite_rows(connection: Connection, table: str) -> Iterator[str]:
    columns: list[Any] = [column.name for column in connection.exec_driver_sql(f"PRAGMA table_info({table})")]
    if table == _INDEX:
        columns.insert(0, "rowid")
    listed = ", ".join(f'"{column}"' for column in columns)
    quoted = " || ', ' || ".join(f'quote("{column}")' for column in columns)
    for (values,) in connection.exec_driver_sql(f"SELECT {quoted} FROM {table}"):
        yield f"INSERT INTO {table} ({listed}) VALUES ({values});"


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        write_dumps()
