"""Moved games: a folder that was renamed or put elsewhere is recognized by its content, and the game goes on there."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from databases import PostgresqlDatabases
from plans import PROGRAM
from playdock.domain.games.queries import NewGame, add_game
from playdock.features.moved_games.rules import without_taken
from playdock.features.moved_games.service import MoveCandidate
from playdock.kit.identifiers import new_id
from races import call_meanwhile
from scanning import SOURCES
from spoiling import add_version, corrupt_file, damaged_files, etag, stand, verify_all, version_of
from versions_to_import import pack
from world import Caller, World, at_once, running_world

MOVED = "/api/v1/admin/import/moved"
UNKNOWN = "00000000-0000-0000-0000-000000000000"


def lay(world: World, game: str = "Doom", version: str = "1.0") -> Path:
    world.put(f"{game}/{version}/doom", b"#!/bin/sh", mode=0o755)
    return world.put(f"{game}/{version}/doom.wad", os.urandom(300_000)).parents[1]


def rename(world: World, name: str = "Doom (1993)") -> None:
    (world.games / "Doom").rename(world.games / name)


def library_of(admin: Caller, number: int = 0) -> str:
    found: str = admin.get("/api/v1/admin/library/sources").json()[number]["id"]
    return found


def move(admin: Caller, game: str, path: str = "Doom (1993)", **wanted: Any) -> httpx2.Response:
    return admin.post(f"/api/v1/admin/game/{game}/move", {"library": library_of(admin), "path": path, **wanted})


def candidates(admin: Caller) -> list[tuple[str, str, float]]:
    """All lost games' folders with their candidates and shares."""
    found = admin.get(MOVED)
    assert found.status_code == 200, found.text
    return [(lost["game"]["path"], each["path"], each["share"]) for lost in found.json() for each in lost["candidates"]]


def places(admin: Caller) -> list[str]:
    return [each["game"]["libraryPath"] for each in admin.get("/api/v1/admin/library").json()["games"]]


# --- Recognizing ---


def test_a_renamed_folder_is_recognized(world: World) -> None:
    lay(world)
    lay(world, "Quake")
    admin, game = stand(world, "1.0")
    rename(world)

    [lost] = admin.get(MOVED).json()

    library = library_of(admin)
    assert lost["game"] == {"id": game, "name": "Doom", "library": library, "path": "Doom"}
    assert lost["candidates"][0] == {"library": library, "path": "Doom (1993)", "share": 1.0}


