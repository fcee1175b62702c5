"""A service shared by tests that do not change it and do not depend on the kind of database."""

from collections.abc import Iterator

import pytest

from databases import SqliteDatabases
from world import World, running_world


@pytest.fixture(scope="session")
def site(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("site")
    with running_world(folder, database_url=sqlite_databases.fresh(folder / "data")) as running:
        yield running
