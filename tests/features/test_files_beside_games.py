"""Files of versions beside the folder of their game, in managed libraries: deleted, restored, renamed and moved."""

import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from beside import BESIDE, FLAT, add
from library_files import TRASH, content, delete_game, done, files_of, move_version, quake, restore, versions_of, write
from plans import PROGRAM
from playdock.domain.game_folders import queries as folder_queries
from playdock.features.library_files.tasks import Carrier
from playdock.features.version_import import tasks
from scanning import versions
from unpacking_versions import UNPACKING, pack, place
from uploads import folder_of, managed_library
from world import Caller, World


def managed(world: World, *folders: str, backend: str = FLAT) -> tuple[Caller, dict[str, Any], str]:
    admin = world.admin()
    library = managed_library(admin, backend=backend)
    for folder in folders:
        write(library, f"{folder}/doom", PROGRAM).chmod(0o755)
        write(library, f"{folder}/doom.wad", folder.encode() * 1000)
    game = world.import_game(admin, library, folders[0])
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    for folder in folders[1:]:
        add(world, admin, game, folder)
    return admin, library, game


def labels(admin: Caller, game: str) -> list[str]:
    return [each["label"] for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]]


def delete_folder(admin: Caller, library: dict[str, Any], folder: str) -> httpx2.Response:
    return admin.request("DELETE", "/api/v1/admin/import/files", json={"library": library["id"], "game": folder})


def test_a_version_is_deleted_with_its_files_and_restored(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1")
    version = versions_of(admin, game)["Doom 1.1"]

    deleted = admin.delete(f"/api/v1/admin/version/{version}/files", {"name": "Doom 1.1"})
    assert done(world, admin, deleted)["success"]
    assert files_of(library) == ["Doom 1.0/doom", "Doom 1.0/doom.wad"]
    (item,) = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]

    assert versions(admin, game) == ["Doom 1.1", "default"]
    assert content(admin, version)[1].count(b"Doom 1.1") == 1000


