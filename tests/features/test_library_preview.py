"""Choosing a folder: what can be browsed, and what a library is said to contain before it is added."""

import os
from pathlib import Path
from typing import Any

import pytest

from world import Caller, World, running_world

FOLDERS = "/api/v1/admin/library/folders"
PREVIEW = "/api/v1/admin/library/preview"
SOURCES = "/api/v1/admin/library/sources"


@pytest.fixture
def world(embedded_world: World) -> World:
    """Folders are the same whatever the database is."""
    return embedded_world


def browse(admin: Caller, path: object, **query: Any) -> dict[str, Any]:
    response = admin.get(FOLDERS, params={"path": str(path), **query})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def names(listing: dict[str, Any]) -> list[str]:
    return [each["name"] for each in listing["folders"]]


def fault_of(admin: Caller, path: object) -> tuple[int, str]:
    response = admin.get(FOLDERS, params={"path": str(path)})
    return response.status_code, response.json()["errors"][0]["code"]


def preview(admin: Caller, path: object, **query: Any) -> dict[str, Any]:
    response = admin.get(PREVIEW, params={"path": str(path), **query})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_folders_are_browsed_from_the_root_of_the_server(world: World) -> None:
    admin = world.admin()
    for name in ("Doom", "quake", "Zork", ".hidden"):
        (world.games / name).mkdir(parents=True)
    (world.games / "file.zip").touch()
    (world.games / "link").symlink_to(world.games / "Doom")

    assert names(browse(admin, "")) == ["/"]
    listing = browse(admin, world.games)

    assert names(listing) == ["Doom", "quake", "Zork"]
    assert listing["folders"][0]["path"] == str(world.games.resolve() / "Doom")
    assert listing["parent"] == str(world.games.resolve().parent)
    assert names(browse(admin, world.games, q="QU")) == ["quake"]


@pytest.mark.folder_objects
def test_the_services_own_data_is_not_offered(world: World) -> None:
    admin, data = world.admin(), world.services.settings.data_dir

    assert data.name not in names(browse(admin, data.parent))
    assert fault_of(admin, data) == (400, "library-private")
    assert fault_of(admin, data / "objects") == (400, "library-private")
    (world.folder / "way").symlink_to(data)
    assert fault_of(admin, world.folder / "way") == (400, "library-private")


def test_folders_that_cannot_be_listed_have_a_reason(world: World) -> None:
    admin = world.admin()
    world.put("file")

    assert fault_of(admin, world.games / "missing") == (400, "no-such-folder")
    assert fault_of(admin, world.games / "file") == (400, "path-of-file")
    assert admin.get(FOLDERS, params={"path": "relative"}).status_code == 400
    assert admin.get(FOLDERS, params={"path": "/a\0b"}).status_code == 400


def test_a_folder_with_many_entries_is_listed_in_part(world: World) -> None:
    admin = world.admin()
    for number in range(600):
        (world.games / f"Game {number:03}").mkdir(parents=True)

    listing = browse(admin, world.games)

    assert (names(listing)[0], names(listing)[-1], listing["more"]) == ("Game 000", "Game 499", True)
    assert names(browse(admin, world.games, q="599")) == ["Game 599"]


def test_players_cannot_browse_or_preview(world: World) -> None:
    world.admin()
    player = world.person()

    assert player.get(FOLDERS).status_code == 403
    assert player.get(PREVIEW, params={"path": str(world.games)}).status_code == 403


def test_only_the_roots_can_be_browsed(tmp_path: Path, sqlite_databases: Any) -> None:
    (tmp_path / "allowed/games").mkdir(parents=True)
    (tmp_path / "secret/inner").mkdir(parents=True)
    (tmp_path / "allowed/way").symlink_to(tmp_path / "secret")
    address = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=address, library_roots=str(tmp_path / "allowed")) as world:
        admin = world.admin()

        assert names(browse(admin, "")) == [str(tmp_path / "allowed")]
        root = browse(admin, tmp_path / "allowed")
        assert (names(root), root["parent"]) == (["games"], "")
        for place in ("secret", "allowed/way", "allowed/../secret", "allowed/way/inner", "missing"):
            assert fault_of(admin, f"{tmp_path}/{place}") == (400, "library-outside-roots")
        assert (
            admin.get(PREVIEW, params={"path": f"{tmp_path}/secret"}).json()["errors"][0]["code"]
            == "library-outside-roots"
        )


def test_a_preview_recognizes_the_layout(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.9/doom.exe")
    world.put("Doom/Doom v1.10 (GOG)/doom.exe")

    versions = preview(admin, world.games)
    (world.games / "Empty").mkdir()
    with_empty = preview(admin, world.games)
    (world.games / "Empty").rmdir()
    world.put("Quake v1.06/quake.exe")
    world.put("Zork.zip")
    mixed = preview(admin, world.games)
    flat = preview(admin, world.games, backend="FlatFilesystem")

    assert [with_empty[each] for each in ("recognized", "withVersions", "withoutVersions", "empty")] == [
        "Filesystem",
        1,
        0,
        1,
    ]
    assert (versions["recognized"], versions["total"], versions["versions"]) == ("Filesystem", 1, 2)
    assert versions["games"] == [
        {
            "game": "Doom",
            "title": "Doom",
            "versions": [
                {"name": "1.9", "label": "1.9"},
                {"name": "Doom v1.10 (GOG)", "label": "1.10 (GOG)"},
            ],
        }
    ]
    assert (mixed["recognized"], mixed["withVersions"], mixed["withoutVersions"], mixed["files"]) == (
        "MixedFilesystem",
        1,
        1,
        1,
    )
    assert [(each["title"], [one["label"] for one in each["versions"]]) for each in mixed["games"]] == [
        ("Doom", ["1.9", "1.10 (GOG)"]),
        ("Quake", ["1.06"]),
        ("Zork", [""]),
    ]
    assert (flat["backend"], flat["versions"]) == ("FlatFilesystem", 3)
    assert admin.get(SOURCES).json() == []


def test_an_empty_or_unreadable_folder_is_no_error_in_a_preview(world: World) -> None:
    admin = world.admin()
    world.games.mkdir()
    assert preview(admin, world.games)["total"] == 0
    os.mkfifo(world.games / "Doom")
    assert preview(admin, world.games)["total"] == 0
    assert (
        admin.get(PREVIEW, params={"path": str(world.games), "backend": "S3"}).json()["errors"][0]["field"] == "backend"
    )
