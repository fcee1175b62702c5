"""Files of managed libraries that are not imported are deleted, and restored from the trash."""

from typing import Any

import httpx2
import pytest

from library_files import TRASH, done, files_of, hidden, kill_once_after, restore, write
from plans import computed
from playdock.features.library_files.changes import FileChanges
from playdock.features.library_files.switching import Switch
from playdock.storage.moving_files import FilesMove
from uploads import managed_library
from world import Caller, World

FILES = "/api/v1/admin/import/files"
_FILES = [
    *("Doom/1.0/doom", "Doom/1.1.7z", "Doom/setup_doom.exe", "Doom/setup_doom-1.bin"),
    *("Doom/a.part1.rar", "Doom/a.part2.rar", "Doom/b.part2.rar", "Quake.zip"),
]


IGNORED = "/api/v1/admin/import/ignored"


def delete(admin: Caller, library: dict[str, Any], game: str, version: str | None = None) -> httpx2.Response:
    return admin.request("DELETE", FILES, json={"library": library["id"], "game": game, "version": version})


@pytest.mark.parametrize(
    ("backend", "game", "version", "deleted"),
    [
        ("Filesystem", "Doom", None, _FILES[:-1]),
        ("Filesystem", "Doom", "1.0", ["Doom/1.0/doom"]),
        ("Filesystem", "Doom", "1.1.7z", ["Doom/1.1.7z"]),
        ("Filesystem", "Doom", "setup_doom.exe", ["Doom/setup_doom.exe", "Doom/setup_doom-1.bin"]),
        ("Filesystem", "Doom", "a.part1.rar", ["Doom/a.part1.rar", "Doom/a.part2.rar"]),
        ("FlatFilesystem", "Quake.zip", None, ["Quake.zip"]),
        ("FlatFilesystem", "Quake.zip", "default", ["Quake.zip"]),
    ],
)
def test_what_is_not_imported_is_deleted_and_restored(
    world: World, backend: str, game: str, version: str | None, deleted: list[str]
) -> None:
    admin = world.admin()
    library = managed_library(admin, backend=backend)
    for path in _FILES:
        write(library, path, b"half a copy")
    before = files_of(library)
    computed(world, admin)

    assert done(world, admin, delete(admin, library, game, version))["success"]

    assert files_of(library) == sorted(set(before) - set(deleted))
    [item] = admin.get(TRASH).json()
    assert (item["gameName"], item["size"]) == (game, len(b"half a copy") * len(deleted))
    assert done(world, admin, restore(admin, item["id"]))["success"]
    assert (files_of(library), hidden(library), admin.get(TRASH).json()) == (before, [], [])


def test_a_deleted_folder_is_no_longer_in_the_plan(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    write(library, "Doom/1.0/doom")
    assert computed(world, admin)["total"] == 1
    assert done(world, admin, delete(admin, library, "Doom"))["success"]
    assert admin.get("/api/v1/admin/import/plan").json()["total"] == 0


def test_only_what_is_there_and_not_imported_is_deleted(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    for version in ("1.0", "1.1"):
        write(library, f"Doom/{version}/doom")
    game = world.import_game(admin, library, "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    read_only = world.library(admin)
    world.put("Quake/1.0/quake")

    def refusal(*named: Any) -> str:
        kind: str = delete(admin, *named).json()["type"]
        return kind

    assert refusal(library, "Doom") == "files-imported"
    assert refusal(library, "Doom", "1.0") == "files-imported"
    assert refusal(library, "Doom", "2.0") == "version-not-listed"
    assert refusal(library, "Doom", "../Doom") == "version-not-listed"
    assert refusal(library, "..") == "game-not-listed"
    assert refusal(library, ".playdock") == "game-not-listed"
    assert refusal(read_only, "Quake") == "library-not-managed"
    assert world.person().request("DELETE", FILES, json={"library": "x", "game": "y"}).status_code == 403
    assert done(world, admin, delete(admin, library, "Doom", "1.1"))["success"]
    assert files_of(library) == ["Doom/1.0/doom"]


@pytest.mark.parametrize("version", [None, "1.0"])
def test_what_is_imported_in_between_stays(world: World, monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    admin = world.admin()
    library = managed_library(admin)
    write(library, "Doom/1.0/doom")
    original = FileChanges.names_in

    def import_then_continue(*given: Any) -> list[str]:
        game = world.import_game(admin, library, "Doom")
        assert world.import_version(admin, game, "1.0", launch="doom")["success"]
        return original(*given)

    monkeypatch.setattr(FileChanges, "names_in", import_then_continue)
    answer = delete(admin, library, "Doom", version)
    if version is None:
        assert (answer.status_code, answer.json()["type"]) == (409, "files-imported")
    else:
        task = done(world, admin, answer)
        assert (task["success"], task["error"]["code"]) == (False, "files-imported")
    assert (files_of(library), hidden(library), admin.get(TRASH).json()) == (["Doom/1.0/doom"], [], [])


def test_the_folder_of_a_game_without_imported_versions_is_deleted_as_a_game(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="FlatFilesystem")
    write(library, "Doom/doom")
    world.import_game(admin, library, "Doom")
    assert delete(admin, library, "Doom", "default").json()["type"] == "files-imported"
    assert files_of(library) == ["Doom/doom"]


@pytest.mark.parametrize("step", [(FilesMove, "_rename"), (FilesMove, "carry_out"), (Switch, "apply")])
def test_a_deletion_that_was_killed_is_completed(
    world: World, monkeypatch: pytest.MonkeyPatch, step: tuple[type, str]
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    for name in ("setup_doom.exe", "setup_doom-1.bin"):
        write(library, f"Doom/{name}")
    owner, name = step
    killed = kill_once_after(monkeypatch, owner, name)
    assert done(world, admin, delete(admin, library, "Doom", "setup_doom.exe"))["success"]
    [item] = admin.get(TRASH).json()
    assert (killed, files_of(library), item["versionName"]) == ([name], [], "setup_doom.exe")


@pytest.mark.both_databases
def test_a_version_is_ignored_and_offered_again(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)
    for path in ("Doom/1.0/doom", "Doom/demo/doom", "Redist/1/setup"):
        (world.games / path).parent.mkdir(parents=True)
        (world.games / path).write_bytes(b"#!/bin/sh")
    named = {"library": library["id"], "game": "Doom", "version": "demo"}

    def offered() -> dict[str, list[str]]:
        return {
            each["game"]: sorted(one["version"] for one in each["versions"]) for each in computed(world, admin)["rows"]
        }

    assert offered() == {"Doom": ["1.0", "demo"], "Redist": ["1"]}
    assert admin.post(IGNORED, named).is_success
    assert admin.post(IGNORED, {"library": library["id"], "game": "Redist"}).is_success
    assert offered() == {"Doom": ["1.0"]}
    game = world.import_game(admin, library, "Doom")
    assert admin.get("/api/v1/admin/import/version", params={"id": game}).json() == ["1.0"]

    assert admin.request("DELETE", IGNORED, json=named).is_success
    assert admin.get("/api/v1/admin/import/version", params={"id": game}).json() == ["demo", "1.0"]
    [changed] = admin.get("/api/v1/admin/library/sources").json()
    assert changed["rules"] == {"importGames": False, "importVersions": False, "ignore": ["Redist"]}
    assert admin.post(IGNORED, {"library": "none", "game": "Doom"}).json()["type"] == "library-unknown"