def test_a_version_is_renamed_with_its_folder(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1")
    version = versions_of(admin, game)["Doom 1.1"]
    renamed = admin.patch(f"/api/v1/admin/version/{version}/files", {"name": "Doom 1.1 (GOG)"})
    assert done(world, admin, renamed)["success"]
    assert "Doom 1.1 (GOG)/doom" in files_of(library)
    assert versions(admin, game) == ["Doom 1.1 (GOG)", "default"]
    assert labels(admin, game) == ["1.1 (GOG)", "1.0"]
    renamed = admin.patch(f"/api/v1/admin/game/{game}/files", {"path": "Doom 1.0.3"})
    assert done(world, admin, renamed)["success"]
    assert labels(admin, game) == ["1.1 (GOG)", "1.0.3"]
    assert content(admin, version)[1].count(b"Doom 1.1") == 1000


def test_a_version_is_moved_into_the_folder_of_another_game(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1", backend="MixedFilesystem")
    other = quake(world, admin, library, "1.0", "1.1")
    version = versions_of(admin, game)["Doom 1.1"]

    assert done(world, admin, move_version(admin, version, other))["success"]

    assert "Quake/Doom 1.1/doom" in files_of(library)
    assert (versions(admin, game), len(versions(admin, other))) == (["default"], 3)
    assert content(admin, version)[1].count(b"Doom 1.1") == 1000
    with world.services.db.read() as session:
        assert folder_queries.imported_paths(session, library["id"]) == {"Doom 1.0", "Quake"}


def test_a_game_is_deleted_and_restored_with_all_its_folders(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1")
    before, version = files_of(library), versions_of(admin, game)["Doom 1.1"]
    assert done(world, admin, delete_game(admin, game))["success"]
    assert files_of(library) == []
    (item,) = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]
    assert (files_of(library), versions(admin, game)) == (before, ["Doom 1.1", "default"])
    assert content(admin, version)[1].count(b"Doom 1.1") == 1000


def test_a_game_moves_to_another_library_with_all_its_folders(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1")
    before = files_of(library)
    draft = {"name": "Other", "backend": FLAT, "options": {"managed": True}}
    other = admin.post("/api/v1/admin/library/sources", draft).json()
    moved = admin.patch(f"/api/v1/admin/game/{game}/files", {"library": other["id"]})
    assert done(world, admin, moved)["success"]
    assert (files_of(library), files_of(other)) == ([], before)
    for version in versions_of(admin, game).values():
        assert content(admin, version)[0] == 200


def test_the_folder_of_a_version_is_not_unimported(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1")
    place = {"library": library["id"], "game": "Doom 1.1"}
    for version in (None, "default"):
        answer = admin.request("DELETE", "/api/v1/admin/import/files", json={**place, "version": version})
        assert (answer.status_code, answer.json()["type"]) == (409, "files-imported")
    assert versions(admin, game) == ["Doom 1.1", "default"]


def test_a_folder_that_is_being_added_is_not_deleted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, library, game = managed(world, "Doom 1.0")
    write(library, "Doom 1.1/doom", PROGRAM).chmod(0o755)
    read_layer, answers = tasks.read_layer, list[httpx2.Response]()

    def reading(*given: Any, **options: Any) -> Any:
        answers.append(delete_folder(admin, library, "Doom 1.1"))
        return read_layer(*given, **options)

    monkeypatch.setattr(tasks, "read_layer", reading)
    add(world, admin, game, "Doom 1.1")
    assert [(each.status_code, each.json()["type"]) for each in answers] == [(409, "files-in-use")]
    assert content(admin, versions_of(admin, game)["Doom 1.1"])[0] == 200


def test_a_folder_that_is_being_deleted_is_not_added(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, library, game = managed(world, "Doom 1.0")
    write(library, "Doom 1.1/doom", PROGRAM).chmod(0o755)
    carry_out, answers = Carrier.carry_out, list[httpx2.Response]()

    def deleting(*given: Any, **options: Any) -> None:
        answers.append(admin.post(BESIDE, {"id": game, "folder": "Doom 1.1"}))
        carry_out(*given, **options)

    monkeypatch.setattr(Carrier, "carry_out", deleting)
    assert done(world, admin, delete_folder(admin, library, "Doom 1.1"))["success"]
    assert [(each.status_code, each.json()["type"]) for each in answers] == [(409, "task-already-running")]
    assert versions(admin, game) == ["default"]


def test_a_version_does_not_get_the_folder_of_a_game_that_is_away(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1")
    write(library, "Quake/quake", PROGRAM).chmod(0o755)
    other = world.import_game(admin, library, "Quake")
    shutil.move(folder_of(library) / "Quake", world.folder)
    version = versions_of(admin, game)["Doom 1.1"]

    renamed = admin.patch(f"/api/v1/admin/version/{version}/files", {"name": "Quake"})
    assert not done(world, admin, renamed)["success"]
    moved = admin.patch(f"/api/v1/admin/game/{game}/files", {"path": "Quake"})
    assert not done(world, admin, moved)["success"]

    assert versions(admin, game) == ["Doom 1.1", "default"]
    assert content(admin, version)[1].count(b"Doom 1.1") == 1000
    shutil.move(world.folder / "Quake", folder_of(library))
    assert admin.get(f"/api/v1/admin/game/{other}").json()["libraryPath"] == "Quake"


def test_a_game_whose_folder_is_gone_is_moved_and_deleted_with_what_is_there(world: World) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1")
    assert admin.delete(f"/api/v1/admin/version/{versions_of(admin, game)['default']}").status_code == 204
    shutil.rmtree(folder_of(library) / "Doom 1.0")
    draft = {"name": "Other", "backend": FLAT, "options": {"managed": True}}
    other = admin.post("/api/v1/admin/library/sources", draft).json()

    assert done(world, admin, admin.patch(f"/api/v1/admin/game/{game}/files", {"library": other["id"]}))["success"]
    assert files_of(other) == ["Doom 1.1/doom", "Doom 1.1/doom.wad"]
    assert content(admin, versions_of(admin, game)["Doom 1.1"])[0] == 200
    assert done(world, admin, delete_game(admin, game))["success"]
    (item,) = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]

    assert (files_of(other), versions(admin, game)) == (["Doom 1.1/doom", "Doom 1.1/doom.wad"], ["Doom 1.1"])
    assert content(admin, versions_of(admin, game)["Doom 1.1"])[0] == 200


def test_nothing_is_unpacked_into_a_version(world: World, tmp_path: Path) -> None:
    admin, library, game = managed(world, "Doom 1.0", "Doom 1.1", backend="MixedFilesystem")
    pack(tmp_path / "game", world.games / "Doom 1.1/1.2.zip")
    source = world.library(admin, backend="MixedFilesystem")
    answer = admin.post(UNPACKING, {**place(source, "1.2.zip", "Doom 1.1"), "target": library["id"]})
    assert (answer.status_code, answer.json()["type"]) == (409, "place-occupied")
    assert [path for path in files_of(library) if path.startswith("Doom 1.1/1.2")] == []
    assert versions(admin, game) == ["Doom 1.1", "default"]
