"""Fixtures: a manual clock, a provider store on a real database, and a scripted server on loopback."""

from collections.abc import Iterator

import pytest

from clocks import StillClock
from loopback import Loopback
from playdock.db.database import Database
from playdock.fetching.web import Fetcher
from playdock.metadata.provider_store import ProviderStore
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
def provider_store(database: Database, clock: StillClock) -> ProviderStore:
    return ProviderStore(database, clock)


@pytest.fixture
def web() -> Iterator[Fetcher]:
    web = Fetcher()
    yield web
    web.close()


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running
