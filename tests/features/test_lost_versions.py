"""Lost versions: one that was renamed or moved within its library is recognized by its content."""

import shutil

import pytest

import beside
from library_files import content, versions_of
from lost_versions import LOST, MOVED, candidates, lay, move, moved, refused, renamed_folder, renamed_version
from playdock.kit.messages import Message
from playdock.storage.backends import Filesystem, GameUnreadable
from spoiling import add_version, damaged_files, stand, verify_all
from world import World


def test_a_version_that_was_renamed_in_the_folder_of_its_game_is_recognized(world: World) -> None:
    admin, game, version = renamed_version(world)
    [lost] = admin.get(LOST).json()
    assert lost["version"] == {
        "id": version,
        "name": "1.0",
        "beside": False,
        "label": "1.0",
        "game": game,
        "gameName": "Doom",
        "library": admin.get("/api/v1/admin/library/sources").json()[0]["id"],
        "path": "Doom",
    }
    assert lost["candidates"][0] == {"name": "Doom v1.0", "beside": False, "share": 1.0}
    # The folder of the game is where it was.
    assert admin.get(MOVED).json() == []


@pytest.mark.parametrize("backend", [beside.FLAT, "MixedFilesystem"])
def test_a_version_beside_the_folder_of_its_game_is_recognized(world: World, backend: str) -> None:
    admin, _, _ = renamed_folder(world, backend)
    assert candidates(admin) == {"Doom 1.1": [("Doom 1.1 (GOG)", True, 1.0)]}


def test_a_version_is_found_that_was_moved_out_of_the_folder_of_its_game(world: World) -> None:
    beside.put(world, "Doom/1.0", "Doom/1.1")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin, backend="MixedFilesystem"), "Doom")
    for name in ("1.0", "1.1"):
        add_version(world, admin, game, name)
    (world.games / "Doom/1.1").rename(world.games / "Doom 1.1")
    verify_all(world, admin)
    assert candidates(admin) == {"1.1": [("Doom 1.1", True, 1.0)]}
    version = versions_of(admin, game)["1.1"]

    moved(world, admin, version, "Doom 1.1", beside=True)

    assert versions_of(admin, game)["Doom 1.1"] == version
    assert content(admin, version)[0] == 200
    # And back.
    (world.games / "Doom 1.1").rename(world.games / "Doom/v1.1")
    verify_all(world, admin)
    moved(world, admin, version, "v1.1")
    assert damaged_files(admin) == []
    assert content(admin, version)[0] == 200


def test_a_version_that_is_back_is_not_lost(world: World) -> None:
    admin, _, version = renamed_version(world)
    shutil.copytree(world.games / "Doom/Doom v1.0", world.games / "Doom/1.0")
    assert candidates(admin) == {}
    assert refused(move(admin, version, "Doom v1.0")) == (409, "version-not-missing")


def test_versions_of_a_lost_game_are_not_listed_beside_it(world: World) -> None:
    lay(world)
    lay(world, "Quake")
    admin, _ = stand(world, "1.0")
    (world.games / "Doom").rename(world.games / "Doom (1993)")
    verify_all(world, admin)
    assert [each["game"]["name"] for each in admin.get(MOVED).json()] == ["Doom"]
    assert candidates(admin) == {}


def test_versions_of_an_unavailable_library_are_not_lost(world: World) -> None:
    admin, _, _ = renamed_version(world)
    world.games.rename(world.folder / "elsewhere")
    assert candidates(admin) == {}


def test_versions_in_an_unreadable_folder_are_not_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, _, version = renamed_version(world)

    def fail(*_: object) -> None:
        raise GameUnreadable(Message("folder-unreadable"))

    monkeypatch.setattr(Filesystem, "versions_of_listed", fail)
    assert candidates(admin) == {}
    assert refused(move(admin, version, "Doom v1.0")) == (503, "game-folder-unreadable")


def test_a_version_that_is_gone_has_no_candidates(world: World) -> None:
    admin, _, _ = renamed_version(world)
    shutil.rmtree(world.games / "Doom/Doom v1.0")
    world.put("Doom/2.0/doom", b"another program")
    assert candidates(admin) == {"1.0": []}
