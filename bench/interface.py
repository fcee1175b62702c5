"""Calls of the API: throughput, latency, and the cost of the idle service."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx2

import playdock
from bench.requests import in_turn, milliseconds, requests_per_second
from bench.servers import PASSWORD, Running, Service, empty_route, service
from bench.table import Row
from playdock.auth.passwords import Passwords
from playdock.db.database import Database
from playdock.features.accounts.queries import NewUser, add_user
from playdock.kit.clock import utc_now
from playdock.kit.identifiers import new_id

_STARTS = 7
# What `playdock serve` does before it reads its options.
_LOAD_SERVICE = """
from playdock.kit import log_config
from playdock.kit.collection import collection_paused
with collection_paused():
    import playdock.cli.commands
    import playdock.cli.server
"""
_USERS = 1000
_FOLDERS = 10_000
_PROGRAMS = 50_000


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, service(Path(folder)) as served:
        time.sleep(2)
        idle = served.running.memory()
        yield from _rates(served)
        yield from _users(served)
        yield from _listing(served, Path(folder) / "games")
        yield _preload(served, Path(folder) / "large games")
        yield _sign_in(served)
        yield _beside_sign_ins(served)
    yield from _start()
    yield Row("memory at rest", f"{idle:.0f} MiB", "", "", "below 120 MB")


def _rates(served: Service) -> Iterator[Row]:
    with empty_route() as empty:
        yield _rate(served, empty, connections=1)
        yield _rate(served, empty, connections=32)


def _rate(served: Service, empty: Running, *, connections: int) -> Row:
    user, token = f"{served.running.address}/api/v1/user", served.token
    ours, baseline = in_turn(
        lambda: requests_per_second(user, connections=connections, token=token),
        lambda: requests_per_second(f"{empty.address}/", connections=connections),
    )
    return Row(
        f"`GET /api/v1/user` with a bearer token over {connections} at once",
        f"{ours:,.0f}/s",
        f"empty route of the same stack: {baseline:,.0f}/s",
        f"{ours / baseline:.2f}",
        "at least 0.6",
    )


def _users(served: Service) -> Iterator[Row]:
    database = Database(served.settings.database)
    with database.write() as session:
        for number in range(_USERS - 1):
            name = f"user{number}"
            new = NewUser(new_id(), name, name, f"{name}@example.org", new_id(), admin=False)
            add_user(session, new, at=utc_now())
    database.close()
    with served.client() as client, empty_route() as empty, httpx2.Client() as other:
        assert len(client.get("/api/v1/admin/users").json()) == _USERS
        wanted = {"": "an existing server: 6.5 ms", "?limit=100": "", "?limit=100&q=user999": ""}
        for query, goal in wanted.items():
            path = f"/api/v1/admin/users{query}"
            ours, baseline = in_turn(
                partial(milliseconds, partial(client.get, path)),
                partial(milliseconds, partial(other.get, f"{empty.address}/")),
            )
            yield Row(
                f"`GET {path}`, {_USERS:,} users",
                f"{ours:.1f} ms",
                f"empty route by the same client: {baseline:.1f} ms",
                f"{ours / baseline:.1f}",
                goal,
            )


def _listing(served: Service, games: Path) -> Iterator[Row]:
    for number in range(_FOLDERS):
        (games / f"Game number {number}").mkdir(parents=True)
    with served.client() as client:
        draft = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(games)}}
        client.post("/api/v1/admin/library/sources", json=draft).raise_for_status()
        served.running.forget_peak()
        before = served.running.peak_memory()
        listed = client.get("/api/v1/admin/import/game")
        grown = served.running.peak_memory() - before
        assert len(listed.json()["unimportedGames"]) == _FOLDERS
        ours, baseline = in_turn(
            lambda: milliseconds(lambda: client.get("/api/v1/admin/import/game"), times=5),
            lambda: milliseconds(lambda: [entry.is_dir() for entry in games.iterdir()], times=5),
        )
    yield Row(
        f"listing {_FOLDERS:,} unimported games",
        f"{ours:.1f} ms",
        f"bare scan with a stat a folder: {baseline:.1f} ms",
        f"{ours / baseline:.2f}",
        "below 40 ms",
    )
    yield Row("memory of the first such listing", f"{grown:.1f} MiB more", "", "", "below 2 MB")


def _preload(served: Service, games: Path) -> Row:
    """Measure guessing the launch program of a game that contains only programs."""
    version = games / "Game" / "1.0"
    for number in range(_PROGRAMS):
        program = version / f"{number // 500:03}" / f"program {number}"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_bytes(b"\x7fELF")
        program.chmod(0o755)
    with served.client() as client:
        query = {"id": _imported(client, games, "Game"), "version": "1.0"}
        preload = "/api/v1/admin/import/version/preload"
        client.get(preload, params=query).raise_for_status()
        ours, baseline = in_turn(
            lambda: milliseconds(lambda: client.get(preload, params=query), times=3),
            lambda: milliseconds(lambda: _walk(version), times=3),
        )
    return Row(
        f"guessing what starts a game of {_PROGRAMS:,} programs",
        f"{ours:.0f} ms",
        f"bare walk with a stat a file: {baseline:.0f} ms",
        f"{ours / baseline:.2f}",
        "below 1 s",
    )


def _imported(client: httpx2.Client, games: Path, name: str) -> str:
    """Add a folder as a library, import its only game, and return its id."""
    draft = {"name": games.name, "backend": "Filesystem", "options": {"baseDir": str(games)}}
    library = client.post("/api/v1/admin/library/sources", json=draft).raise_for_status().json()["id"]
    client.post("/api/v1/admin/import/game", json={"library": library, "path": name}).raise_for_status()
    while not (found := client.get("/api/v1/admin/library").raise_for_status().json()["games"]):
        time.sleep(0.05)
    game: str = found[0]["game"]["id"]
    return game


def _walk(folder: Path) -> int:
    return sum(os.stat(name, dir_fd=here).st_size for _, _, names, here in os.fwalk(folder) for name in names)


def _sign_in(served: Service) -> Row:
    hasher = Passwords()
    stored = hasher.hash(PASSWORD)
    body = {"username": "ada", "password": PASSWORD}
    with served.client() as client:
        ours, baseline = in_turn(
            lambda: milliseconds(lambda: client.post("/api/v1/auth/signin/simple", json=body), times=5),
            lambda: milliseconds(lambda: hasher.verify(stored, PASSWORD), times=5),
        )
    return Row(
        "signing in",
        f"{ours:.0f} ms",
        f"one Argon2id verification: {baseline:.0f} ms",
        f"{ours / baseline:.2f}",
        "an existing server: 95 ms",
    )


def _beside_sign_ins(served: Service) -> Row:
    """Call `/api/v1/user` while eight sign-ins run."""
    body = {"username": "ada", "password": PASSWORD}

    def sign_in(_number: int) -> None:
        with served.client() as client:
            client.post("/api/v1/auth/signin/simple", json=body).raise_for_status()

    durations = []
    with ThreadPoolExecutor(8) as pool, served.client() as client:
        client.get("/api/v1/user")
        running = [pool.submit(sign_in, number) for number in range(8)]
        while not all(each.done() for each in running):
            start = time.perf_counter()
            client.get("/api/v1/user")
            durations.append(time.perf_counter() - start)
    durations.sort()
    median, slowest = 1000 * durations[len(durations) // 2], 1000 * durations[-1]
    what = "`GET /api/v1/user` while 8 sign-ins run"
    return Row(what, f"median {median:.1f} ms, slowest {slowest:.0f} ms", f"{len(durations)} calls", "", "stays fast")


def _start() -> Iterator[Row]:
    """Start repeatedly with an existing database and compiled modules. The baseline is importing the libraries."""
    compile_dir(Path(playdock.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder:
        with service(Path(folder)):
            pass
        loaded, first = in_turn(partial(_seconds_to_run, _LOAD_SERVICE), _seconds_to_load, rounds=_STARTS)
        answered, second = in_turn(partial(_seconds_to_answer, Path(folder)), _seconds_to_load, rounds=_STARTS)
    for what, ours, baseline in (
        ("loading what `serve` needs", loaded, first),
        ("start to first answer", answered, second),
    ):
        yardstick = f"loading Litestar, SQLAlchemy, uvicorn and msgspec: {baseline:.2f} s"
        yield Row(what, f"{ours:.2f} s", yardstick, f"{ours / baseline:.2f}", "at most 1.5")


def _seconds_to_answer(folder: Path) -> float:
    with service(folder, sign_in=False) as served:
        return served.running.seconds_to_answer


def _seconds_to_load() -> float:
    return _seconds_to_run("import litestar, sqlalchemy.orm, uvicorn, msgspec")


def _seconds_to_run(program: str) -> float:
    """Return the seconds that a program takes, without those for freeing everything at its end."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"{program}\nimport os; os._exit(0)"], check=True)
    return time.perf_counter() - start
