"""Databases, opened and closed again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases, SqliteDatabases
from playdock.db.database import Database
from playdock.models import Base
from playdock.settings import Settings


def opened(address: str) -> Database:
    """Open an address as the service does."""
    return Database(Settings(database_url=address).database)


@pytest.fixture
def blank(databases: Databases, tmp_path: Path) -> str:
    """The address of a database without any table."""
    return databases.blank(tmp_path / "data")


@pytest.fixture
def database(databases: Databases, tmp_path: Path) -> Iterator[Database]:
    """A database in the present form."""
    found = opened(databases.fresh(tmp_path / "data"))
    yield found
    found.close()


@pytest.fixture
def embedded(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Database]:
    """A SQLite database in the present form."""
    found = opened(sqlite_databases.fresh(tmp_path / "data"))
    yield found
    found.close()


@pytest.fixture
def modelled(databases: Databases, tmp_path: Path) -> Iterator[Database]:
    """A database whose tables were made from the models, without migrations."""
    folder = tmp_path / "modelled"
    folder.mkdir()
    found = opened(databases.blank(folder))
    Base.metadata.create_all(found.engine)
    yield found
    found.close()
