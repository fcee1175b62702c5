"""Libraries with a mixed layout, and libraries whose layout is changed after games were imported."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from plans import PROGRAM
from versions_to_import import unimported
from world import Caller, World

SOURCES = "/api/v1/admin/library/sources"
OVERVIEW = "/api/v1/admin/library"


@pytest.fixture
def world(embedded_world: World) -> World:
    return embedded_world


def add(world: World, admin: Caller, backend: str) -> dict[str, Any]:
    body = {"name": "Games", "backend": backend, "options": {"baseDir": str(world.games)}}
    added = admin.post(SOURCES, body)
    assert added.status_code == 201, added.text
    library: dict[str, Any] = added.json()
    return library


def change(admin: Caller, library: dict[str, Any], backend: str) -> None:
    changed = admin.patch(SOURCES, {"id": library["id"], "backend": backend})
    assert (changed.status_code, changed.json()["backend"]) == (200, backend), changed.text


def content(admin: Caller, version: str) -> bytes:
    manifest = admin.get(f"/api/v1/versions/{version}/manifest").json()
    path = manifest["files"][0]["path"]
    got = admin.get(f"/api/v1/versions/{version}/files/{path}")
    assert got.status_code == 200, got.text
    return got.content


def versions(admin: Caller, game: str) -> dict[str, str]:
    return {each["name"]: each["id"] for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]}


def fill(world: World) -> None:
    world.put("Doom/1.9/doom", PROGRAM, mode=0o755)
    world.put("Doom/1.10/doom", PROGRAM, mode=0o755)
    world.put("Quake v1.06 (GOG)/quake", PROGRAM, mode=0o755)


def test_a_mixed_library_has_games_with_and_without_folders_for_versions(world: World) -> None:
    admin = world.admin()
    fill(world)
    library = add(world, admin, "MixedFilesystem")

    doom, quake = world.import_game(admin, library, "Doom"), world.import_game(admin, library, "Quake v1.06 (GOG)")

    assert unimported(admin, doom) == ["1.9", "1.10"]
    assert unimported(admin, quake) == ["default"]
    assert world.import_version(admin, doom, "1.9", launch="doom")["success"]
    assert world.import_version(admin, quake, "default", launch="quake")["success"]
    assert content(admin, versions(admin, doom)["1.9"]) == PROGRAM
    assert content(admin, versions(admin, quake)["default"]) == PROGRAM
    (label,) = (each["label"] for each in admin.get(f"/api/v1/admin/game/{quake}").json()["versions"])
    assert label == "1.06 (GOG)"
    archive = admin.get(f"/api/v1/versions/{versions(admin, quake)['default']}/archive.zip")
    assert 'filename="Quake 1.06 (GOG).zip"' in archive.headers["content-disposition"]
    # A folder with the name of a version does not change what was imported.
    world.put("Quake v1.06 (GOG)/1.07/quake", PROGRAM, mode=0o755)
    (world.games / "Quake v1.06 (GOG)/quake").rename(world.games / "quake")
    assert unimported(admin, quake) == []


@pytest.mark.parametrize(("before", "after"), [("FlatFilesystem", "Filesystem"), ("Filesystem", "FlatFilesystem")])
def test_imported_games_keep_their_layout_when_that_of_the_library_changes(
    world: World, before: str, after: str
) -> None:
    admin = world.admin()
    fill(world)
    library = add(world, admin, before)
    name = "default" if before == "FlatFilesystem" else "1.9"
    launch = "1.9/doom" if before == "FlatFilesystem" else "doom"
    doom, quake = world.import_game(admin, library, "Doom"), world.import_game(admin, library, "Quake v1.06 (GOG)")
    assert world.import_version(admin, doom, name, launch=launch)["success"]
    kept, offered = versions(admin, doom), unimported(admin, doom)

    change(admin, library, after)

    assert versions(admin, doom) == kept
    assert content(admin, kept[name]) == PROGRAM
    assert unimported(admin, doom) == offered
    reimported = admin.post(f"/api/v1/admin/version/{kept[name]}/import").json()
    assert world.finish(admin, reimported["taskId"])["success"]
    # A game without versions has the new layout.
    assert unimported(admin, quake) == (["default"] if after == "FlatFilesystem" else [])
    change(admin, library, before)
    assert content(admin, kept[name]) == PROGRAM


def test_archives_that_were_imported_are_not_lost_when_the_layout_changes(world: World) -> None:
    admin = world.admin()
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("zork", PROGRAM)
    world.put("Zork.zip", packed.getvalue())
    library = add(world, admin, "FlatFilesystem")
    (path,) = admin.get(OVERVIEW).json()["unimportedGames"][library["id"]]
    game = world.import_game(admin, library, path)
    assert world.import_version(admin, game, "default", launch="zork")["success"]

    change(admin, library, "Filesystem")

    assert admin.get("/api/v1/admin/import/moved").json() == []
    (status,) = (each["status"] for each in admin.get(OVERVIEW).json()["games"])
    assert status == {"noVersions": False, "unimportedVersions": []}


def test_a_library_in_s3_has_one_layout(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.9/doom")
    library = add(world, admin, "Filesystem")

    refused = admin.patch(SOURCES, {"id": library["id"], "backend": "S3"})

    assert refused.json()["errors"][0]["code"] == "library-backend-fixed"


def test_the_plan_is_computed_again_for_the_new_layout(planning: World) -> None:
    admin = planning.admin()
    fill(planning)
    library = planning.library(admin)

    def planned() -> dict[str, list[str]]:
        task = admin.post("/api/v1/admin/import/plan/task", {}).json()["taskId"]
        if task:
            planning.finish(admin, task)
        rows = admin.get("/api/v1/admin/import/plan").json()["rows"]
        return {row["game"]: [each["version"] for each in row["versions"]] for row in rows}

    assert planned()["Doom"] == ["1.9", "1.10"]
    change(admin, library, "FlatFilesystem")
    assert planned()["Doom"] == ["default"]
    change(admin, library, "MixedFilesystem")
    assert planned() == {"Doom": ["1.9", "1.10"], "Quake v1.06 (GOG)": ["default"]}
