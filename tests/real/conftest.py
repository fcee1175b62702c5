"""A real game, built from Debian's packages by `make test`, and a service that has never been started."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases
from processes.service import Service
from real_games import real_version


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
