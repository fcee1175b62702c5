"""Installing from the service itself."""

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from client.installations import Player, Watching, tree
from client.proxy import place_of, proxy
from playdock_client.errors import NotSignedIn, RequestRefused
from playdock_client.installing import FetchOptions, InstallOutcome, adopt, install, update
from playdock_client.responses import VersionInfo
from world import Caller, World, running_world

LARGE = random.Random(5).randbytes(6_000_000)


@dataclass
class Gamer:
    """A player with the right to games of a world."""

    world: World
    admin: Caller
    player: Player
    game: str

    def install(self, version: str) -> InstallOutcome:
        player, game = self.player, self.player.server.game(self.game)
        chosen = self.version(version)
        return install(player.server, game, chosen, player.folder, options=player.options, progress=player.abortable)

    def update(self, version: str) -> InstallOutcome:
        player, chosen = self.player, self.version(version)
        return update(player.server, player.folder, chosen, options=player.options, progress=player.abortable)

    def adopt(self, version: str) -> InstallOutcome:
        player, game = self.player, self.player.server.game(self.game)
        chosen = self.version(version)
        return adopt(player.server, game, chosen, player.folder, options=player.options, progress=player.abortable)

    def version(self, name: str) -> VersionInfo:
        return next(each for each in self.player.server.versions(self.game) if each.name == name)

    def add(self, version: str, files: dict[str, bytes], *, delta: bool = False) -> None:
        """Put a version into the library and import it."""
        for path, data in files.items():
            self.world.put(f"Doom/{version}/{path}", data, mode=0o755 if path == "doom.sh" else 0o644)
        task = self.world.import_version(self.admin, self.game, version, launch="doom.sh", delta=delta)
        assert task["success"], task

    def finish(self, task_type: str) -> None:
        """Wait for the tasks of a type that an import has started."""
        for task in self.admin.get("/api/v1/admin/task").json()["runningTasks"]:
            if task["taskGroup"] == task_type:
                assert self.world.finish(self.admin, task["id"])["success"]


def _files(*, large: bytes = LARGE) -> dict[str, bytes]:
    small = {f"data/{number:03}.txt": f"file {number}".encode() for number in range(200)}
    return {"doom.sh": b"#!/bin/sh\n", "large.pak": large, "empty": b"", **small}


@pytest.fixture
def gamer(world: World) -> Iterator[Gamer]:
    admin = world.admin()
    world.put("Doom/1.0/doom.sh", b"#!/bin/sh\n", mode=0o755)
    game = world.import_game(admin, world.library(admin), "Doom")
    token = world.token_of(world.person(), "user:content:read", "user:store:read", "user:read").token
    with Player.at(world.address, world.folder / "installed", token=token) as player:
        yield Gamer(world, admin, player, game)


@pytest.mark.parametrize(
    "options", [FetchOptions(), FetchOptions(compress=True), FetchOptions(connections=1, compress=False)]
)
def test_the_installed_files_match_the_library(gamer: Gamer, options: FetchOptions) -> None:
    gamer.add("1.0", _files())
    gamer.player.options = options
    gamer.install("1.0")

    assert tree(gamer.player.folder) == tree(gamer.world.games / "Doom/1.0") == _files()
    assert (gamer.player.folder / "doom.sh").stat().st_mode & 0o100


def test_an_update_fetches_only_a_fraction(gamer: Gamer) -> None:
    gamer.add("1.0", _files())
    changed = _files(large=LARGE[:3_000_000] + b"inserted" + LARGE[3_000_000:])
    gamer.add("1.1", {**changed, "data/007.txt": b"changed"})
    gamer.install("1.0")
    outcome = gamer.update("1.1")

    assert tree(gamer.player.folder) == tree(gamer.world.games / "Doom/1.1")
    assert outcome.fetched < 2_500_000


def test_rebuilt_programs_are_patched(gamer: Gamer) -> None:
    blocks = (LARGE[place : place + 30_000] for place in range(0, len(LARGE), 30_000))
    rebuilt = b"".join(block[:5000] + b"moved" + block[5005:] for block in blocks)
    gamer.add("1.0", _files())
    gamer.add("1.1", _files(large=rebuilt))
    gamer.finish("patch:version")
    gamer.install("1.0")
    outcome = gamer.update("1.1")

    assert tree(gamer.player.folder) == _files(large=rebuilt)
    assert outcome.fetched < 400_000


def test_installing_a_delta_installs_its_bases_too(gamer: Gamer) -> None:
    gamer.add("1.0", _files())
    gamer.add("1.1", {"data/007.txt": b"changed", "more": b"more"}, delta=True)
    gamer.install("1.1")

    assert tree(gamer.player.folder) == {**_files(), "data/007.txt": b"changed", "more": b"more"}


def test_adopted_files_are_not_fetched(gamer: Gamer) -> None:
    gamer.add("1.0", _files())
    for path, data in _files().items():
        gamer.player.put(path, data)
    gamer.player.put("large.pak", LARGE[:5_000_000] + bytes(1_000_000))
    outcome = gamer.adopt("1.0")

    assert outcome.fetched < 3_000_000
    assert gamer.player.files() == {**_files(), "large.pak.yours": LARGE[:5_000_000] + bytes(1_000_000)}


def test_a_damaged_file_is_repaired(gamer: Gamer) -> None:
    gamer.add("1.0", _files())
    gamer.install("1.0")
    gamer.player.put("large.pak", LARGE[:1000] + b"rot" + LARGE[1003:])
    gamer.player.repair()

    assert gamer.player.files()["large.pak"] == LARGE


def test_changed_library_files_are_rejected_with_the_reason(gamer: Gamer) -> None:
    gamer.add("1.0", _files())
    gamer.world.put("Doom/1.0/large.pak", LARGE[::-1])

    with pytest.raises(RequestRefused) as refused:
        gamer.install("1.0")
    assert refused.value.type == "content-changed"


def test_an_invalid_token_is_reported(gamer: Gamer) -> None:
    with Player.at(gamer.world.address, gamer.player.folder, token="wrong") as stranger, pytest.raises(NotSignedIn):
        stranger.server.versions(gamer.game)


def test_the_user_and_games_are_found(gamer: Gamer) -> None:
    gamer.add("1.0", _files())
    user = gamer.player.server.user()

    assert user is not None
    assert user.username == "bob"
    assert [game.id for game in gamer.player.server.search("doom")] == [gamer.game]
    assert gamer.player.server.game(gamer.game).versions[0].name == "1.0"


def test_a_server_restart_during_a_download_is_survived(gamer: Gamer, database_url: str, tmp_path: Path) -> None:
    gamer.add("1.0", _files())
    abortable = Watching()
    with proxy(gamer.world.address) as line, ThreadPoolExecutor(1) as threads:
        slowly = FetchOptions(limit_rate=4_000_000, compress=False)
        token = gamer.world.token_of(gamer.admin, "user:content:read", "user:store:read").token
        with Player.at(line.address, gamer.player.folder, token=token) as player:
            remote = replace(gamer, player=replace(player, options=slowly, abortable=abortable))
            installing = threads.submit(remote.install, "1.0")
            _wait_for_bytes(abortable, 1_000_000)
            line.target = place_of("http://127.0.0.1:9")
            line.cut()
            with running_world(tmp_path, database_url=database_url) as again:
                line.target = place_of(again.address)
                installing.result(120)

    assert tree(gamer.player.folder) == _files()


def _wait_for_bytes(abortable: Watching, size: int) -> None:
    deadline = time.monotonic() + 120
    while abortable.done < size:
        assert time.monotonic() < deadline
        time.sleep(0.01)
