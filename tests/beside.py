"""Versions beside the folder of their game, in tests."""

from typing import Any

from library_files import done
from plans import PROGRAM
from world import Caller, World

BESIDE = "/api/v1/admin/import/version/beside"
FLAT = "FlatFilesystem"


def put(world: World, *folders: str) -> None:
    for folder in folders:
        world.put(f"{folder}/doom", PROGRAM, mode=0o755)
        world.put(f"{folder}/doom.wad", folder.encode() * 1000)


def stand(world: World, *folders: str, backend: str = FLAT) -> tuple[Caller, dict[str, Any], str]:
    """An administrator, a library with folders, and the game of the first one with its version."""
    put(world, *folders)
    admin = world.admin()
    library = world.library(admin, backend=backend)
    game = world.import_game(admin, library, folders[0])
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    return admin, library, game


def add(world: World, admin: Caller, game: str, folder: str) -> dict[str, Any]:
    task = done(world, admin, admin.post(BESIDE, {"id": game, "folder": folder}))
    assert task["success"], task
    return task
