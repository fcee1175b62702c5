"""A web to fetch from, and servers on loopback that answer as a test says."""

from collections.abc import Iterator

import pytest

from loopback import Loopback
from playdock.fetching.web import Web


@pytest.fixture
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture
def other() -> Iterator[Loopback]:
    """A server that is none of those that may be reached, unless a test says so."""
    with Loopback() as running:
        yield running
