"""Processes that are killed: nothing is fetched twice, and the old or the new version is there."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from client import killed
from client.installations import Player
from client.lying_server import HostileServer, HostileVersion
from playdock_client.errors import NotInstalled
from playdock_client.installing import read_installation, verify
from playdock_client.progress import NoProgress

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows cannot be told to kill at once")


KEPT = {"installation.json", "lock", "manifest.zst", "stamps"}


def _run(hostile: HostileServer, player: Player, version: str, *, last: int) -> int:
    command = [sys.executable, killed.__file__, hostile.address, str(player.folder), version, str(last)]
    return subprocess.run(command, check=False, timeout=120, stderr=subprocess.DEVNULL).returncode


def _versions() -> tuple[HostileVersion, HostileVersion]:
    old = HostileVersion("v1", {"a/changed": b"1", "a/gone": b"1", "same": b"1", "Old": b"1"}, links={"l": "same"})
    new = HostileVersion("v2", {"a/changed": b"2", "b/c/new": b"2", "same": b"1", "a/gone/x": b"2"}, links={"l": "a"})
    return old, new


def _started(folder: Path) -> str | None:
    """What would start: the version that the installation says it is, whose files are all there."""
    try:
        installation = read_installation(folder)
    except NotInstalled:
        return None
    assert verify(folder, progress=NoProgress()).intact
    return installation.version.id


def test_an_installation_killed_at_any_point_can_be_resumed(hostile: HostileServer, player: Player) -> None:
    old, _ = _versions()
    hostile.serve(old)
    for last in range(1, 200, 3):
        if _run(hostile, player, "v1", last=last) == 0:
            break
        assert _started(player.folder) in (None, "v1")

    assert player.files() == {**old.files, "l": b"-> same"}


def test_an_update_killed_at_any_point_leaves_the_old_or_the_new_version(
    hostile: HostileServer, player: Player
) -> None:
    old, new = _versions()
    hostile.serve(old, new)
    seen = set()
    for last in range(1, 300, 2):
        player.update("v1") if player.folder.exists() else player.install("v1")
        player.put("mine")
        ended = _run(hostile, player, "v2", last=last)
        seen.add(_started(player.folder))
        if ended == 0:
            break

    assert seen == {"v1", "v2"}
    assert {each.name for each in (player.folder / ".playdock").iterdir()} == KEPT
    assert player.files() == {**new.files, "l": b"-> a", "mine": b"mine"}


def test_after_a_kill_only_missing_chunks_are_fetched(hostile: HostileServer, player: Player) -> None:
    large = random.Random(1).randbytes(6_000_000)
    hostile.serve(HostileVersion("v1", {"large": large, "small": b"small"}))
    there = _kill_in_the_middle(hostile, player)
    outcome = player.install()

    assert outcome.fetched < 6_000_000 - there * hostile.versions["v1"].chunk + 20_000
    assert player.files() == hostile.versions["v1"].files


def test_recorded_chunks_are_verified_after_a_power_failure(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"large": random.Random(1).randbytes(3_000_000)}))
    _kill_in_the_middle(hostile, player)
    _lose_power(player)
    player.install()

    assert player.files() == hostile.versions["v1"].files


def _kill_in_the_middle(hostile: HostileServer, player: Player) -> int:
    """Kill an install for which the server has nothing more after a while; give how many chunks were noted."""
    cuts = iter([700_000] * 3)
    hostile.cut = lambda: next(cuts, 0)
    command = [sys.executable, killed.__file__, hostile.address, str(player.folder), "v1", "0"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _wait_for(lambda: _noted(player) >= 10)
    process.kill()
    process.wait()
    hostile.cut = lambda: None
    return _noted(player)


def _lose_power(player: Player) -> None:
    """Another start of the machine, and a block that never came to the disk."""
    own = player.folder / ".playdock"
    line, _, records = (own / "journal").read_bytes().partition(b"\n")
    start = line.index(b'"boot":"') + 8
    (own / "journal").write_bytes(line[:start] + b"another" + line[line.index(b'"', start) :] + b"\n" + records)
    with (own / "staging/large").open("r+b") as file:
        file.write(bytes(65536))


def _noted(player: Player) -> int:
    """Return how many chunks the journal names."""
    journal = player.folder / ".playdock/journal"
    records = journal.read_bytes().partition(b"\n")[2] if journal.exists() else b""
    return sum(int.from_bytes(records[place + 4 : place + 8], "little") for place in range(0, len(records) - 7, 8))


def _wait_for(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.005)
