"""Games in all the forms in which people have them: each can be played from the client, or the plan says why not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import SqliteDatabases
from plans import apply, computed
from playdock.storage import unpacking
from what_people_have import ARCHIVES, UNUSABLE, put_games
from world import World, running_world

from .conftest import InstallOutcome, Player

if unpacking.library_version() is None:
    pytest.skip("libarchive is not installed", allow_module_level=True)

# Installs as the installer is told to, and runs what was installed.
_UMU = """#!/bin/sh
case "$*" in
    *setup_quake*) case "$*" in *Installed*) mkdir -p Installed; echo MZ > Installed/Quake.exe;; esac;;
    *Quake.exe*) echo "played $(wc -c < ../setup_quake_1.07-1.bin)";;
esac
"""


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data")) as running:
        yield running


@pytest.fixture
def library(world: World) -> Path:
    """A folder with everything."""
    put_games(world.games, world.folder / "sources")
    return world.games


@pytest.mark.usefixtures("library")
def test_everything_can_be_played_or_says_why_not(world: World, player: Player) -> None:
    admin = world.admin()
    world.library(admin, backend="MixedFilesystem")
    plan = computed(world, admin)

    remarks = {row["game"]: [row["remark"], *(each["remark"] for each in row["versions"])] for row in plan["rows"]}
    unusable = {name for name, found in remarks.items() if any(found[1:]) or (len(found) == 1 and found[0])}
    assert unusable == UNUSABLE.keys(), remarks
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
