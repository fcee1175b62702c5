"""The app of a player who is signed in, and a window of it."""

from collections.abc import Iterator

import pytest

from client.app.window import App, Window, running_app
from client.commands.conftest import Player, ServerWithGames, member, player, shop

__all__ = ["member", "player", "shop"]


@pytest.fixture
def app(member: Player, shop: ServerWithGames) -> Iterator[App]:
    """The app, of a player who has signed in before."""
    with running_app(member, shop.address) as running:
        yield running


@pytest.fixture
def window(app: App) -> Iterator[Window]:
    with app.window() as opened:
        yield opened
