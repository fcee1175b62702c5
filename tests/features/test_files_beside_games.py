"""Files of versions beside the folder of their game, in managed libraries: deleted, restored, renamed and moved."""

from typing import Any

from beside import FLAT, add
from library_files import TRASH, content, delete_game, done, files_of, move_version, quake, restore, versions_of, write
from plans import PROGRAM
from playdock.domain.game_folders import queries as folder_queries
from scanning import versions
from uploads import managed_library
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
