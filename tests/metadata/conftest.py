"""A clock that stands still, a ledger on a real database, and a server on loopback that answers as a test says."""

from collections.abc import Iterator

import pytest

from clocks import StillClock
from loopback import Loopback
from playdock.db.database import Database
from playdock.fetching.web import Web
from playdock.metadata.ledger import Ledger
from playdock.settings import Settings


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = Database(Settings(database_url=database_url).database)
    yield opened
    opened.close()


@pytest.fixture
def ledger(database: Database, clock: StillClock) -> Ledger:
    return Ledger(database, clock)


@pytest.fixture
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running
