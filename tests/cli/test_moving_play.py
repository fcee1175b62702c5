"""Play time and notes of another server: also what has come since the first run."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import func, select

from other_servers import drop, romm
from playdock.models import MovedRow, PlaySession
from world import Caller, World

from .moving import migrate, prompt_of


@pytest.fixture
def household(address: str) -> Iterator[drop.DropDatabase]:
    with closing(drop.household(address, release="0.3")) as database:
        yield database


def _played(caller: Caller) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get("/api/v1/user/play-records").json()
    return found


def test_what_people_play_and_note_later_moves_with_a_later_run(
    embedded_world: World, household: drop.DropDatabase
) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    drop.library(world.games)
    migrate(prompt, household.address)
    ada = world.with_token(world.sign_in("ada", drop.PASSWORD).json()["accessToken"])
    bob = world.with_token(world.sign_in("bob", drop.PASSWORD).json()["accessToken"])
    assert [each["seconds"] for each in _played(ada)] == [3600]
    household.played("ada", "portal", 9000)
    household.played("bob", "doom", 60)

    later = migrate(prompt, household.address)

    assert "play sessions: 2" in later.out
    assert ([each["seconds"] for each in _played(ada)], [each["seconds"] for each in _played(bob)]) == ([9000], [60])
    assert ada.delete(f"/api/v1/user/play-records/{_played(ada)[0]['gameId']}").status_code == 204
    household.played("ada", "portal", 9500)
    assert "Nothing was added" in migrate(prompt, household.address).out
    assert _played(ada) == []


def test_sessions_and_notes_that_follow_move_with_a_later_run(embedded_world: World) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    romm.library(world.games)
    address = f"sqlite:///{world.folder}/other.sqlite"
    romm.household(address)
    options = ("migrate", "romm", "--from", address, "--map", f"/romm/library={world.games}")
    assert prompt.run(*options).status == 0
    romm.play_again(address)

    later = prompt.run(*options)

    assert "play sessions: 1" in later.out
    caller = world.with_token(world.sign_in("chell", drop.PASSWORD).json()["accessToken"])
    assert [each["seconds"] for each in _played(caller)] == [150 + romm.LATER_SECONDS]
    assert prompt.run("migrate", "romm", "--undo").status == 0
    with world.services.db.read() as session:
        assert session.scalar(select(func.count()).select_from(MovedRow)) == 0
        assert session.scalar(select(func.count()).select_from(PlaySession)) == 0
