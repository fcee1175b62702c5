"""Worlds that several of these tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mail_server import MailServer, mail_server
from mailing import SENDER, configure
from plans import GAMES
from playdock.metadata.providers import Providers
from shops import FakeProvider
from world import World, running_world


@pytest.fixture
def shop() -> FakeProvider:
    return FakeProvider("Steam", GAMES)


@pytest.fixture
def planning(database_url: str, tmp_path: Path, shop: FakeProvider) -> Iterator[World]:
    """A world whose only provider is a shop."""
    with running_world(tmp_path, database_url=database_url, providers=Providers([shop])) as running:
        yield running


@pytest.fixture
def mail(world: World) -> Iterator[MailServer]:
    """A mail server that the world uses."""
    with mail_server() as state:
        configure(world, smtp_server="127.0.0.1", smtp_port=str(state.port), smtp_tls="none", smtp_from=SENDER)
        yield state
