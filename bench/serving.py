"""Downloads of games, next to nginx sending files from the same disk."""

import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.bare import MIB, make_files, noise, seconds
from bench.library import add_library, import_game, import_version
from bench.nginx import nginx
from bench.readers import Habit, Target, read_for, read_slowly
from bench.requests import slow_and_usual
from bench.servers import Running, Service, service
from bench.table import Row

_ROUNDS = 3
_WINDOW = 0.5
_LARGE = 4096 * MIB
_KIB = 1024
_FIRST = "000/000000.dat"
_QUICK = "below 50 ms at the 99th percentile"
_SLOW_READERS = 500
_SLOW_RATE = 10_000


@dataclass(frozen=True, slots=True)
class Case:
    """How something is read, and the target as a share of nginx's speed; ``frugal``: with no more processor time."""

    name: str
    habit: Habit
    wanted: float | None
    frugal: bool = False


_WHOLE = (
    Case("whole, over 1 connection", Habit(1), 1.0, frugal=True),
    Case("whole, over 8", Habit(8), 1.0, frugal=True),
)
_RANGES = (
    *(Case(f"64 MiB ranges, over {count}", Habit(count, 64 * MIB), 0.95) for count in (1, 8)),
    *(Case(f"8 MiB ranges, over {count}", Habit(count, 8 * MIB), 0.7) for count in (1, 8)),
    *(Case(f"64 KiB ranges, over {count}", Habit(count, 64 * _KIB), 0.3) for count in (1, 8)),
    Case("8 MiB ranges, a new connection each", Habit(1, 8 * MIB, new_each_time=True), None),
    Case("64 KiB ranges, a new connection each", Habit(1, 64 * _KIB, new_each_time=True), None),
)


@dataclass(frozen=True, slots=True)
class Side:
    """What is read, and the process that serves it."""

    target: Target
    server: Running


@dataclass(frozen=True, slots=True)
class Rate:
    """MB per second, and processor seconds of the server per GB."""

    speed: float
    cost: float

    def __str__(self) -> str:
        return f"{self.speed:,.0f} MB/s, {self.cost:.2f} s/GB"


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as name:
        folder, games = Path(name), Path(name) / "games"
        _make_games(games)
        with service(folder) as served, nginx(folder / "nginx", root=games) as baseline:
            sides = {game: Side(target, served.running) for game, target in _imported(served, games).items()}
            with _a_core_each(served.running, baseline):
                yield from _beside_nginx(sides, baseline, games)
                yield _small_files(sides["small"], games / "small")
                yield _archive(sides["tiny"], served)
            yield _calls_beside_downloads(served, sides["many"].target)
            yield from slow_readers(served, sides["many"].target)
            yield _leaving(served, sides["many"].target, games)


