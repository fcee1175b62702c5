"""Stopping closes all resources in reverse order, despite errors."""

import re
from pathlib import Path

import pytest
from litestar.testing import TestClient

from playdock.db.migrate import is_current
from playdock.settings import Settings
from playdock.web.app import build
from playdock.web.services import Services
from playdock.web.wiring import wire


class BrokenResource(Exception):
    """Raised by a resource that cannot be closed."""


def _fail() -> None:
    raise BrokenResource


@pytest.fixture
def services(database_url: str, tmp_path: Path) -> Services:
    return wire(Settings(data_dir=tmp_path / "data", database_url=database_url, metadata_providers="none"))


def _open_connections(services: Services) -> int:
    """Return the number of open connections to the database."""
    found = re.search(r"Connections in pool: (\d+)", services.db.engine.pool.status())
    assert found
    return int(found[1])


def _connect(services: Services) -> None:
    assert is_current(services.db)
    services.compressing.of("library").submit(int).result()
    assert _open_connections(services) == 1


def _assert_closed(services: Services) -> None:
    """Assert that resources are closed from first to last."""
    with pytest.raises(OSError, match="stopping"):
        services.downloads.archives.unpacked.check_running()
    with pytest.raises(RuntimeError, match="shutdown"):
        services.compressing.of("library").submit(_fail)
    assert _open_connections(services) == 0


def test_an_error_while_closing_does_not_prevent_closing_the_others(services: Services) -> None:
    _connect(services)
    services.resources.callback(_fail)

    with pytest.raises(BrokenResource):
        services.close()

    _assert_closed(services)


def test_several_errors_while_closing_do_not_prevent_closing_the_others(services: Services) -> None:
    _connect(services)
    for _ in range(2):
        services.resources.callback(_fail)

    with pytest.raises(BrokenResource):
        services.close()

    _assert_closed(services)


def test_a_resource_is_closed_before_its_dependencies(services: Services) -> None:
    current = []
    services.resources.callback(lambda: current.append(is_current(services.db)))

    services.close()

    assert current == [True]


def test_the_application_closes_its_services_when_it_stops(services: Services) -> None:
    _connect(services)
    with TestClient(build(services)) as client:
        assert client.get("/api/v1/user").status_code == 200
    _assert_closed(services)
