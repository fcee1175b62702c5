"""Versions that were renamed or moved within their library, in tests."""

import os

import httpx2

import beside
from library_files import versions_of
from spoiling import stand, verify_all
from world import Caller, World

MOVED = "/api/v1/admin/import/moved"
LOST = f"{MOVED}/version"
UNKNOWN = "00000000-0000-0000-0000-000000000000"


def lay(world: World, game: str = "Doom", version: str = "1.0") -> None:
    world.put(f"{game}/{version}/doom", b"#!/bin/sh", mode=0o755)
    world.put(f"{game}/{version}/doom.wad", os.urandom(300_000))


def candidates(admin: Caller) -> dict[str, list[tuple[str, bool, float]]]:
    """All lost versions by name, with their candidates."""
    found = admin.get(LOST)
    assert found.status_code == 200, found.text
    return {
        each["version"]["name"]: [(one["name"], one["beside"], one["share"]) for one in each["candidates"]]
        for each in found.json()
    }


def move(admin: Caller, version: str, name: str, *, beside: bool = False) -> httpx2.Response:
    return admin.post(f"/api/v1/admin/version/{version}/move", {"name": name, "beside": beside})


def moved(world: World, admin: Caller, version: str, name: str, **wanted: bool) -> None:
    answer = move(admin, version, name, **wanted)
    assert answer.status_code == 202, answer.text
    assert world.finish(admin, answer.json()["taskId"])["success"]


def refused(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"]


def renamed_version(world: World) -> tuple[Caller, str, str]:
    """An administrator, a game, and its older version, the folder of which was renamed."""
    lay(world)
    lay(world, version="1.1")
    admin, game = stand(world, "1.0", "1.1")
    version = versions_of(admin, game)["1.0"]
    (world.games / "Doom/1.0").rename(world.games / "Doom/Doom v1.0")
    verify_all(world, admin)
    return admin, game, version


def renamed_folder(world: World, backend: str = beside.FLAT) -> tuple[Caller, str, str]:
    """An administrator, a game, and its version beside the folder, which was renamed."""
    admin, _, game = beside.stand(world, "Doom 1.0", "Doom 1.1", backend=backend)
    beside.add(world, admin, game, "Doom 1.1")
    (world.games / "Doom 1.1").rename(world.games / "Doom 1.1 (GOG)")
    verify_all(world, admin)
    return admin, game, versions_of(admin, game)["Doom 1.1"]
