"""A store of 100,000 games next to one of 10,000 on SQLite: calls must not take ten times as long.

The library of the games is unavailable, so that no disk is measured.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from bench.library import wait_for
from bench.plenty import GAMES, Known, fill
from bench.requests import milliseconds
from bench.servers import Service, service
from bench.table import Row
from playdock.db.database import Database

_GAMES = 100_000
_CLEANUP = ("cleanup:objects", "verify:content")
_CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Store:
    """A running service with games."""

    served: Service
    known: Known
    client: httpx2.Client

    def milliseconds(self, path: str, query: dict[str, Any]) -> float:
        return milliseconds(lambda: self.client.get(path, params=query).raise_for_status(), times=7)

    def length(self, path: str) -> int:
        return len(self.client.get(path).raise_for_status().content)

    def growth(self) -> float:
        """Return by how many MiB the memory grows during maintenance."""
        self.served.running.forget_peak()
        before = self.served.running.memory()
        for task_type in _CLEANUP:
            started = self.client.post("/api/v1/admin/task", json={"taskGroup": task_type})
            # The schedule has started it if the service has run for a minute.
            task = (
                started.json()["taskId"]
                if started.status_code == _CONFLICT
                else started.raise_for_status().json()["id"]
            )
            if task_type == "cleanup:objects":
                wait_for(self.client, task)
        # Verifying goes on for minutes; what it needs in memory it needs from its first query on.
        time.sleep(10)
        return self.served.running.peak_memory() - before


def measure() -> Iterator[Row]:
    with ExitStack() as stack:
        small, large = (stack.enter_context(_store(games)) for games in (GAMES, _GAMES))
        for what, path, query in _calls(large.known):
            yield _time(what, small, large, path, query)
        for path in ("/api/v1/admin/statistics", "/api/v1/admin/library"):
            yield _size(small, large, path)
        grown = [store.growth() for store in (small, large)]
        yield Row(
            f"memory for maintenance of {_GAMES:,} games",
            f"{grown[1]:.0f} MiB more",
            f"{GAMES:,} games: {grown[0]:.0f} MiB more",
            "",
            "below 50 MiB",
        )


@contextmanager
def _store(games: int) -> Iterator[Store]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, service(Path(folder)) as served:
        database = Database(served.settings.database)
        known = fill(database, games=games)
        database.close()
        with served.client() as client:
            yield Store(served, known, client)


def _calls(known: Known) -> Iterator[tuple[str, str, dict[str, Any]]]:
    store = "/api/v1/store"
    yield "first page of the store", store, {}
    yield "first page of a common tag", store, {"tag": known.tag, "sort": "name"}
    yield "first page of a rare tag", store, {"tag": "tag-399", "sort": "name"}
    yield "search for one letter", store, {"q": known.title[0]}
    yield "search for one letter within a tag", store, {"q": known.title[0], "tag": known.tag}
    yield "the dashboard's statistics", "/api/v1/admin/statistics", {}
    yield "numbers of games of each library", "/api/v1/admin/library/counts", {}
    yield "first page of the table of games", "/api/v1/admin/games", {}


def _time(what: str, small: Store, large: Store, path: str, query: dict[str, Any]) -> Row:
    before, now = small.milliseconds(path, query), large.milliseconds(path, query)
    return Row(
        f"{what}, {_GAMES:,} games", f"{now:.1f} ms", f"{GAMES:,} games: {before:.1f} ms", f"{now / before:.1f}", ""
    )


def _size(small: Store, large: Store, path: str) -> Row:
    before, now = small.length(path), large.length(path)
    return Row(
        f"size of `GET {path}`, {_GAMES:,} games",
        f"{now / 1e6:.2f} MB",
        f"{GAMES:,} games: {before / 1e6:.2f} MB",
        f"{now / before:.1f}",
        "",
    )
