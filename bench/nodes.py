"""Several processes with one PostgreSQL database: starting a task elsewhere, and checking cached values."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

from bench.requests import in_turn, requests_per_second
from bench.servers import Running, Service, free_port, running, service
from bench.table import Row
from playdock.db.database import Database
from playdock.features.tasks.maintenance import SESSIONS, new_task_for
from playdock.kit.clock import utc_now
from playdock.models import Task
from playdock.tasks import queries
from playdock.tasks.enqueueing import enqueue
from postgresql import execute, find_programs, running_server

_TASKS = 30
# Pauses that no period of the runner divides.
_PAUSE_SECONDS = 0.37
# A process that trusts its caches without reading the revision: no cache that notifications invalidate can be faster.
_TRUSTING = """
import sys
from playdock.cli.main import run
from playdock.db.postgresql_revisions import PostgresqlRevisions
from playdock.db.revisions import Numbers

async def latest(self):
    return Numbers(1, 1)

PostgresqlRevisions.known = lambda self: Numbers(1, 1)
PostgresqlRevisions.latest = latest
sys.argv[0] = "playdock"
run()
"""


def measure() -> Iterator[Row]:
    programs = find_programs()
    assert programs is not None, "Install Debian's package postgresql."
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, running_server(programs) as address:
        execute(address, "CREATE DATABASE bench TEMPLATE template0")
        with service(Path(folder) / "p", database_url=f"{address}/bench") as served:
            ours = _start_latencies(served)
            with _trusting(served) as trusting:
                yield from _rates(served, trusting)
        with service(Path(folder) / "s") as embedded:
            polled = _start_latencies(embedded)
    yield Row(
        "start of a task that another process enqueued, PostgreSQL",
        _as_text(ours),
        f"SQLite, where a process looks once per second: {_as_text(polled)}",
        f"{statistics.median(ours) / statistics.median(polled):.2f}",
        "below 100 ms",
    )


def _start_latencies(served: Service) -> list[float]:
    """Return the milliseconds from the commit that enqueues a task here to its start in the service."""
    found = []
    with closing(Database(served.settings.database)) as db:
        for _ in range(_TASKS):
            time.sleep(_PAUSE_SECONDS)
            with db.write() as session:
                task_id = enqueue(session, new_task_for(SESSIONS), at=utc_now())
            enqueued = utc_now()
            task = _ended(db, task_id)
            assert task.started is not None
            found.append((task.started - enqueued) / timedelta(milliseconds=1))
    return found


def _ended(db: Database, task_id: str) -> Task:
    while True:
        with db.read() as session:
            task = queries.find(session, task_id)
        if task is not None and task.ended:
            return task
        time.sleep(0.05)


@contextmanager
def _trusting(served: Service) -> Iterator[Running]:
    """Run another process with the same database that never checks its caches."""
    port = free_port()
    environment = {
        "DATA_DIR": str(served.settings.data_dir),
        "DATABASE_URL": served.settings.database_url,
        "METADATA_PROVIDERS": "none",
        "REQUESTS_PER_MINUTE": "0",
    }
    command = [sys.executable, "-c", _TRUSTING, "serve", "--port", str(port)]
    with running(command, port=port, path="/api/v1/user", environment={**os.environ, **environment}) as process:
        yield process


def _rates(served: Service, trusting: Running) -> Iterator[Row]:
    for connections in (1, 32):
        measured = partial(requests_per_second, connections=connections, token=served.token)
        addresses = (f"{process.address}/api/v1/user" for process in (served.running, trusting))
        ours, baseline = in_turn(*(partial(measured, address) for address in addresses))
        yield Row(
            f"`GET /api/v1/user` with a bearer token over {connections} at once, PostgreSQL",
            f"{ours:,.0f}/s",
            f"without reading the revision, so that a revoked token is accepted: {baseline:,.0f}/s",
            f"{ours / baseline:.2f}",
            "",
        )


def _as_text(milliseconds: list[float]) -> str:
    return f"median {statistics.median(milliseconds):.0f} ms, longest {max(milliseconds):.0f} ms"
