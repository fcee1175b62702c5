"""Imports through the service, from the call to the end of the task, next to the bare loop over the same files."""

import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx2

from bench.bare import CORES, MIB, bare_loop, make_files, seconds
from bench.library import add_library, import_game, start_import, wait_for
from bench.requests import slow_and_usual
from bench.servers import Service, service
from bench.table import Row
from playdock.kit.clock import utc_now

_ROUNDS = 5
_LAUNCH = "000/000000.dat"


@dataclass(frozen=True, slots=True)
class Load:
    """A version to import: the number and size of its files, and the target as a share of the bare loop's speed."""

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
        library = add_library(client, games)
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
    yield Row("`GET /api/v1/user` during the import", beside, "", "", "below 50 ms at the 99th percentile")


def _calls_beside(client: httpx2.Client, game: str) -> str:
    """Call `/api/v1/user` repeatedly while a version is imported."""
    task_id, durations = start_import(client, game, "1.0", launch=_LAUNCH), []
    while not client.get(f"/api/v1/task/{task_id}").json()["ended"]:
        durations += [seconds(partial(client.get, "/api/v1/user")) for _ in range(20)]
    return slow_and_usual(durations)


def _new_game(client: httpx2.Client, library: str, games: Path, number: int) -> str:
    """Rename the folder, so that the same files are a new game."""
    name = f"round {number + 1}"
    next(games.iterdir()).rename(games / name)
    return import_game(client, library, name)


def _seconds_to_import(client: httpx2.Client, game: str) -> float:
    """Return the seconds from the call to the end recorded in the task, so that polling hardly affects the result."""
    called = utc_now()
    ended = wait_for(client, start_import(client, game, "1.0", launch=_LAUNCH))
    return (ended - called).total_seconds()
