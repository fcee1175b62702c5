"""A store of 100,000 games next to one of 10,000, on SQLite and on PostgreSQL: no call may take ten times as long.

python -m bench.large

The library of the games is unavailable, so that no disk is measured.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from bench.databases import databases
from bench.library import wait_for
from bench.plenty import GAMES, Known, fill, settle
from bench.requests import in_turn, milliseconds
from bench.servers import Service, service
from bench.table import Row, as_markdown
from playdock.db.database import Database

_GAMES = 100_000
_CLEANUP = ("cleanup:objects", "verify:content")
_CONFLICT = 409
_PLAYERS = "below 2"
# Until what the first requests need is loaded.
_SECONDS_AT_REST = 20


@dataclass(frozen=True, slots=True)
class Store:
    """A running service with games."""

    served: Service
    known: Known
    client: httpx2.Client

    def milliseconds(self, path: str, query: dict[str, Any]) -> float:
        return milliseconds(lambda: self.client.get(path, params=query).raise_for_status(), times=3)

    def length(self, path: str) -> int:
        return len(self.client.get(path).raise_for_status().content)

    def middle(self, sort: str) -> str:
        """Return the cursor after 5,000 games."""
        after = ""
        for _ in range(GAMES // 200):
            page = self.client.get("/api/v1/store", params={"sort": sort, "limit": 100, "after": after})
            after = page.raise_for_status().json()["next"]
        return after

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
    with databases((GAMES, _GAMES)) as urls:
        for database, of_sizes in urls.items():
            yield from _on(database, of_sizes)


def _on(database: str, urls: dict[int, str]) -> Iterator[Row]:
    with ExitStack() as stack:
        small, large = (stack.enter_context(_store(games, url)) for games, url in urls.items())
        yield from _at_rest(database, small, large)
        for what, path, query in _calls_of_players(large.known):
            yield _time(f"{what}, {database}", small, large, path, (query, query), wanted=_PLAYERS)
        for sort in ("name", "rating"):
            pages = tuple({"sort": sort, "after": store.middle(sort)} for store in (small, large))
            what = f"page after 5,000 games, by {sort}, {database}"
            yield _time(what, small, large, "/api/v1/store", (pages[0], pages[1]), wanted=_PLAYERS)
        for what, path in _CALLS_OF_ADMINS:
            yield _time(f"{what}, {database}", small, large, path, ({}, {}), wanted="")
            yield _size(small, large, path)
        grown = [store.growth() for store in (small, large)]
    yield Row(
        f"memory for maintenance of {_GAMES:,} games, {database}",
        f"{grown[1]:.0f} MiB more",
        f"{GAMES:,} games: {grown[0]:.0f} MiB more",
        "",
        "below 50 MiB",
    )


@contextmanager
def _store(games: int, url: str) -> Iterator[Store]:
    """Run the service with games that were there before its start."""
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder:
        with service(Path(folder), database_url=url, sign_in=False) as served:
            database = Database(served.settings.database)
        known = fill(database, games=games)
        settle(database)
        database.close()
        with service(Path(folder), database_url=url) as served, served.client() as client:
            yield Store(served, known, client)


def _at_rest(database: str, small: Store, large: Store) -> Iterator[Row]:
    starts = [store.served.running.seconds_to_answer for store in (small, large)]
    yield Row(
        f"from the start to the first response, {_GAMES:,} games, {database}",
        f"{starts[1]:.2f} s",
        f"{GAMES:,} games: {starts[0]:.2f} s",
        f"{starts[1] / starts[0]:.1f}",
        "",
    )
    time.sleep(_SECONDS_AT_REST)
    memory = [store.served.running.memory() for store in (small, large)]
    yield Row(
        f"memory at rest, {_GAMES:,} games, {database}",
        f"{memory[1]:.0f} MiB",
        f"{GAMES:,} games: {memory[0]:.0f} MiB",
        f"{memory[1] / memory[0]:.2f}",
        "about 1",
    )


def _calls_of_players(known: Known) -> Iterator[tuple[str, str, dict[str, Any]]]:
    store, title = "/api/v1/store", known.title
    yield "first page of the store", store, {}
    yield "featured games", "/api/v1/store/featured", {}
    yield "tags of the store", "/api/v1/store/tags", {}
    yield "first page of a common tag", store, {"tag": known.tag, "sort": "name"}
    yield "first page of a rare tag", store, {"tag": "tag-399", "sort": "name"}
    yield "first page of a company and a platform", store, {"company": known.company, "platform": "Windows"}
    yield "search for one letter", store, {"q": title[0]}
    yield "search for one letter within a tag", store, {"q": title[0], "tag": known.tag}
    yield "search for a title", store, {"q": title}
    yield "search for a misspelt title", store, {"q": title[:3] + title[4] + title[3] + title[5:]}
    yield "search for a word of descriptions", store, {"q": known.word}
    for what, typed in (("one letter", title[0]), ("a word of descriptions", known.word), ("a title", title)):
        yield f"search for {what} within a rare tag", store, {"q": typed, "tag": "tag-399"}
    yield "a game", "/api/v1/games/game-004321", {}
    yield "versions of a game", "/api/v1/games/game-004321/versions", {}
    yield "own library", "/api/v1/collection/default", {}
    yield "first page of the feed", "/api/v1/feeds/library", {"scope": "all"}


_CALLS_OF_ADMINS = (
    ("the dashboard's statistics", "/api/v1/admin/statistics"),
    ("numbers of games of each library", "/api/v1/admin/library/counts"),
    ("first page of the table of games", "/api/v1/admin/games"),
    ("first page of the import plan", "/api/v1/admin/import/plan"),
    ("tags for the editor", "/api/v1/admin/tags"),
)


def _time(
    what: str, small: Store, large: Store, path: str, queries: tuple[dict[str, Any], dict[str, Any]], *, wanted: str
) -> Row:
    now, before = in_turn(partial(large.milliseconds, path, queries[1]), partial(small.milliseconds, path, queries[0]))
    return Row(what, f"{now:.1f} ms", f"{GAMES:,} games: {before:.1f} ms", f"{now / before:.1f}", wanted)


def _size(small: Store, large: Store, path: str) -> Row:
    before, now = small.length(path), large.length(path)
    return Row(
        f"size of `GET {path}`, {_GAMES:,} games",
        f"{now / 1e6:.2f} MB",
        f"{GAMES:,} games: {before / 1e6:.2f} MB",
        f"{now / before:.1f}",
        "",
    )


if __name__ == "__main__":
    print(as_markdown(list(measure())))
