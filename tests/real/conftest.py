"""A real game, built from Debian's packages by `make test`, and a service that has never been started."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases
from nginx import find_nginx
from processes.service import Service
from real_games import real_version


@pytest.fixture(scope="module")
def program() -> str:
    """The nginx of this machine."""
    found = find_nginx()
    if found is None:
        assert "CI" not in os.environ, "nginx is missing: install Debian's nginx-light."
        pytest.skip("NGINX IS NOT TESTED: it is missing. Install Debian's nginx-light to run these tests.")
    return found


@pytest.fixture
def version() -> Path:
    """The folder of a real game's version, below that of the game, in a library."""
    return real_version()


@pytest.fixture
def service(databases: Databases, tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "data").mkdir()
    service = Service(tmp_path, databases.blank(tmp_path / "data"))
    yield service
    service.end()
