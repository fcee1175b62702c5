"""Versions that are archives, as they are fetched: members of every method, true to what was imported."""

import io
import os
import stat
import zipfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import quote

import httpx2
import pytest

from world import Caller, World, at_once

METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflated": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}


def contents() -> dict[str, bytes]:
    """For each method long members, short ones, empty ones, and names of all kinds."""
    random = Random(4)
    files: dict[str, bytes] = {}
    for name in METHODS:
        files[f"{name}/long"] = random.randbytes(200_000) * 2 + bytes(300_000)
        files[f"{name}/\u30c9\u30a2 one.txt"] = random.randbytes(100)
        files[f"{name}/empty"] = b""
    return files


def pack(path: Path, files: dict[str, bytes]) -> Path:
    """An archive whose members are packed by the method that their folder is called after."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFREG | (0o755 if name.endswith("long") else 0o644)) << 16
            archive.writestr(info, data, METHODS[name.partition("/")[0]])
        link = zipfile.ZipInfo("latest")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "stored/long")
    return path


@dataclass
class Doom:
    """A game with one version, an archive."""

    world: World
    player: Caller
    version: str
    archive: Path
    files: dict[str, bytes] = field(default_factory=contents)

    @property
    def image(self) -> bytes:
        return b"".join(content for _, content in sorted(self.files.items()))

    def get(self, what: str = "content", asked: str = "") -> httpx2.Response:
        return self.player.get(f"/api/v1/versions/{self.version}/{what}", headers={"Range": asked} if asked else {})

    @property
    def unpacked(self) -> list[Path]:
        folder = self.world.services.settings.data_dir / "cache" / "unpacked"
        return [path for path in folder.glob("*") if path.name != "total"]


@pytest.fixture
def world(embedded_world: World) -> World:
    """Bytes are the same whatever the database is."""
    return embedded_world


@pytest.fixture
def doom(world: World) -> Doom:
    archive = pack(world.games / "Doom" / "1.0.zip", contents())
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    task = world.import_version(admin, game, "1.0.zip", launch="stored/long")
    assert task["success"], task
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    return Doom(world, world.person("bob"), version, archive)


# --- What is given ---


def test_the_version_image_is_the_concatenation_of_the_members(doom: Doom) -> None:
    assert doom.get().content == doom.image
    assert doom.get().content == doom.image


def test_any_range_of_the_version_image_equals_that_slice(doom: Doom) -> None:
    random, image = Random(5), doom.image
    for _ in range(25):
        start = random.randrange(len(image))
        end = min(start + random.choice([1, 700, 70_000, 300_000, 2_000_000]), len(image))
        answer = doom.get(asked=f"bytes={start}-{end - 1}")
        assert (answer.status_code, answer.content) == (206, image[start:end])


def test_every_member_can_be_fetched_by_its_path(doom: Doom) -> None:
    for path, data in doom.files.items():
        assert doom.get(f"files/{quote(path)}").content == data
        if data:
            assert doom.get(f"files/{quote(path)}", "bytes=-7").content == data[-7:]


def test_the_generated_archive_has_the_same_content(doom: Doom) -> None:
    with zipfile.ZipFile(io.BytesIO(doom.get("archive.zip").content)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == {**doom.files, "latest": b"stored/long"}
        assert archive.getinfo("lzma/long").external_attr >> 16 == 0o100755
        assert stat.S_ISLNK(archive.getinfo("latest").external_attr >> 16)


def test_simultaneous_downloads_get_the_same_bytes(doom: Doom) -> None:
    people = [doom.world.with_token(doom.player.token) for _ in range(6)]
    address = f"/api/v1/versions/{doom.version}/content"
    answers = at_once([partial(person.get, address) for person in people])

    assert {answer.content for answer in answers} == {doom.image}


def test_long_packed_members_are_unpacked_once(doom: Doom) -> None:
    doom.get()
    unpacked = {path: path.stat().st_mtime_ns for path in doom.unpacked}
    assert len(unpacked) == len(METHODS) - 1
    doom.get()
    doom.get("archive.zip")

    assert {path: path.stat().st_mtime_ns for path in doom.unpacked} == unpacked


# --- What is not given ---


def assert_changed(doom: Doom, path: str) -> None:
    refused = doom.get(f"files/{path}")
    assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")
    assert path in refused.json()["detail"]
    assert str(doom.world.folder) not in refused.text


@pytest.mark.parametrize("path", [f"{method}/long" for method in METHODS])
def test_a_modified_archive_is_not_served(doom: Doom, path: str) -> None:
    # The server also checks after the last byte, and then closes the connection, which is therefore not used again.
    address = f"/api/v1/versions/{doom.version}/files/{path}"
    assert doom.player.get(address, headers={"Connection": "close"}).status_code == 200
    os.utime(doom.archive, ns=(1, 1))
    assert_changed(doom, path)


@pytest.mark.parametrize("path", [f"{method}/long" for method in METHODS])
def test_a_replaced_archive_with_the_same_time_is_not_served(doom: Doom, path: str) -> None:
    moment = doom.archive.stat().st_mtime_ns
    pack(doom.archive, {name: data[::-1] for name, data in contents().items()})
    os.utime(doom.archive, ns=(moment, moment))
    assert_changed(doom, path)


def test_a_missing_archive_is_not_served(doom: Doom) -> None:
    doom.archive.unlink()
    assert_changed(doom, "deflated/long")


def test_a_damaged_member_is_reported_and_the_others_are_served(doom: Doom) -> None:
    moment, data = doom.archive.stat().st_mtime_ns, bytearray(doom.archive.read_bytes())
    with zipfile.ZipFile(doom.archive) as archive:
        place = archive.getinfo("deflated/long").header_offset + 1000
    data[place : place + 50] = bytes(50)
    doom.archive.write_bytes(data)
    os.utime(doom.archive, ns=(moment, moment))

    assert_changed(doom, "deflated/long")
    assert doom.unpacked == []
    assert doom.get("files/bzip2/long").content == doom.files["bzip2/long"]


def test_an_unavailable_library_is_reported(doom: Doom) -> None:
    doom.world.games.rename(doom.world.folder / "elsewhere")
    refused = doom.get("files/stored/long")
    assert (refused.status_code, refused.json()["type"]) == (503, "content-unavailable")


def test_an_unwritable_cache_only_affects_packed_members(doom: Doom) -> None:
    (doom.world.services.settings.data_dir / "cache").mkdir(exist_ok=True)
    (doom.world.services.settings.data_dir / "cache" / "unpacked").write_bytes(b"")

    refused = doom.get("files/deflated/long")
    assert refused.status_code == 503
    assert str(doom.world.folder) not in refused.text
    assert doom.get("files/stored/long").content == doom.files["stored/long"]
