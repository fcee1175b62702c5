"""Empty databases in the present form, made quickly: by copying one that has been migrated."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Dialect

import postgresql
from playdock.db.database import Database
from playdock.db.migrate import migrate


class Databases(Protocol):
    """Where tests get their databases from."""

    def blank(self, folder: Path) -> str:
        """Make a database without any table and return its address."""

    def fresh(self, folder: Path) -> str:
        """Make a database in the present form and return its address."""

    def release(self, address: str) -> None:
        """Take a database from `fresh` that nobody uses any more."""


@dataclass
class SqliteDatabases:
    """Files, copied."""

    template: Path
    ready: bool = False

    def blank(self, folder: Path) -> str:
        return f"sqlite:///{folder / 'playdock.sqlite3'}"

    def fresh(self, folder: Path) -> str:
        if not self.ready:
            _migrate(f"sqlite:///{self.template}")
            with sqlite3.connect(self.template) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
            self.ready = True
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.template, folder / "playdock.sqlite3")
        return self.blank(folder)

    def release(self, address: str) -> None:
        """Leave the file where it is: copying another one takes a millisecond."""


@dataclass
class PostgresqlDatabases:
    """Databases of one server, made from a template, or emptied: that takes a millisecond instead of eighty."""

    address: str
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    ready: bool = False
    returned: list[str] = field(default_factory=list)

    def blank(self, folder: Path) -> str:
        return self._create("template0")

    def encoded(self, encoding: str) -> str:
        """Return the URL of a database without tables that does not store text as UTF-8."""
        return self._create(f"template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'")

    def fresh(self, folder: Path) -> str:
        if not self.ready:
            postgresql.execute(self.address, "CREATE DATABASE migrated TEMPLATE template0")
            _migrate(f"{self.address}/migrated")
            self.ready = True
        while self.returned:
            address = self.returned.pop()
            if postgresql.empty(address, like=f"{self.address}/migrated"):
                return address
        return self._create("migrated")

    def release(self, address: str) -> None:
        self.returned.append(address)

    def _create(self, template: str) -> str:
        name = f"test_{next(self.numbers)}"
        # Copying the files takes the server less than half the work of writing all pages to its log.
        postgresql.execute(self.address, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return f"{self.address}/{name}"


@dataclass
class Statements:
    """Compiled statements, kept for all databases of a process: compiling takes a third of a small test's time.

    SQLAlchemy keeps them for each dialect object, of which every engine has its own.
    """

    dialects: dict[str, Dialect] = field(default_factory=dict)
    compiled: dict[str, dict[Any, Any]] = field(default_factory=dict)

    def share(self, database: Database) -> None:
        """Let a database that has not been used yet take part."""
        engine = database.engine
        engine.dialect = self.dialects.setdefault(engine.dialect.name, engine.dialect)
        engine.update_execution_options(compiled_cache=self.compiled.setdefault(engine.dialect.name, {}))


@contextmanager
def _closing(address: str) -> Iterator[Database]:
    database = Database(address.replace("postgresql://", "postgresql+psycopg://"))
    try:
        yield database
    finally:
        database.close()


def _migrate(address: str) -> None:
    with _closing(address) as database:
        migrate(database)
