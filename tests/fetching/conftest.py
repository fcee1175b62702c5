"""Fixtures: a fetcher and scripted servers on loopback."""

from collections.abc import Iterator

import pytest

from loopback import Loopback
from playdock.fetching.web import Fetcher


@pytest.fixture
def web() -> Iterator[Fetcher]:
    web = Fetcher()
    yield web
    web.close()


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture
def other() -> Iterator[Loopback]:
    """A second server, whose origin is not allowed unless a test allows it."""
    with Loopback() as running:
        yield running
