"""Assigning a lost version to the folder or archive that it is now."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete
from sqlalchemy.orm import Session

import beside
from databases import PostgresqlDatabases
from library_files import content, versions_of, write
from lost_versions import LOST, UNKNOWN, candidates, lay, move, moved, refused, renamed_folder, renamed_version
from plans import PLAN, PROGRAM, computed, row_of
from playdock import stored
from playdock.domain.events.rules import EventType
from playdock.domain.games import queries as game_queries
from playdock.domain.games.queries import NewGame, add_game
from playdock.domain.libraries import queries as library_queries
from playdock.domain.library_files.rules import place_id
from playdock.features.library_files.rules import ChangeKind
from playdock.kit.identifiers import new_id
from playdock.models import FileChange, PatchSet
from playdock.stored_file_changes import StoredFileChange
from races import call_meanwhile
from scanning import HALF_AN_HOUR, announced, look, set_rules
from spoiling import DAMAGE, add_version, corrupt_file, damaged_files, etag, stand, verify_all
from unpacking_versions import pack
from uploads import folder_of, managed_library
from waiting import wait_until
from world import World, running_world


def test_a_moved_version_keeps_its_id_and_can_be_installed(world: World) -> None:
    admin, game, version = renamed_version(world)
    before = etag(admin, version)
    assert damaged_files(admin) != []

    moved(world, admin, version, "Doom v1.0")

    assert versions_of(admin, game)["Doom v1.0"] == version
    assert etag(admin, version) == before
    assert damaged_files(admin) == []
    assert content(admin, version)[0] == 200
    shown = {each["id"]: each for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]}[version]
    assert (shown["name"], shown["label"], shown["beside"]) == ("Doom v1.0", "1.0", False)
    assert admin.get(LOST).json() == []


def test_a_moved_version_beside_its_game_leaves_the_plan(planning: World) -> None:
    admin, game, version = renamed_folder(planning)
    assert row_of(computed(planning, admin), "Doom 1.1 (GOG)")

    moved(planning, admin, version, "Doom 1.1 (GOG)", beside=True)

    assert admin.get(PLAN).json()["rows"] == []
    assert planning.unimported(admin) == []
    assert versions_of(admin, game)["Doom 1.1 (GOG)"] == version
    shown = {each["id"]: each for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]}[version]
    assert shown["label"] == "1.1 (GOG)"
    assert damaged_files(admin) == []
    assert content(admin, version)[1].count(b"Doom 1.1") == 1000


@pytest.mark.parametrize("renamed", [False, True])
def test_a_rule_imports_a_new_version_and_not_a_renamed_one(planning: World, *, renamed: bool) -> None:
    admin, library, game = beside.stand(planning, "Doom 1.0", "Doom 1.1")
    beside.add(planning, admin, game, "Doom 1.1")
    set_rules(admin, library, importVersions=True)
    look(planning, admin)
    if renamed:
        (planning.games / "Doom 1.1").rename(planning.games / "Doom 1.2")
    else:
        beside.put(planning, "Doom 1.2")
    for _ in range(4):
        look(planning, admin, later=HALF_AN_HOUR)
    assert ("Doom 1.2" in versions_of(admin, game)) is not renamed
    if renamed:
        version = versions_of(admin, game)["Doom 1.1"]
        moved(planning, admin, version, "Doom 1.2", beside=True)
        look(planning, admin, later=HALF_AN_HOUR)
        assert list(versions_of(admin, game)) == ["Doom 1.2", "default"]
        assert announced(planning, EventType.VERSION_IMPORTED) == []
        assert damaged_files(admin) == []


def test_all_new_versions_are_imported_but_not_a_renamed_one(world: World) -> None:
    admin, game, version = renamed_version(world)
    world.put("Quake/1.0/quake", b"#!/bin/sh", mode=0o755)
    quake = world.import_game(admin, admin.get("/api/v1/admin/library/sources").json()[0], "Quake")
    started = admin.post("/api/v1/admin/import/version/new")
    task = world.finish(admin, started.json()["taskId"])
    assert task["success"], task
    assert any("under another name" in line for line in task["log"])
    wait_until(lambda: list(versions_of(admin, quake)) == ["1.0"])
    assert set(versions_of(admin, game)) == {"1.0", "1.1"}
    moved(world, admin, version, "Doom v1.0")


def test_a_version_with_more_files_is_another_one(world: World) -> None:
    admin, _, version = renamed_version(world)
    world.put("Doom/Doom v1.0/expansion.wad")
    assert candidates(admin) == {"1.0": [("Doom v1.0", False, 1.0)]}
    answer = move(admin, version, "Doom v1.0")
    assert refused(answer) == (409, "other-version")
    assert "“expansion.wad” is not a file of the version." in answer.json()["detail"]


def test_an_archive_that_was_renamed_is_found_again(world: World, tmp_path: Path) -> None:
    beside.put(world, "Doom 1.0")
    world.put("game/doom", PROGRAM, mode=0o755).parent.rename(tmp_path / "game")
    pack(tmp_path / "game", world.games / "Doom 1.1.zip")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin, backend=beside.FLAT), "Doom 1.0")
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    beside.add(world, admin, game, "Doom 1.1.zip")
    version = versions_of(admin, game)["Doom 1.1.zip"]
    (world.games / "Doom 1.1.zip").rename(world.games / "final.zip")
    verify_all(world, admin)

    moved(world, admin, version, "final.zip", beside=True)

    shown = {each["id"]: each for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]}[version]
    assert (shown["name"], shown["label"]) == ("final.zip", "1.1"), "a name that says no version keeps the label"
    assert content(admin, version)[0] == 200


def test_a_folder_that_is_about_to_be_deleted_is_refused(world: World) -> None:
    admin, _, version = renamed_folder(world)
    library = admin.get("/api/v1/admin/library/sources").json()[0]["id"]
    change = FileChange(
        id=new_id(),
        kind=ChangeKind.DELETE_UNIMPORTED,
        game_id=place_id(library, "Doom 1.1 (GOG)"),
        library_id=library,
        task_id=new_id(),
        switched=False,
        created=world.clock(),
        change=stored.encode(StoredFileChange(paths=(), target_library=library)),
    )
    with world.services.db.write() as session:
        session.add(change)
    assert refused(move(admin, version, "Doom 1.1 (GOG)", beside=True)) == (409, "task-already-running")


def test_a_folder_that_is_assigned_meanwhile_is_not_deleted(shared: World) -> None:
    admin = shared.admin()
    library = managed_library(admin, backend=beside.FLAT)
    for folder in ("Doom 1.0", "Doom 1.1", "Doom 1.2"):
        write(library, f"{folder}/doom", PROGRAM)
    game = shared.import_game(admin, library, "Doom 1.0")
    assert shared.import_version(admin, game, "default", launch="doom")["success"]
    beside.add(shared, admin, game, "Doom 1.1")
    version = versions_of(admin, game)["Doom 1.1"]

    def assign(session: Session) -> None:
        library_queries.lock(session, library["id"])
        game_queries.change_version(session, version, {"name": "Doom 1.2"})

    body = {"library": library["id"], "game": "Doom 1.2"}
    answer = call_meanwhile(shared, assign, lambda: admin.delete("/api/v1/admin/import/files", body))
    assert refused(answer) == (409, "files-imported")
    assert (folder_of(library) / "Doom 1.2/doom").exists()


def test_a_version_is_found_among_many_folders(world: World) -> None:
    beside.put(world, "Doom/1.0", "Doom/1.1")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin, backend="MixedFilesystem"), "Doom")
    for name in ("1.0", "1.1"):
        add_version(world, admin, game, name)
    (world.games / "Doom/1.1").rename(world.games / "Doom 1.1")
    for number in range(60):
        world.put(f"Alpha {number}/alpha")
    verify_all(world, admin)
    assert candidates(admin) == {"1.1": [("Doom 1.1", True, 1.0)]}


def test_a_renamed_version_is_found_among_many_that_are_gone(world: World) -> None:
    names = [f"1.{number}" for number in range(23)]
    for name in names:
        lay(world, version=name)
    lay(world, "Quake")
    admin, game = stand(world, *names)
    quake = world.import_game(admin, admin.get("/api/v1/admin/library/sources").json()[0], "Quake")
    add_version(world, admin, quake, "1.0")
    (world.games / "Quake/1.0").rename(world.games / "Quake/v1")
    verify_all(world, admin)
    for name in names:
        shutil.rmtree(world.games / "Doom" / name)
    verify_all(world, admin)
    found = admin.get(LOST).json()
    assert (found[0]["version"]["gameName"], found[0]["candidates"][0]["name"]) == ("Quake", "v1")
    assert [each["candidates"] for each in found[1:]].count(None) == 4, "candidates are sought for twenty versions"
    assert game in {each["version"]["game"] for each in found}


def test_patches_are_created_when_the_files_are_back(world: World) -> None:
    admin, game, version = renamed_version(world)
    newer = versions_of(admin, game)["1.1"]
    os.utime(world.games / "Doom/Doom v1.0/doom.wad", (1, 1))
    with world.services.db.write() as session:
        session.execute(delete(PatchSet))
    moved(world, admin, version, "Doom v1.0")
    patches = f"/api/v1/versions/{newer}/patches?from={version}"
    wait_until(lambda: admin.get(patches).status_code == 200)


def test_only_the_same_content_is_accepted(world: World) -> None:
    admin, game, version = renamed_version(world)
    corrupt_file(world.games / "Doom/Doom v1.0/doom.wad", at=1000)
    answer = move(admin, version, "Doom v1.0")
    assert refused(answer) == (409, "other-version")
    assert "doom.wad" in answer.json()["detail"]
    assert versions_of(admin, game)["1.0"] == version


@pytest.mark.parametrize(
    ("name", "is_beside", "error"),
    [
        ("1.1", False, (409, "other-version")),
        ("2.0", False, (404, "version-not-listed")),
        ("../Quake", False, (404, "version-not-listed")),
        ("Quake", True, (404, "version-not-listed")),
    ],
)
def test_other_places_are_refused(world: World, name: str, *, is_beside: bool, error: tuple[int, str]) -> None:
    lay(world, "Quake")
    admin, _, version = renamed_version(world)
    assert refused(move(admin, version, name, beside=is_beside)) == error
    assert candidates(admin) == {"1.0": [("Doom v1.0", False, 1.0)]}


def test_a_place_of_another_version_or_game_is_refused(world: World) -> None:
    admin, game, version = renamed_folder(world)
    library: dict[str, Any] = admin.get("/api/v1/admin/library/sources").json()[0]
    other = world.import_game(admin, library, "Doom 1.1 (GOG)")
    assert other != game
    assert refused(move(admin, version, "Doom 1.1 (GOG)", beside=True)) == (409, "version-already-imported")


@pytest.fixture
def shared(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[World]:
    """A world on PostgreSQL, where others look on while somebody changes something."""
    with running_world(tmp_path, database_url=postgresql_databases.fresh(tmp_path)) as running:
        yield running


def test_a_folder_that_becomes_a_game_meanwhile_is_refused(shared: World) -> None:
    world = shared
    admin, _, version = renamed_folder(world)
    library = admin.get("/api/v1/admin/library/sources").json()[0]["id"]
    other = NewGame(new_id(), library, "Doom 1.1 (GOG)", "Another", layout=beside.FLAT)
    answer = call_meanwhile(
        world,
        lambda session: add_game(session, other, at=world.clock()),
        lambda: move(admin, version, "Doom 1.1 (GOG)", beside=True),
    )
    assert refused(answer) == (409, "version-already-imported")


def test_an_imported_copy_of_a_version_is_refused(world: World) -> None:
    admin, game, version = renamed_version(world)
    add_version(world, admin, game, "Doom v1.0")
    assert candidates(admin) == {"1.0": []}
    assert refused(move(admin, version, "Doom v1.0")) == (409, "version-already-imported")


def test_moving_requires_permissions_and_a_version(world: World) -> None:
    admin, _, version = renamed_version(world)
    bob = world.person("bob")
    assert bob.get(LOST).status_code == 403
    assert move(bob, version, "Doom v1.0").status_code == 403
    assert refused(move(admin, UNKNOWN, "Doom v1.0")) == (404, "version-unknown")
    assert len(admin.get(DAMAGE).json()) == 1
