"""Folders, archives and deltas: the forms that a version comes in."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from versions_to_import import doom, pack, start, unimported, versions
from world import World

CONTENT = {"doom": b"#!/bin/sh\n", "data/e1m1.wad": Random(5).randbytes(400_000), "data/empty": b""}


def write_folder(place: Path) -> None:
    for name, data in CONTENT.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)


def write_stored(place: Path) -> None:
    pack(place.with_name("1.0.zip"), CONTENT, method=zipfile.ZIP_STORED)


def write_deflated(place: Path) -> None:
    pack(place.with_name("1.0.zip"), CONTENT)


@pytest.mark.parametrize("lay", [write_folder, write_stored, write_deflated])
def test_folders_and_archives_yield_the_same_version(world: World, lay: Callable[[Path], None]) -> None:
    lay(world.games / "Doom/1.0")
    admin, game = doom(world)
    name = unimported(admin, game)[0]

    task = world.import_version(admin, game, name, launch="doom")

    files = {file["path"]: file["size"] for file in world.manifest(admin, game, name)["files"]}
    assert task["success"], task
    assert files == {path: len(data) for path, data in CONTENT.items()}
    assert versions(admin, game)[0]["size"] == sum(map(len, CONTENT.values()))


def test_a_game_of_a_flat_library_has_one_version(world: World) -> None:
    world.put("Doom/doom")
    admin, game = doom(world, backend="FlatFilesystem")
    assert unimported(admin, game) == ["default"]

    task = world.import_version(admin, game, "default", launch="doom")

    assert task["success"]
    assert unimported(admin, game) == []


def test_an_empty_version_can_be_imported(world: World) -> None:
    (world.games / "Doom/1.1").mkdir(parents=True)
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")

    task = world.import_version(admin, game, "1.1", delta=True)

    assert (task["success"], task["progress"]) == (True, 100)
    assert [file["path"] for file in world.manifest(admin, game, "1.1")["files"]] == ["doom"]


# --- Deltas ---


@pytest.mark.folder_objects
@pytest.mark.parametrize("harm", [lambda layer: layer.unlink(), lambda layer: layer.write_bytes(b"rot")])
def test_a_delta_is_rejected_if_the_layer_of_its_base_is_missing(world: World, harm: Callable[[Path], object]) -> None:
    world.put("Doom/1.0/doom")
    world.put("Doom/1.1/more")
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")
    [layer] = (world.folder / "data/objects/layers").glob("*/*")
    harm(layer)

    refused = start(admin, game, "1.1", delta=True, launch="doom")
    task = world.import_version(admin, game, "1.1", platform="Linux", launch="more")

    assert (refused.status_code, refused.json()["type"]) == (503, "layer-missing")
    assert task["success"]


def test_a_delta_is_rejected_while_a_possible_base_is_being_imported(world: World) -> None:
    for version in ("1.0", "1.1", "1.2"):
        world.put(f"Doom/{version}/doom")
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")
    world.services.runner.stop()

    first = start(admin, game, "1.1", delta=True)
    second = start(admin, game, "1.2", delta=True)
    full = start(admin, game, "1.2", launch="doom")
    elsewhere = start(admin, game, "1.2", platform="Windows", delta=True)

    assert first.status_code == full.status_code == 202
    assert (second.status_code, second.json()["taskId"]) == (409, first.json()["taskId"])
    assert elsewhere.json()["type"] == "no-base-version"


def test_a_delta_without_a_base_is_rejected(world: World) -> None:
    world.put("Doom/1.0/doom")
    world.put("Doom/1.1/doom")
    admin, game = doom(world)

    first = start(admin, game, "1.1", delta=True)
    world.import_version(admin, game, "1.0", launch="doom", platform="Windows")
    other_platform = start(admin, game, "1.1", delta=True)

    assert [(each.status_code, each.json()["type"]) for each in (first, other_platform)] == [
        (409, "no-base-version")
    ] * 2
    assert "Linux" in other_platform.json()["detail"]


def test_the_newest_file_in_a_chain_of_deltas_takes_precedence(world: World) -> None:
    for version, name in (("1.0", "doom"), ("1.0", "a"), ("1.0", "b"), ("1.1", "a"), ("1.1", "c"), ("1.2", "a")):
        world.put(f"Doom/{version}/{name}", f"{name} of {version}".encode())
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")
    world.import_version(admin, game, "1.1", delta=True)
    world.import_version(admin, game, "1.2", delta=True)

    manifest = world.manifest(admin, game, "1.2")

    names = {each["id"]: each["name"] for each in versions(admin, game)}
    layers = [names[image["version"]] for image in manifest["images"]]
    assert layers == ["1.0", "1.1", "1.2"]
    assert {file["path"]: layers[file["image"]] for file in manifest["files"]} == {
        "a": "1.2",
        "b": "1.0",
        "c": "1.1",
        "doom": "1.0",
    }


def test_the_launch_command_of_a_delta_may_be_in_its_base(world: World) -> None:
    world.put("Doom/1.0/doom")
    world.put("Doom/1.1/e1m2.wad")
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")

    assert start(admin, game, "1.1", delta=True, launch="quake").status_code == 400
    assert world.import_version(admin, game, "1.1", delta=True, launch="./doom")["success"]


def test_a_delta_that_differs_from_its_base_only_by_case_is_rejected(world: World) -> None:
    world.put("Doom/1.0/doom")
    world.put("Doom/1.1/Doom")
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")

    task = world.import_version(admin, game, "1.1", delta=True)

    assert "differ only by case" in task["error"]["description"]


def test_versions_are_listed_in_the_order_of_their_imports(world: World) -> None:
    names = [f"1.{number}" for number in range(6)]
    for name in names:
        world.put(f"Doom/{name}/doom")
    admin, game = doom(world)

    tasks = [start(admin, game, name).json()["taskId"] for name in names]

    assert all(world.finish(admin, task)["success"] for task in tasks)
    assert [version["name"] for version in versions(admin, game)] == names
