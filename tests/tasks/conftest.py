"""A shop for each test that wants one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from playdock.db.database import Database
from playdock.settings import Settings

from .shop import TaskHarness


@pytest.fixture
def shop(database_url: str, tmp_path: Path) -> Iterator[TaskHarness]:
    address = Settings(data_dir=tmp_path, database_url=database_url).database
    shop = TaskHarness(Database(address))
    yield shop
    for runner in shop.runners:
        runner.stop()
    shop.db.close()
