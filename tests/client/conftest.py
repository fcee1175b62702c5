"""What tests of the client's engine share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from client.installations import Player
from client.lying_server import LyingServer, lying_server


@pytest.fixture
def lying() -> Iterator[LyingServer]:
    """A server that may lie."""
    with lying_server() as running:
        yield running


@pytest.fixture
def player(lying: LyingServer, tmp_path: Path) -> Iterator[Player]:
    """Somebody who installs from it."""
    with Player.at(lying.address, tmp_path / "game") as found:
        yield found
