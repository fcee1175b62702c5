"""Scans of libraries: one that finds nothing new, and how soon a new folder is in the plan."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

from sqlalchemy import select

from bench.bare import seconds
from bench.plenty import GAMES, fill
from bench.table import Row
from playdock.cli.opening import bring_up_to_date
from playdock.features.library_scans.service import SCAN
from playdock.models import Game, Library, PlanRow, Task, Version
from playdock.settings import Settings
from playdock.web.services import Services
from playdock.web.wiring import wire

_FILES = 100_000
_TIMES = 5
_PATIENCE_SECONDS = 300


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, _service(Path(folder)) as services:
        games = Path(folder) / "games"
        fill(services.db, folder=games)
        files = _write_tree(services, games)
        _scan(services)
        walks, scans = [], []
        for _ in range(_TIMES):
            walks.append(seconds(lambda: _walk(games)))
            scans.append(seconds(lambda: _scan(services)))
        bare, scan = median(walks), median(scans)
        what = f"a scan that finds nothing new in {GAMES:,} games with {files:,} files"
        yield Row(what, f"{scan:.2f} s", f"bare walk with stat: {bare:.2f} s", f"{scan / bare:.2f}", "at most 2")
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, _service(Path(folder)) as services:
        games = Path(folder) / "games"
        # They would be looked at again until they have been unchanged for so long.
        services.settings.library_quiet_seconds = 1
        files = _plan_unimported(services, games)
        _scan(services)
        walks, scans = [], []
        for _ in range(_TIMES):
            walks.append(seconds(lambda: _walk(games)))
            scans.append(seconds(lambda: _scan(services)))
        bare, scan = median(walks), median(scans)
        what = f"the same in {GAMES:,} folders with {files:,} files that are planned and not imported"
        yield Row(what, f"{scan:.2f} s", f"bare walk with stat: {bare:.2f} s", f"{scan / bare:.2f}", "at most 2")
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, _service(Path(folder)) as services:
        delays = list(_delays(services, Path(folder) / "games"))
        what = "a new folder is in the plan after its last change"
        yield Row(what, f"{median(delays):.1f} s", f"slowest of {len(delays)}: {max(delays):.1f} s", "", "at most 5 s")


@contextmanager
def _service(folder: Path) -> Iterator[Services]:
    settings = Settings(data_dir=folder / "data", metadata_providers="none")
    with closing(wire(settings)) as services:
        bring_up_to_date(services.db, settings)
        services.node_registry.start(serves=False)
        services.runner.start()
        yield services


def _write_tree(services: Services, games: Path) -> int:
    """Write the folders of all versions, and return the number of files in them."""
    with services.db.read() as session:
        versions = session.execute(select(Game.path, Version.name).join(Version, Version.game_id == Game.id)).all()
    each = _FILES // len(versions)
    for path, name in versions:
        data = games / path / name / "data"
        data.mkdir(parents=True)
        for number in range(each):
            (data / f"{number}.dat").touch()
    return each * len(versions)


def _plan_unimported(services: Services, games: Path) -> int:
    """Write folders that are not imported, with a row of the plan for each, and return the number of files in them."""
    now, each = _now(services), _FILES // GAMES
    for game in range(GAMES):
        data = games / f"Game {game}" / "1.0" / "data"
        data.mkdir(parents=True)
        for number in range(each):
            (data / f"{number}.dat").touch()
    proposal = {"version": "1.0", "platform": "Windows", "launch": "game.exe", "label": "1.0"}
    candidate = {"sourceId": "Steam", "id": "70", "name": "Half-Life", "year": 1998, "confidence": 0.9, "reasons": []}
    values = {"library_id": "l", "certain": True, "confidence": 0.9, "clues": [], "candidates": [candidate] * 5}
    with services.db.write() as session:
        session.add(Library(id="l", name="Games", backend="Filesystem", options={"baseDir": str(games)}, created=now))
        session.flush()
        for game in range(GAMES):
            path, computed = f"Game {game}", now + timedelta(days=1)
            session.add(
                PlanRow(
                    id=str(game), path=path, title=path, versions=[proposal], computed=computed, remark="", **values
                )
            )
    return each * GAMES


def _walk(folder: Path) -> None:
    for root, _, files in os.walk(folder):
        for name in files:
            os.stat(f"{root}/{name}")  # noqa: PTH116 - the bare loop


def _scan(services: Services) -> None:
    services.library_scans.request()
    _wait(lambda: not _active(services))


def _delays(services: Services, games: Path) -> Iterator[float]:
    games.mkdir()
    with services.db.write() as session:
        options = {"baseDir": str(games)}
        session.add(Library(id="l", name="Games", backend="Filesystem", options=options, created=_now(services)))
    services.library_watcher.start()
    _wait(lambda: _scans(services) > 0 and not _active(services))
    for number in range(_TIMES):
        version = games / f"Game {number}" / "1.0"
        version.mkdir(parents=True)
        for file in range(4):
            (version / f"{file}.dat").write_bytes(bytes(1000))
            time.sleep(1)
        (version / "last.dat").write_bytes(bytes(1000))
        start = time.monotonic()
        _wait(lambda: _is_planned(services, f"Game {number}"))  # noqa: B023 - called at once
        yield time.monotonic() - start


def _now(services: Services) -> datetime:
    return services.library_scans.clock()


def _active(services: Services) -> bool:
    with services.db.read() as session:
        return session.scalar(select(Task.id).where(Task.task_type == SCAN, Task.ended.is_(None))) is not None


def _scans(services: Services) -> int:
    with services.db.read() as session:
        return len(session.scalars(select(Task.id).where(Task.task_type == SCAN)).all())


def _is_planned(services: Services, path: str) -> bool:
    with services.db.read() as session:
        return session.scalar(select(PlanRow.id).where(PlanRow.path == path)) is not None


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
