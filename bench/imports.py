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
        beside = _calls_beside(client, _new_game(client, library, games, _ROUNDS))
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
    yield Row("`GET /api/v1/user` meanwhile", beside, "", "", "below 50 ms at the 99th percentile")


def _calls_beside(client: httpx2.Client, game: str) -> str:
    """Ask who one is, again and again, while a version is imported."""
    task_id, durations = _started(client, game), []
    while not client.get(f"/api/v1/task/{task_id}").json()["ended"]:
        durations += [seconds(partial(client.get, "/api/v1/user")) for _ in range(20)]
    durations.sort()
    median, slow = durations[len(durations) // 2], durations[len(durations) * 99 // 100]
    return f"median {1000 * median:.1f} ms, 99 of 100 below {1000 * slow:.0f} ms"


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
    called = utc_now()
    return (_wait(client, _started(client, game)) - called).total_seconds()


def _started(client: httpx2.Client, game: str) -> str:
    body = {"id": game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "000/000000.dat"}
    started = client.post("/api/v1/admin/import/version", json=body).raise_for_status()
    task_id: str = started.json()["taskId"]
    return task_id


def _wait(client: httpx2.Client, task_id: str) -> datetime:
    while True:
        task = client.get(f"/api/v1/task/{task_id}").json()
        if task["ended"]:
            assert task["success"], task
            return datetime.fromisoformat(task["ended"])
        time.sleep(0.1)
