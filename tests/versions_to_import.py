"""Helpers for tests of version imports: a game, and API calls."""

import zipfile
from pathlib import Path
from typing import Any

import httpx2

from world import Caller, World

VERSIONS = "/api/v1/admin/import/version"
PRELOAD = f"{VERSIONS}/preload"


def doom(world: World, *, backend: str = "Filesystem") -> tuple[Caller, str]:
    """Return an administrator and the imported game of the folder Doom."""
    (world.games / "Doom").mkdir(parents=True, exist_ok=True)
    admin = world.admin()
    return admin, world.import_game(admin, world.library(admin, backend=backend), "Doom")


def start(caller: Caller, game: str, version: str = "1.0", **wanted: Any) -> httpx2.Response:
    body = {"id": game, "version": version, "platform": "Linux", "delta": False, "launch": "doom", **wanted}
    return caller.post(VERSIONS, {name: value for name, value in body.items() if value is not None})


def unimported(admin: Caller, game: str) -> list[str]:
    listed: list[str] = admin.get(VERSIONS, params={"id": game}).json()
    return listed


def versions(caller: Caller, game: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(f"/api/v1/games/{game}/versions").json()
    return found


def pack(file: Path, content: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return file
