"""Archives and installers in managed libraries, and unpacking them."""

import shutil
import zipfile
from pathlib import Path
from typing import Any

import httpx2
import pytest

import packing
from playdock.storage import unpacking
from world import Caller

UNPACKING = "/api/v1/admin/import/unpacking"
GAME = {"doom": b"#!/bin/sh", "data/level.wad": b"level" * 50_000, "data/empty": b""}
SIZE = sum(map(len, GAME.values()))
has_libarchive = pytest.mark.skipif(unpacking.library_version() is None, reason="libarchive is not installed")
has_innoextract = pytest.mark.skipif(shutil.which("innoextract") is None, reason="innoextract is not installed")


def pack(folder: Path, archive: Path) -> Path:
    for path, data in GAME.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "doom").chmod(0o755)
    archive.parent.mkdir(parents=True, exist_ok=True)
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in GAME:
                packed.write(folder / path, path)
    else:
        packing.pack(folder, archive)
    return archive


def place(library: dict[str, Any], version: str, game: str = "Doom") -> dict[str, str]:
    return {"library": library["id"], "game": game, "version": version}


def examine(admin: Caller, *named: Any) -> httpx2.Response:
    return admin.get(UNPACKING, params=place(*named))


def unpack(admin: Caller, *named: Any) -> httpx2.Response:
    return admin.post(UNPACKING, place(*named))


def reason(answer: httpx2.Response) -> str:
    """The code of the reason why a version cannot be used."""
    problem = answer.json()
    assert problem["type"] == "version-unusable", problem
    code: str = problem["parameters"]["reason"]["code"]
    return code


def unpacked(version: str = "1.0") -> list[str]:
    return sorted(f"Doom/{version}/{path}" for path in GAME)
