"""Games in all the forms in which people have them: each can be played from the client, or the plan says why not."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import packing
from databases import SqliteDatabases
from plans import apply, computed
from playdock.storage import unpacking
from storage import windows
from world import World, running_world

from .conftest import InstallOutcome, Player

if unpacking.library_version() is None:
    pytest.skip("libarchive is not installed", allow_module_level=True)

ARCHIVES = ("zip", "7z", "rar", "iso", "tar.gz", "tar.zst")
_SCRIPT = b"#!/bin/sh\necho played $(cat data/level.txt)\n"
# Installs as the installer is told to, and runs what was installed.
_UMU = """#!/bin/sh
case "$*" in
    *setup_quake*) case "$*" in *Installed*) mkdir -p Installed; echo MZ > Installed/Quake.exe;; esac;;
    *Quake.exe*) echo "played $(wc -c < ../setup_quake_1.07-1.bin)";;
esac
"""


def _game(folder: Path, level: str) -> Path:
    for name, data in (("start.sh", _SCRIPT), ("data/level.txt", level.encode()), ("data/empty", b"")):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    (folder / "data/large.pak").write_bytes(Random(level).randbytes(400_000))
    (folder / "start.sh").chmod(0o755)
    return folder


def _pack(folder: Path, archive: Path) -> None:
    if archive.suffix != ".zip":
        packing.pack(folder, archive)
        return
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(folder.rglob("*")):
            packed.write(file, file.relative_to(folder))


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data")) as running:
        yield running


@pytest.fixture
def library(world: World) -> Path:
    """A folder with everything."""
    games, sources = world.games, world.folder / "sources"
    _game(games / "Folder/Folder v1.5 (GOG)", "folder")
    for suffix in ARCHIVES:
        _pack(_game(sources / suffix, suffix), games / f"Packed {suffix}" / f"packed-1.2.{suffix}")
    setup = windows.program({"Comments": "This installation was built with Inno Setup."})
    (games / "setup_quake_1.07.exe").write_bytes(setup)
    (games / "setup_quake_1.07-1.bin").write_bytes(bytes(123_456))
    # What cannot be played.
    (games / "Scans/1.0").mkdir(parents=True)
    (games / "Scans/1.0/manual.pdf").write_bytes(b"%PDF")
    whole = (games / "Packed 7z/packed-1.2.7z").read_bytes()
    for name, content in (("half-copied-1.0.7z", whole[: len(whole) // 2]), ("part-1.0.part1.rar", b"Rar!")):
        archive = games / f"Broken {name[:4]}" / name
        archive.parent.mkdir()
        archive.write_bytes(content)
    packing.seven_zip(_game(sources / "secret", "secret"), games / "secret-1.0.7z", "-psecret", "-mhe=on")
    return games


@pytest.mark.usefixtures("library")
def test_everything_can_be_played_or_says_why_not(world: World, player: Player) -> None:
    admin = world.admin()
    world.library(admin, backend="MixedFilesystem")
    plan = computed(world, admin)

    remarks = {row["game"]: [row["remark"], *(each["remark"] for each in row["versions"])] for row in plan["rows"]}
    unusable = {name for name, found in remarks.items() if any(found[1:]) or (len(found) == 1 and found[0])}
    assert unusable == {"Scans", "Broken half", "Broken part", "secret-1.0.7z"}, remarks
    run = apply(world, admin, atLeast=0)
    assert not run["failed"], run

    person = world.person()
    games = {each["name"]: each["id"] for each in person.get("/api/v1/store").json()["games"]}
    assert len(games) == len(ARCHIVES) + 2, games
    player.sign_in(world.address, world.token_of(person, "user:store:read", "user:content:read", "user:read").token)
    umu = player.home / "bin/umu-run"
    umu.parent.mkdir()
    umu.write_text(_UMU)
    umu.chmod(0o755)

    for name, game in games.items():
        folder = player.home / "games" / game
        installed = player.run("install", game, "--to", folder)
        assert installed.status == 0, (name, installed.err)
        played = _launched(player, folder, umu)
        expected = "123456" if "quake" in name.lower() else name.lower().removeprefix("packed ")
        assert played.out == f"played {expected}\n", (name, played)


def _launched(player: Player, folder: Path, umu: Path) -> InstallOutcome:
    return player.run("launch", folder, PATH=f"{umu.parent}:/usr/bin:/bin")
