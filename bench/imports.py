"""Imports through the service, from the call to the task's end, beside the bare loop over the same files."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import httpx2

from bench.bare import CORES, MIB, bare_loop, make_files, seconds
from bench.servers import Service, service
from bench.table import Row
from playdock.kit.clock import utc_now

_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Load:
    """A version to import: so many files of so many bytes, and the share of the bare loop's speed that is wanted."""

    name: str
    count: int
    size: int
    wanted: float


_LOADS = (
    Load("4 GiB in 2,000 files", 2000, 4096 * MIB // 2000, 0.8),
    Load("50,000 files of 4 KiB", 50_000, 4096, 0.5),
)


def measure() -> Iterator[Row]:
    for load in _LOADS:
        with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, service(Path(folder)) as served:
            yield from _measured(load, served, Path(folder) / "games")


def _measured(load: Load, served: Service, games: Path) -> Iterator[Row]:
    version = games / "round 0" / "1.0"
    paths = make_files(version, count=load.count, size=load.size)
    bare_loop(paths)
    served.running.forget_peak()
    before = served.running.peak_memory()
    with served.client() as client:
        draft = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(games)}}
        library = client.post("/api/v1/admin/library/sources", json=draft).raise_for_status().json()["id"]
        bare, ours = [], []
        for number in range(_ROUNDS):
            game = _new_game(client, library, games, number)
            paths = sorted(games.glob("*/1.0/*/*"))
            bare.append(min(seconds(partial(bare_loop, paths, threads=threads)) for threads in (1, CORES)))
            ours.append(_seconds_to_import(client, game))
    quickest = statistics.median(bare)
    taken = statistics.median(ours)
    yield Row(
        f"importing {load.name}",
        f"{load.count * load.size / taken / 1e6:,.0f} MB/s, {load.count / taken:,.0f} files/s",
        f"bare loop: {load.count * load.size / quickest / 1e6:,.0f} MB/s, {load.count / quickest:,.0f} files/s",
        f"{quickest / taken:.2f}",
        f"at least {load.wanted}",
    )
    yield Row("its peak memory", f"{served.running.peak_memory() - before:.0f} MiB above rest", "", "", "below 256 MB")


def _new_game(client: httpx2.Client, library: str, games: Path, number: int) -> str:
    """Make a game that was never imported of the same files, by another name of their folder."""
    name = f"round {number + 1}"
    next(games.iterdir()).rename(games / name)
    started = client.post("/api/v1/admin/import/game", json={"library": library, "path": name}).raise_for_status()
    _wait(client, started.json()["taskId"])
    listed = client.get("/api/v1/admin/library").json()["games"]
    game: str = next(each["game"]["id"] for each in listed if each["game"]["libraryPath"] == name)
    return game


def _seconds_to_import(client: httpx2.Client, game: str) -> float:
    """Give the seconds from the call to the end that the task itself tells, so that looking costs next to nothing."""
    body = {"id": game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "000/000000.dat"}
    called = utc_now()
    started = client.post("/api/v1/admin/import/version", json=body).raise_for_status()
    ended = _wait(client, started.json()["taskId"])
    return (ended - called).total_seconds()


def _wait(client: httpx2.Client, task_id: str) -> datetime:
    while True:
        task = client.get(f"/api/v1/task/{task_id}").json()
        if task["ended"]:
            assert task["success"], task
            return datetime.fromisoformat(task["ended"])
        time.sleep(0.1)