@pytest.mark.parametrize("backend", ["Filesystem", "MixedFilesystem"])
def test_a_folder_that_was_moved_into_another_one_is_found_there(world: World, backend: str) -> None:
    lay(world)
    admin = world.admin()
    library = world.library(admin, backend=backend)
    game = world.import_game(admin, library, "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    (world.games / "Old").mkdir()
    (world.games / "Doom").rename(world.games / "Old/Doom")
    [lost] = admin.get(MOVED).json()
    assert (lost["candidates"], lost["inside"]) == ([], {"library": library["id"], "path": "Old"})


def test_a_game_that_was_moved_into_another_folder_of_a_flat_library_is_found_there(world: World) -> None:
    world.put("Doom 1.0/doom", PROGRAM, mode=0o755)
    admin = world.admin()
    library = world.library(admin, backend="FlatFilesystem")
    game = world.import_game(admin, library, "Doom 1.0")
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    (world.games / "Other").mkdir()
    (world.games / "Doom 1.0").rename(world.games / "Other/Doom 1.0")
    [lost] = admin.get(MOVED).json()
    assert (lost["candidates"], lost["inside"]) == ([], {"library": library["id"], "path": "Other"})


def test_the_folder_of_another_game_is_no_candidate() -> None:
    mine, theirs, other = MoveCandidate("a", 1.0), MoveCandidate("a", 0.5), MoveCandidate("b", 0.5)  # type: ignore[arg-type]
    assert without_taken([[mine, other], [theirs, other], [mine]]) == [[mine, other], [other], [mine]]


def test_a_moved_game_is_called_after_its_new_folder(world: World) -> None:
    world.put("Doom v1.0/doom", PROGRAM, mode=0o755)
    admin = world.admin()
    library = world.library(admin, backend="FlatFilesystem")
    game = world.import_game(admin, library, "Doom v1.0")
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    for folder, label in (("Doom v1.1", "1.1"), ("Doom, final", "1.1")):
        next(each for each in world.games.iterdir()).rename(world.games / folder)
        assert move(admin, game, folder).status_code == 200
        [version] = admin.get(f"/api/v1/admin/game/{game}").json()["versions"]
        assert version["label"] == label


def test_a_game_in_its_original_folder_is_not_missing(world: World) -> None:
    shutil.copytree(lay(world), world.games / "Doom (1993)")
    admin, _ = stand(world, "1.0")
    assert candidates(admin) == []


def test_games_of_an_unavailable_library_are_not_missing(world: World) -> None:
    lay(world)
    admin, _ = stand(world, "1.0")
    world.library(admin, world.folder / "other")
    world.games.rename(world.folder / "other/Doom")
    assert candidates(admin) == []


def test_games_of_an_empty_folder_are_missing_only_if_they_are_elsewhere(world: World) -> None:
    """A disk that is away often leaves an empty folder behind."""
    lay(world)
    admin, _ = stand(world, "1.0")
    world.library(admin, world.folder / "other")
    (world.games / "Doom").rename(world.folder / "away")
    [own] = [each for each in admin.get(SOURCES).json() if each["options"]["baseDir"] == str(world.games)]
    assert (own["working"], admin.get(MOVED).json()) == (False, [])
    checks = admin.get("/api/v1/admin/statistics").json()["health"]["checks"]
    assert [each["detailCode"] for each in checks if each["detailCode"] == "library-faulty"] == ["library-faulty"]

    (world.folder / "away").rename(world.folder / "other/Doom")
    assert candidates(admin) == [("Doom", "Doom", 1.0)]


def test_a_library_with_archives_is_not_empty_in_another_layout(world: World) -> None:
    pack(world.games / "Doom.zip", {"doom": PROGRAM})
    admin = world.admin()
    library = world.library(admin, backend="FlatFilesystem")
    world.import_game(admin, library, "Doom.zip")
    changed = admin.patch(SOURCES, {"id": library["id"], "backend": "Filesystem"})
    assert (changed.status_code, changed.json()["working"]) == (200, True)


def test_a_folder_with_different_content_is_not_a_candidate(world: World) -> None:
    lay(world)
    world.put("Doom (1993)/1.0/doom", b"another program")
    world.put("Quake/2.0/quake")
    (world.games / "Empty").mkdir()
    admin, _ = stand(world, "1.0")
    shutil.rmtree(world.games / "Doom")
    assert candidates(admin) == []


def test_candidates_have_their_share_of_matching_content(world: World) -> None:
    lay(world)
    lay(world, version="1.1")
    admin, _ = stand(world, "1.0", "1.1")
    shutil.copytree(world.games / "Doom", world.games / "Doom copy")
    shutil.rmtree(world.games / "Doom copy/1.1")
    rename(world)
    assert candidates(admin) == [("Doom", "Doom (1993)", 1.0), ("Doom", "Doom copy", 0.5)]


def test_games_with_deleted_folders_do_not_hide_a_moved_game(world: World) -> None:
    for number in range(22):
        (world.games / f"Arx Fatalis {number}").mkdir(parents=True)
    lay(world)
    admin, _ = stand(world, "1.0")
    for number in range(22):
        world.import_game(admin, {"id": library_of(admin)}, f"Arx Fatalis {number}")
        (world.games / f"Arx Fatalis {number}").rmdir()
    rename(world)
    assert candidates(admin) == [("Doom", "Doom (1993)", 1.0)]


# --- Moving ---


def test_a_moved_game_keeps_its_versions_and_collections(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    bob = world.person("bob")
    assert bob.post("/api/v1/collection/default/entry", {"id": game}).is_success
    version = version_of(bob, game)
    collection = bob.get("/api/v1/collection").json()
    rename(world)

    moved = move(admin, game)

    assert (moved.status_code, moved.json()) == (200, {"taskIds": []})
    assert (places(admin), world.unimported(admin), candidates(admin)) == (["Doom (1993)"], [], [])
    assert (version_of(bob, game), bob.get("/api/v1/collection").json()) == (version, collection)
    assert bob.get(f"/api/v1/versions/{version['id']}/files/doom").content == b"#!/bin/sh"


def test_files_copied_with_new_times_are_served_again(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    version = version_of(admin, game)["id"]
    before = etag(admin, version)
    other = world.library(admin, world.folder / "other")
    shutil.copytree(world.games / "Doom", world.folder / "other/Doom", copy_function=shutil.copyfile)
    (world.folder / "other/Doom/1.0/doom").chmod(0o755)
    shutil.rmtree(world.games / "Doom")
    assert candidates(admin) == [("Doom", "Doom", 1.0)]

    moved = move(admin, game, "Doom", library=other["id"])
    for task in moved.json()["taskIds"]:
        assert world.finish(admin, task)["success"]

    served = admin.get(f"/api/v1/versions/{version}/files/doom")
    assert (len(moved.json()["taskIds"]), served.content, etag(admin, version)) == (1, b"#!/bin/sh", before)
    verify_all(world, admin)
    assert damaged_files(admin) == []


def test_damage_caused_only_by_the_move_is_cleared(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    rename(world)
    verify_all(world, admin)
    missing = damaged_files(admin)

    for task in move(admin, game).json()["taskIds"]:
        assert world.finish(admin, task)["success"]

    assert (missing, damaged_files(admin)) == ([("", "missing")], [])


def test_a_game_without_versions_can_be_moved(world: World) -> None:
    (world.games / "Doom").mkdir(parents=True)
    admin, game = stand(world)
    rename(world)
    assert (move(admin, game).status_code, places(admin)) == (200, ["Doom (1993)"])


# --- What stays where it is ---


def test_different_content_is_named(world: World) -> None:
    lay(world)
    lay(world, version="1.1")
    admin, game = stand(world, "1.0")
    add_version(world, admin, game, "1.1")
    rename(world)
    (world.games / "Doom (1993)/1.1/doom").unlink()

    refused = move(admin, game)

    assert (refused.status_code, refused.json()["type"]) == (409, "content-differs")
    assert "In the version 1.1: \u201cdoom\u201d is missing." in refused.json()["detail"]
    assert places(admin) == ["Doom"]


def test_different_bytes_of_the_same_size_are_detected(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    rename(world)
    corrupt_file(world.games / "Doom (1993)/1.0/doom.wad", at=150_000)
    refused = move(admin, game)
    assert (candidates(admin)[0][2], refused.status_code) == (1.0, 409)
    assert "\u201cdoom.wad\u201d has different content." in refused.json()["detail"]


def test_a_missing_version_is_named(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    rename(world)
    (world.games / "Doom (1993)/1.0").rename(world.games / "Doom (1993)/2.0")
    assert "The version 1.0 is missing." in move(admin, game).json()["detail"]


def test_an_invalid_move_target_is_rejected(world: World) -> None:
    lay(world)
    lay(world, "Quake")
    admin, game = stand(world, "1.0")
    world.import_game(admin, {"id": library_of(admin)}, "Quake")

    answers = [
        move(admin, game, "Quake"),
        move(admin, game, "Doom"),
        move(admin, game, "nowhere"),
        move(admin, game, "../games/Doom"),
        move(admin, game, library=UNKNOWN),
        move(admin, UNKNOWN),
    ]

    assert [(each.status_code, each.json()["type"]) for each in answers] == [
        (409, "game-already-imported"),
        (409, "game-already-imported"),
        (404, "game-not-listed"),
        (404, "game-not-listed"),
        (404, "library-unknown"),
        (404, "game-unknown"),
    ]


def test_a_game_cannot_be_moved_to_an_unavailable_library(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    world.games.rename(world.folder / "away")
    assert (move(admin, game).status_code, move(admin, game).json()["type"]) == (503, "library-unavailable")


def test_moving_a_game_requires_both_permissions(world: World) -> None:
    admin = world.admin()
    for rights in (["system:game:update"], ["system:import:game:read"]):
        program = world.token_of(admin, *rights)
        draft = {"library": UNKNOWN, "path": "Doom"}
        assert program.post(f"/api/v1/admin/game/{UNKNOWN}/move", draft).status_code == 403


# --- Races ---


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(3))
def test_concurrent_move_and_import_use_a_folder_once(world: World, attempt: int) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    rename(world)
    draft = {"library": library_of(admin), "path": "Doom (1993)"}

    moved, imported = at_once(
        [
            lambda: move(admin, game),
            lambda: world.any_user().http.post(
                "/api/v1/admin/import/game", json=draft, headers={"Authorization": f"Bearer {admin.token}"}
            ),
        ]
    )

    started = imported.status_code == 202
    became_a_game = started and world.finish(admin, imported.json()["taskId"])["success"]
    assert (moved.status_code == 200, became_a_game) in ((True, False), (False, True))
    assert sorted(places(admin)) == (["Doom", "Doom (1993)"] if became_a_game else ["Doom (1993)"])


@pytest.fixture
def shared(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[World]:
    """A world on PostgreSQL, where others look on while somebody changes something."""
    with running_world(tmp_path, database_url=postgresql_databases.fresh(tmp_path)) as running:
        yield running


def test_a_folder_imported_during_a_move_is_rejected(shared: World) -> None:
    world = shared
    lay(world)
    admin, game = stand(world, "1.0")
    rename(world)
    other = NewGame(new_id(), library_of(admin), "Doom (1993)", "Another", layout=None)
    refused = call_meanwhile(
        world, lambda session: add_game(session, other, at=world.clock()), lambda: move(admin, game)
    )
    assert (refused.status_code, refused.json()["type"]) == (409, "game-already-imported")
    assert sorted(places(admin)) == ["Doom", "Doom (1993)"]
