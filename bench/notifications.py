"""Writing 10,000 notifications to 100 users in one announcement, and how long calls take during it."""

import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx2
from sqlalchemy import insert, select

from bench.servers import Service, service
from bench.table import Row
from playdock import stored
from playdock.db.database import Database
from playdock.domain.events.rules import EventType
from playdock.features.notifications.service import ANNOUNCE, Announcements
from playdock.kit.clock import utc_now
from playdock.models import Event, Notification, Task, User
from playdock.stored_events import SpaceEvent, StoredMessage

_USERS = 100
_BATCHES = 100
_ROUNDS = 3
# Without a pause the client itself would be what the calls wait for.
_PAUSE_SECONDS = 0.002


def measure() -> Iterator[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder,
        service(Path(folder)) as served,
        closing(Database(served.settings.database)) as db,
    ):
        _add_users(db)
        seconds, during, alone, bare = [], [], [], []
        for number in range(_ROUNDS):
            alone.append(_slowest(served, lambda: time.sleep(2)))
            during.append(_slowest(served, lambda: seconds.append(_announce(db, served))))
            bare.append(_insert_bare(db, Path(folder) / f"bare-{number}.sqlite3"))
    baseline, took = statistics.median(bare), statistics.median(seconds)
    what = f"writing {_USERS * _BATCHES:,} notifications to {_USERS} users in {_BATCHES} batches"
    yield Row(what, f"{took:.2f} s", f"INSERT alone: {baseline:.2f} s", f"{took / baseline:.1f}", "under 2 s")
    ours, others = statistics.median(during), statistics.median(alone)
    yield Row(
        "99% of the calls of a user during it take less than",
        f"{1000 * ours:.0f} ms",
        f"otherwise: {1000 * others:.0f} ms",
        f"{ours / others:.1f}",
        "50 ms",
    )


def _add_users(db: Database) -> None:
    """Add administrators, who are notified of everything."""
    with db.write() as session:
        own = session.scalars(select(User)).one()
        columns = {column.key: getattr(own, column.key) for column in User.__table__.columns}
        rows = [
            {**columns, "id": f"user-{number}", "username": f"user{number}", "normalized_name": f"user{number}"}
            for number in range(_USERS - 1)
        ]
        session.execute(insert(User), rows)


def _announce(db: Database, served: Service) -> float:
    """Record one event for each batch, and return the seconds that the service takes to announce them."""
    at, number = utc_now(), time.monotonic_ns()
    data = stored.encode(SpaceEvent(reason=StoredMessage(text="3 GiB are free.")))
    rows = [
        {
            "event_type": EventType.DISK_LOW.value,
            "nonce": f"{number}-{batch}",
            "data": data,
            "created": at,
            "batch": f"{number}-{batch}",
        }
        for batch in range(_BATCHES)
    ]
    with db.write() as session:
        session.execute(insert(Event), rows)
    Announcements(db, utc_now, served.settings, lambda: None).start_due()
    while True:
        with db.read() as session:
            task = session.scalars(select(Task).where(Task.task_type == ANNOUNCE).order_by(Task.created.desc())).first()
        if task is not None and task.ended and task.started:
            assert task.success, task.error_detail
            return (task.ended - task.started).total_seconds()
        time.sleep(0.05)


def _insert_bare(db: Database, file: Path) -> float:
    """Return the seconds that the rows of the notifications alone take, in one transaction of an empty database."""
    names = [column.key for column in Notification.__table__.columns if column.key != "id"]
    with closing(sqlite3.connect(str(db.url.database))) as source:
        rows = source.execute(f"SELECT {', '.join(names)} FROM notifications LIMIT {_USERS * _BATCHES}").fetchall()
        (schema,) = source.execute("SELECT sql FROM sqlite_master WHERE name = 'notifications'").fetchone()
    with closing(sqlite3.connect(file)) as empty:
        empty.executescript(schema)
        began = time.perf_counter()
        with empty:
            marks = ", ".join("?" for _ in names)
            empty.executemany(f"INSERT INTO notifications ({', '.join(names)}) VALUES ({marks})", rows)
        return time.perf_counter() - began


def _slowest(served: Service, run: Callable[[], object]) -> float:
    """Return the time within which 99 % of a user's calls are answered while something runs, reads and writes."""
    done = threading.Event()
    took: list[float] = []

    def read(client: httpx2.Client) -> httpx2.Response:
        return client.get("/api/v1/user/session")

    def write(client: httpx2.Client) -> httpx2.Response:
        return client.put("/api/v1/notifications/preferences", json={"platforms": [], "tags": [], "muted": []})

    def call_in_turn() -> None:
        with served.client() as client:
            while not done.is_set():
                for call in (read, write):
                    began = time.perf_counter()
                    call(client).raise_for_status()
                    took.append(time.perf_counter() - began)
                time.sleep(_PAUSE_SECONDS)

    caller = threading.Thread(target=call_in_turn)
    caller.start()
    run()
    done.set()
    caller.join()
    return statistics.quantiles(took, n=100)[98]
