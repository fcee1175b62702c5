"""Databases that are closed after the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases, SqliteDatabases
from playdock.db.database import Database
from playdock.models import Base
from playdock.settings import Settings


def opened(address: str) -> Database:
    """Open a database URL as the service does."""
    return Database(Settings(database_url=address).database)


@pytest.fixture
def blank(databases: Databases, tmp_path: Path) -> str:
    """The URL of a database without tables."""
    return databases.blank(tmp_path / "data")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with the current schema."""
    found = opened(database_url)
    yield found
    found.close()


@pytest.fixture
def embedded(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Database]:
    """A SQLite database with the current schema."""
    found = opened(sqlite_databases.fresh(tmp_path / "data"))
    yield found
    found.close()


@pytest.fixture
def modelled(databases: Databases, tmp_path: Path) -> Iterator[Database]:
    """A database whose tables were created from the models, without migrations."""
    folder = tmp_path / "modelled"
    folder.mkdir()
    found = opened(databases.blank(folder))
    Base.metadata.create_all(found.engine)
    yield found
    found.close()
