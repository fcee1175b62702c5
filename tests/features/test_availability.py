"""Whether a game can be downloaded now."""

import threading
from typing import Any

import pytest

from playdock.domain.libraries.service import LibraryBackends
from playdock.features.libraries import service
from playdock.kit.messages import Message
from world import Caller, World


def _of(caller: Caller, game: str) -> Any:
    answer = caller.get(f"/api/v1/games/{game}/availability")
    return answer.json()["available"] if answer.status_code == 200 else answer.status_code


@pytest.fixture
def game(world: World) -> str:
    world.put("Doom/1.0/doom")
    admin = world.admin()
    return world.import_game(admin, world.library(admin), "Doom")


def test_a_game_is_available_while_its_folder_can_be_read(world: World, game: str) -> None:
    bob = world.person("bob")
    assert _of(bob, game) is True
    elsewhere = world.games.rename(world.folder / "elsewhere")
    assert _of(bob, game) is False
    # A share that is not mounted.
    world.games.mkdir()
    assert _of(bob, game) is False
    world.games.rmdir()
    elsewhere.rename(world.games)
    assert _of(bob, game) is True
    assert _of(bob, "no-game") == 404


def test_a_disk_that_does_not_respond_is_not_waited_for(
    world: World, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    responds = threading.Event()

    def hang(_backends: LibraryBackends, _library: object, *, has_games: bool) -> Message | None:
        assert has_games
        responds.wait(60)
        return None

    monkeypatch.setattr(service, "_PROBE_SECONDS", 0.1)
    monkeypatch.setattr(LibraryBackends, "fault_of", hang)
    bob = world.person("bob")
    assert (_of(bob, game), _of(bob, game)) == (False, False)
    responds.set()
    monkeypatch.setattr(service, "_PROBE_SECONDS", 60)
    assert _of(bob, game) is True
