"""Empty databases in the present form, made quickly: by copying one that has been migrated."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Protocol

import postgresql
from playdock.db.database import Database
from playdock.db.migrate import migrate


class Databases(Protocol):
    """Where tests get their databases from."""

    def blank(self, folder: Path) -> str:
        """Make a database without any table and give its address."""

    def fresh(self, folder: Path) -> str:
        """Make a database in the present form and give its address."""


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


@dataclass
class PostgresqlDatabases:
    """Databases of one server, made from a template."""

    address: str
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    ready: bool = False

    def blank(self, folder: Path) -> str:
        return self._create("template0")

    def fresh(self, folder: Path) -> str:
        if not self.ready:
            postgresql.execute(self.address, "CREATE DATABASE migrated TEMPLATE template0")
            _migrate(f"{self.address}/migrated")
            self.ready = True
        return self._create("migrated")

    def _create(self, template: str) -> str:
        name = f"test_{next(self.numbers)}"
        postgresql.execute(self.address, f"CREATE DATABASE {name} TEMPLATE {template}")
        return f"{self.address}/{name}"


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
