"""A database for the tests of nodes."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from playdock.db.database import Database
from playdock.settings import Settings


@pytest.fixture
def db(database_url: str, tmp_path: Path) -> Iterator[Database]:
    with closing(Database(Settings(data_dir=tmp_path, database_url=database_url).database)) as database:
        yield database
