"""Removing a library from which games were imported, with its games."""

import pytest

from world import Caller, World

SOURCES = "/api/v1/admin/library/sources"


@pytest.fixture
def removed(world: World) -> tuple[Caller, str, str]:
    """An admin, a library that is about to be removed, and the task that will remove it."""
    world.put("Doom/1.0/doom")
    world.put("Quake/1.0/quake")
    admin = world.admin()
    library = world.library(admin)
    for game in ("Doom", "Quake"):
        world.import_game(admin, library, game)
    started = admin.post(f"{SOURCES}/{library['id']}/removal")
    assert started.status_code == 202, started.text
    return admin, library["id"], started.json()["taskId"]


def test_it_is_kept_if_this_is_undone_in_time(world: World, removed: tuple[Caller, str, str]) -> None:
    admin, library, task = removed
    [removal] = admin.get(f"{SOURCES}/removals").json()
    assert (removal["library"], removal["taskId"]) == (library, task)
    assert admin.post(f"{SOURCES}/{library}/removal").status_code == 409
    world.clock.advance(minutes=4)
    assert admin.delete(f"{SOURCES}/{library}/removal").status_code == 204
    world.clock.advance(minutes=2)
    assert world.finish(admin, task)["cancelled"]
    assert admin.get(f"{SOURCES}/removals").json() == []
    assert admin.get("/api/v1/store").json()["total"] == 2
    assert admin.delete(f"{SOURCES}/{library}/removal").json()["type"] == "removal-unknown"


def test_it_is_removed_with_its_games_but_without_its_files(world: World, removed: tuple[Caller, str, str]) -> None:
    admin, _, task = removed
    world.clock.advance(minutes=6)
    assert world.finish(admin, task)["success"]
    assert admin.get(SOURCES).json() == []
    assert admin.get("/api/v1/store").json()["total"] == 0
    assert (world.games / "Doom/1.0/doom").exists()
