"""Versions that are `.7z`, `.rar`, `.iso` and `.tar` archives: planned, imported and fetched like any other."""

import io
import shutil
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx2
import pytest

import packing
from world import Caller, World

FORMATS = ("7z", "tar.zst", "iso", "rar")
PROGRAM = "doom.sh"


def contents() -> dict[str, bytes]:
    random = Random(4)
    return {
        PROGRAM: b"#!/bin/sh\necho rip and tear\n",
        "data/long.wad": random.randbytes(300_000) * 2 + bytes(500_000),
        "data/d\u00f6\u00f6r one.txt": random.randbytes(100),
        "data/empty": b"",
    } | {f"maps/{number}.map": random.randbytes(2000) for number in range(200)}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / PROGRAM).chmod(0o755)
    return folder


@dataclass
class Doom:
    """A game with one version, an archive."""

    world: World
    admin: Caller
    player: Caller
    version: str
    archive: Path
    files: dict[str, bytes] = field(default_factory=contents)

    def get(self, what: str = "content", asked: str = "") -> httpx2.Response:
        return self.player.get(f"/api/v1/versions/{self.version}/{what}", headers={"Range": asked} if asked else {})

    @property
    def image(self) -> bytes:
        return b"".join(content for _, content in sorted(self.files.items()))

    @property
    def cache(self) -> Path:
        return self.world.services.settings.data_dir / "cache" / "unpacked"


@pytest.fixture
def world(embedded_world: World) -> World:
    """Bytes are the same whatever the database is."""
    return embedded_world


@pytest.fixture(params=FORMATS)
def doom(world: World, request: pytest.FixtureRequest, tmp_path: Path) -> Doom:
    name = f"1.0.{request.param}"
    archive = packing.pack(write(tmp_path / "doom", contents()), world.games / "Doom" / name)
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    found = admin.get("/api/v1/admin/import/version/preload", params={"id": game, "version": name}).json()
    assert found[0]["filename"] == PROGRAM
    task = world.import_version(admin, game, name, launch=PROGRAM)
    assert task["success"], task
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    return Doom(world, admin, world.person("bob"), version, archive)


def test_an_archive_is_served_as_it_was_packed(doom: Doom) -> None:
    assert doom.get().content == doom.image
    assert doom.get("files/data/d\u00f6\u00f6r%20one.txt").content == doom.files["data/d\u00f6\u00f6r one.txt"]
    shutil.rmtree(doom.cache)
    assert doom.get(asked="bytes=400000-400999").content == doom.image[400_000:401_000]
    with zipfile.ZipFile(io.BytesIO(doom.get("archive.zip").content)) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == doom.files
