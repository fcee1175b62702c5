"""What tests of the client's engine share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from client.installations import Player
from client.lying_server import HostileServer, lying_server


@pytest.fixture
def hostile() -> Iterator[HostileServer]:
    """A server that may lie."""
    with lying_server() as running:
        yield running


@pytest.fixture
def player(hostile: HostileServer, tmp_path: Path) -> Iterator[Player]:
    """Somebody who installs from it."""
    with Player.at(hostile.address, tmp_path / "game") as found:
        yield found
