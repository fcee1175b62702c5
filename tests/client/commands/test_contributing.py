"""`contribute`: with games as stores install them, and a real server."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import SqliteDatabases
from plans import GAMES, PROGRAM
from playdock.metadata.providers import Providers
from playdock_client.contributing import selection_of
from playdock_client.stores.finding import StoreFinder
from playdock_client.stores.found_game import Store
from shops import FakeProvider
from uploads import UPLOADS, folder_of, managed_library
from world import World, running_world

from .conftest import Player

PERMISSIONS = (
    "system:library:write",
    "system:library:sources:read",
    "system:import:game:read",
    "system:import:version:read",
)
FILES = {"hl": PROGRAM, "valve/pak0.pak": os.urandom(400_000), "valve/empty.cfg": b""}
# The client, killed before it sends its third piece.
KILLED = """
import os, signal
from playdock_client import main, uploading
uploading._PIECE_BYTES, append = 100_000, uploading.UploadServer._append
def killed(self, target, piece, *, at):
    if at == 200_000:
        os.kill(os.getpid(), signal.SIGKILL)
    append(self, target, piece, at=at)
uploading.UploadServer._append = killed
main.run()
"""


def write(folder: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def install_with_steam(home: Path, app_id: str, name: str, files: dict[str, bytes]) -> Path:
    """A game as Steam installs it, in a second library."""
    steam, library = home / ".local/share/Steam", home / "more games"
    write(library / "steamapps/common" / name, files)
    write(steam, {"steamapps/libraryfolders.vdf": f'"libraryfolders" {{ "1" {{ "path" "{library}" }} }}'.encode()})
    state = f'"appid" "{app_id}" "name" "{name}" "StateFlags" "4" "installdir" "{name}" "buildid" "77"'
    write(library / "steamapps", {f"appmanifest_{app_id}.acf": f'"AppState" {{ {state} }}'.encode()})
    return library / "steamapps/common" / name


@pytest.fixture
def server(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    """A server that knows games of Steam."""
    database = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database, providers=Providers([FakeProvider("Steam", GAMES)])) as world:
        yield world


@pytest.fixture
def contributor(server: World, player: Player) -> Player:
    player.sign_in(
        server.address,
        server.token_of(
            server.admin(), "user:store:read", "user:collections:read", "user:content:read", "user:read"
        ).token,
    )
    return player


def test_a_game_of_steam_is_uploaded_after_a_kill_imported_and_adopted(server: World, contributor: Player) -> None:
    admin = server.with_token(server.sign_in("ada").json()["accessToken"])
    library = managed_library(admin)
    token = server.token_of(admin, *PERMISSIONS).token
    game = install_with_steam(contributor.home, "70", "Half-Life", FILES)
    (game / "hl").chmod(0o755)
    words = ["contribute", "--steam", "--yes", "--token", token, "--json"]
    environment = contributor._environment({})

    killed = subprocess.run(
        [sys.executable, "-c", KILLED, *words], env=environment, stdin=subprocess.DEVNULL, check=False, timeout=120
    )
    [interrupted] = admin.get(UPLOADS).json()
    done = contributor.run(*words)
    listed = contributor.run("contribute", "--steam", "--json")

    assert killed.returncode == -signal.SIGKILL
    assert (interrupted["received"], interrupted["state"]) == (200_000, "receiving")
    assert done.status == 0, done.err
    assert (done.document["event"], done.document["folder"]) == ("adopted", str(game))
    # The manifest, and nothing of the files.
    assert done.document["fetched"] < 1000
    assert len(admin.get(UPLOADS).json()) == 1
    placed = folder_of(library) / "Half-Life (steam-70)" / "build 77"
    assert {path: (placed / path).read_bytes() for path in FILES} == FILES
    assert listed.document["games"][0]["availability"] == "installed"
    assert contributor.run("verify", str(game)).status == 0


def test_without_permission_games_are_listed_and_can_be_requested(server: World, contributor: Player) -> None:
    game = install_with_steam(contributor.home, "70", "Half-Life", {"hl.exe": b"MZ", "steam_api.dll": b"x"})

    listed = contributor.run("contribute", "--steam", "--json")
    refused = contributor.run("contribute", game, "--yes")

    [found] = listed.document["games"]
    assert (found["name"], found["store"], found["id"], found["size"]) == ("Half-Life", "Steam", "70", 3)
    assert (found["protection"], found["availability"]) == ("possible", "new")
    assert refused.status == 1
    assert f"Request the game at {server.address}/requests" in refused.err


def test_an_upload_that_the_server_does_not_recognize_is_adopted_after_its_import(
    server: World, contributor: Player
) -> None:
    admin = server.with_token(server.sign_in("ada").json()["accessToken"])
    library = managed_library(admin)
    token = server.token_of(admin, *PERMISSIONS).token
    game = contributor.home / "GOG Games" / "Dig"
    write(game, {"gameinfo": b"Dig\n1.2\nn/a\nen-US\n1453375999\n1\n", "dig": PROGRAM, "data": os.urandom(5000)})

    uploaded = contributor.run("contribute", "--gog", "--yes", "--token", token)
    game_id = server.import_game(admin, library, "Dig (gog-1453375999)")
    server.import_version(admin, game_id, "1.2", launch="dig")
    adopted = contributor.run("contribute", "--gog", "--yes", "--json", "--token", token)

    assert uploaded.status == 0, uploaded.err
    assert "is not certain which game Dig (gog-1453375999) is" in uploaded.err
    assert (adopted.status, adopted.document["event"]) == (0, "adopted"), adopted.err
    assert adopted.document["fetched"] < 1000
    assert (game / ".playdock").is_dir()


def test_games_of_heroic_and_of_epics_launcher_are_found_by_their_records(player: Player) -> None:
    home = player.home
    for name in ("Hades", "Prey"):
        write(home / name, {"game.exe": b"MZ"})
    legendary = {"Min": {"app_name": "Min", "install_path": str(home / "Hades"), "title": "Hades", "version": "1"}}
    flatpak = ".var/app/com.heroicgameslauncher.hgl/config/heroic/legendaryConfig/legendary"
    write(home, {f"{flatpak}/installed.json": json.dumps(legendary).encode()})
    item = {"AppName": "Prey", "InstallLocation": str(home / "Prey"), "DisplayName": "Prey"}
    everything = {"AppName": "Home", "InstallLocation": str(home), "DisplayName": "Home"}
    manifests = home / "ProgramData/Epic/EpicGamesLauncher/Data/Manifests"
    write(manifests, {"1.item": json.dumps(item).encode(), "2.item": json.dumps(everything).encode(), "3.item": b"{"})
    environment = {"HOME": str(home), "PROGRAMDATA": str(home / "ProgramData")}

    on_linux = StoreFinder("Linux", environment).find(Store.EPIC)
    on_windows = StoreFinder("Windows", environment).find(Store.EPIC)

    assert [game.tagged_name for game in on_linux] == ["Hades (epic-Min)", "Prey (epic-Prey)"]
    assert [game.id for game in on_windows] == ["Prey"]


def test_an_answer_selects_by_numbers_or_not_at_all() -> None:
    assert selection_of("", []) == []
    assert selection_of("1", []) is None
    assert selection_of("some", []) is None