def _make_games(games: Path) -> None:
    """Write the versions, which leaves all bytes in the page cache."""
    make_files(games / "many" / "1.0", count=2000, size=_LARGE // 2000)
    make_files(games / "small" / "1.0", count=20_000, size=16 * _KIB)
    make_files(games / "tiny" / "1.0", count=50_000, size=4 * _KIB)
    one = games / "one" / "1.0" / _FIRST
    one.parent.mkdir(parents=True)
    with one.open("wb") as file:
        for number in range(_LARGE // MIB):
            file.write(noise(number, size=MIB))


def _imported(served: Service, games: Path) -> dict[str, Target]:
    """Import all games, and return the images of their versions."""
    with served.client() as client:
        library = add_library(client, games)
        found = {}
        for path in sorted(path.name for path in games.iterdir()):
            version = import_version(client, import_game(client, library, path), "1.0", launch=_FIRST)
            address = f"{served.running.address}/api/v1/versions/{version}/content"
            head = client.request("HEAD", address).raise_for_status()
            found[path] = Target(address, int(head.headers["content-length"]), served.token)
    return found


def _beside_nginx(sides: dict[str, Side], server: Running, games: Path) -> Iterator[Row]:
    paths = sorted((games / "many").rglob("*.dat"))
    names, size = tuple(path.relative_to(games).as_posix() for path in paths), paths[0].stat().st_size
    same_files = Side(Target(server.address, size, files=names), server)
    one_file = Side(Target(f"{server.address}/one/1.0/{_FIRST}", _LARGE), server)
    for case in _WHOLE:
        yield _compared("4 GiB image of 1 file", case, sides["one"], one_file)
    for case in _WHOLE:
        yield _compared("4 GiB image of 2,000 files", case, sides["many"], same_files)
    for case in _RANGES:
        yield _compared("4 GiB image of 2,000 files", case, sides["many"], one_file)


def _compared(what: str, case: Case, side: Side, baseline: Side) -> Row:
    by_nginx = f"nginx, {len(baseline.target.files) or 1:,} file{'s' if baseline.target.files else ''}"
    rates = [(_rate(side, case.habit), _rate(baseline, case.habit)) for _ in range(_ROUNDS)]
    ours, theirs = (_median([pair[index] for pair in rates]) for index in (0, 1))
    wanted = "" if case.wanted is None else f"at least {case.wanted}"
    return Row(
        f"{what}, {case.name}",
        str(ours),
        f"{by_nginx}: {theirs}",
        f"{ours.speed / theirs.speed:.2f}; processor {ours.cost / max(theirs.cost, 0.001):.2f}",
        f"{wanted}; at most 1.0" if case.frugal else wanted,
    )


def _rate(side: Side, habit: Habit) -> Rate:
    before = side.server.processor_seconds()
    read = read_for(_WINDOW, side.target, habit)
    spent = side.server.processor_seconds() - before
    return Rate(read.size / read.seconds / 1e6, spent / (read.size / 1e9))


def _median(rates: Sequence[Rate]) -> Rate:
    return Rate(statistics.median(rate.speed for rate in rates), statistics.median(rate.cost for rate in rates))


def _small_files(side: Side, folder: Path) -> Row:
    paths = [str(path) for path in sorted(folder.rglob("*.dat"))]
    rates, bare = [], []
    for _ in range(_ROUNDS):
        rates.append(_rate(side, Habit(1)))
        bare.append(side.target.size / seconds(partial(_read_bare, paths)) / 1e6)
    ours, baseline = _median(rates), statistics.median(bare)
    return Row(
        "image of 20,000 files of 16 KiB, 1 connection",
        str(ours),
        f"reading them bare in one loop: {baseline:,.0f} MB/s",
        f"{ours.speed / baseline:.2f}",
        "",
    )


def _read_bare(paths: Sequence[str]) -> None:
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        os.read(descriptor, MIB)
        os.close(descriptor)


def _archive(image: Side, served: Service) -> Row:
    address = image.target.address.replace("/content", "/archive.zip")
    with served.client() as client:
        head = client.request("HEAD", address).raise_for_status()
    side = Side(Target(address, int(head.headers["content-length"]), served.token), image.server)
    ours = _median([_rate(side, Habit(1)) for _ in range(_ROUNDS)])
    return Row("archive.zip of 50,000 files of 4 KiB, 1 connection", str(ours), "", "", "")


def _calls_beside_downloads(served: Service, target: Target) -> Row:
    with _meanwhile(read_for, 4, target, Habit(8)):
        told = _calls(served, for_seconds=3)
    return Row("`GET /api/v1/user` while 8 whole downloads saturate the machine", told, "", "", _QUICK)


def slow_readers(served: Service, target: Target, *, what: str = "") -> Iterator[Row]:
    """Measure the memory of readers that are slow; ``what`` is the end of the names of rows."""
    one = _grown(served, target, readers=1)
    many = _grown(served, target, readers=_SLOW_READERS)
    yield Row(f"memory of one reader at 10 KB/s{what}", f"{one[0]:.1f} MiB more", "", "", "below 2 MB")
    yield Row(f"memory of {_SLOW_READERS} such readers{what}", f"{many[0]:.0f} MiB more", "", "", "below 300 MB")
    yield Row("`GET /api/v1/user` during these downloads", many[1], "", "", _QUICK)


def _grown(served: Service, target: Target, *, readers: int) -> tuple[float, str]:
    """Measure the cost of slow readers: MiB, and the latency of calls at the same time."""
    read_for(_WINDOW, target, Habit(1))
    time.sleep(1)
    before = served.running.memory()
    with _meanwhile(read_slowly, 4, target, readers=readers, rate=_SLOW_RATE):
        time.sleep(1)
        told = _calls(served, for_seconds=2)
        return served.running.memory() - before, told


def _calls(served: Service, *, for_seconds: float) -> str:
    """Call `/api/v1/user` repeatedly."""
    durations = []
    with served.client() as client:
        client.get("/api/v1/user").raise_for_status()
        end = time.perf_counter() + for_seconds
        while time.perf_counter() < end:
            durations.append(seconds(lambda: client.get("/api/v1/user").raise_for_status()))
    return slow_and_usual(durations)


def _leaving(served: Service, target: Target, games: Path) -> Row:
    """Start to read, disconnect, and wait until the server has closed all files of games."""
    durations = []
    _until(lambda: not _holds_files(served.running, games))
    for _ in range(5):
        with target.connect() as connection:
            connection.sendall(target.request())
            connection.recv(MIB)
            _until(lambda: _holds_files(served.running, games))
        durations.append(seconds(lambda: _until(lambda: not _holds_files(served.running, games))))
    told = f"{1000 * statistics.median(durations):.0f} ms, longest {1000 * max(durations):.0f} ms"
    return Row("files of a reader who left are closed after", told, "", "", "")


def _until(true: Callable[[], bool]) -> None:
    while not true():
        time.sleep(0.001)


def _holds_files(server: Running, games: Path) -> bool:
    return any(path.is_relative_to(games) for path in server.open_files())


@contextmanager
def _a_core_each(*servers: Running) -> Iterator[None]:
    """Run servers on one core and this process on another, if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    for server in servers:
        server.keep_to({cores[0]})
    os.sched_setaffinity(0, {cores[-1]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        for server in servers:
            server.keep_to(set(cores))


@contextmanager
def _meanwhile(call: Callable[..., Any], *args: Any, **options: Any) -> Iterator[None]:
    """Run a call in a separate process, and wait for its end."""
    process = multiprocessing.get_context("fork").Process(target=call, args=args, kwargs=options)
    process.start()
    try:
        yield
    finally:
        process.join()
    assert process.exitcode == 0
