"""A database that becomes unavailable while the service runs is reported as such."""

from pathlib import Path

import pytest

import postgresql
from databases import Databases, PostgresqlDatabases
from world import World

pytestmark = pytest.mark.both_databases


def _take_away(databases: Databases, world: World) -> None:
    database = world.services.db
    assert database.url.database is not None
    if isinstance(databases, PostgresqlDatabases):
        postgresql.execute(databases.address, f"DROP DATABASE {database.url.database} WITH (FORCE)")
        return
    file = Path(database.url.database)
    database.engine.dispose()
    file.rename(file.with_suffix(".away"))
    file.mkdir()


@pytest.mark.parametrize("path", ["/api/v1/admin/users", "/api/v1/admin/library/sources"])
def test_an_unavailable_database_is_reported(world: World, databases: Databases, path: str) -> None:
    admin, stranger = world.admin(), world.with_token("never heard of")

    _take_away(databases, world)

    for caller in (admin, stranger):
        answer = caller.get(path)
        assert (answer.status_code, answer.json()["type"]) == (503, "database-unusable")
        assert answer.headers["content-type"] == "application/problem+json"
        assert "retry-after" not in answer.headers
        assert str(world.services.db.url.database) not in answer.text
