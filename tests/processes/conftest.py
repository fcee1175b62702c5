"""A service for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases

from .service import Service


@pytest.fixture
def service(databases: Databases, tmp_path: Path) -> Iterator[Service]:
    """A service that has never been started, with an empty database."""
    (tmp_path / "data").mkdir()
    service = Service(tmp_path, databases.blank(tmp_path / "data"))
    yield service
    service.end()
