"""A shop for each test that wants one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases
from playdock.db.database import Database
from playdock.settings import Settings

from .shop import Shop


@pytest.fixture
def shop(databases: Databases, tmp_path: Path) -> Iterator[Shop]:
    address = Settings(data_dir=tmp_path, database_url=databases.fresh(tmp_path)).database
    shop = Shop(Database(address))
    yield shop
    for runner in shop.runners:
        runner.stop()
    shop.db.close()
