"""A backup of a SQLite database of 400 MB while it is written to, next to a bare VACUUM INTO."""

import os
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

from bench.table import Row
from playdock.backups.opening import find
from playdock.backups.restoring import check
from playdock.backups.writing import Backups
from playdock.db.database import Database
from playdock.db.migrate import migrate
from playdock.kit.clock import utc_now
from playdock.models import FailedAttempt, ProviderResponse
from playdock.settings import Settings
from playdock.storage.blobs import LocalBlobs

_ROWS = 100_000
_ROW_BYTES = 4000
_OBJECTS = 2000
_ROUNDS = 3
# How long a writer rests between two commits: some two hundred in a second.
_PAUSE_SECONDS = 0.005


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(data_dir=folder / "data")
        with closing(Database(settings.database)) as db:
            blobs = LocalBlobs(settings.objects_dir)
            _fill(db, blobs)
            backups = Backups(db, utc_now, settings, blobs)
            file = Path(db.url.database or "")
            bare, whole = [], []
            for number in range(_ROUNDS):
                bare.append(_timed(db, partial(_vacuum, file, folder / f"bare-{number}")))
                whole.append(_timed(db, partial(backups.write, str(folder / f"kept-{number}"))))
            again = _timed(db, partial(backups.write, str(folder / "kept-0")))
            start = time.monotonic()
            check(find(settings, str(folder / "kept-0")), work=folder)
            checked = time.monotonic() - start
            size = file.stat().st_size / 1e6
    yield from _rows(size, bare, whole, again, checked)


def _rows(size: float, bare: list["_Times"], whole: list["_Times"], again: "_Times", checked: float) -> Iterator[Row]:
    seconds = statistics.median(each[0] for each in whole)
    baseline = statistics.median(each[0] for each in bare)
    what = f"backup of a SQLite database of {size:.0f} MB and {_OBJECTS:,} objects, under writes"
    yield Row(what, f"{seconds:.1f} s", f"VACUUM INTO alone: {baseline:.1f} s", f"{seconds / baseline:.1f}", "")
    worst, bare_worst = max(each[1] for each in whole), max(each[1] for each in bare)
    yield Row(
        "the longest commit during it",
        f"{worst * 1000:.0f} ms",
        f"during VACUUM INTO: {bare_worst * 1000:.0f} ms",
        f"{worst / bare_worst:.1f}",
        "",
    )
    yield Row(
        "the next backup, without new objects", f"{again[0]:.1f} s", f"VACUUM INTO alone: {baseline:.1f} s", "", ""
    )
    yield Row("checking it", f"{checked:.1f} s", "", "", "")


_Times = tuple[float, float]


def _fill(db: Database, blobs: LocalBlobs) -> None:
    migrate(db)
    expires = utc_now() + timedelta(days=1)
    for start in range(0, _ROWS, 1000):
        with db.write() as session:
            session.add_all(
                ProviderResponse(digest=f"{number}", source_id="steam", body=os.urandom(_ROW_BYTES), expires=expires)
                for number in range(start, start + 1000)
            )
    for number in range(_OBJECTS):
        blobs.put(f"objects/{number:04x}{number:028x}", [os.urandom(30_000)])


def _vacuum(file: Path, target: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))
    target.unlink()


def _timed(db: Database, work: Callable[[], object]) -> _Times:
    """Return the seconds that some work takes, and those of the longest commit during it."""
    with _writing(db) as commits:
        start = time.monotonic()
        work()
        seconds = time.monotonic() - start
    return seconds, max(commits)


@contextmanager
def _writing(db: Database) -> Iterator[list[float]]:
    """Commit small changes in another thread, and yield how long each took."""
    commits: list[float] = []
    stop = threading.Event()

    def write() -> None:
        while not stop.wait(_PAUSE_SECONDS):
            start = time.monotonic()
            with db.write() as session:
                session.add(FailedAttempt(key="bench", at=utc_now()))
            commits.append(time.monotonic() - start)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield commits
    finally:
        stop.set()
        thread.join()
