"""The store with ten thousand games, on SQLite and on PostgreSQL."""

import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from bench.plenty import GAMES, Known, fill, settle
from bench.requests import in_turn, milliseconds
from bench.servers import empty_route, service
from bench.table import Row
from playdock.db.database import Database
from postgresql import execute, find_programs, running_server

_FEED = "/api/v1/feeds/library"
_ALL = {"scope": "all"}
_PAGE = "below 20 ms"
_SEARCH = "below 50 ms"


def measure() -> Iterator[Row]:
    yield from _on("SQLite", "")
    programs = find_programs()
    assert programs is not None, "Install Debian's package postgresql."
    with running_server(programs) as address:
        execute(address, "CREATE DATABASE bench TEMPLATE template0")
        yield from _on("PostgreSQL", f"{address}/bench")


def _on(name: str, database_url: str) -> Iterator[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder,
        service(Path(folder), database_url=database_url) as served,
    ):
        database = Database(served.settings.database)
        known = fill(database)
        settle(database)
        database.close()
        with served.client() as client, empty_route() as empty, httpx2.Client() as other:
            for what, query, wanted in _requested(client, known):
                yield _row(f"{what}, {name}", client, query, wanted, (other, f"{empty.address}/"))
            yield from _feed(name, client, (other, f"{empty.address}/"))


def _requested(client: httpx2.Client, known: Known) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Return the requests, and their time limits."""
    title = known.title
    yield f"first page of the store, {GAMES:,} games", {}, _PAGE
    for sort in ("name", "rating"):
        yield f"page in the middle, by {sort}", {"sort": sort, "after": _middle(client, sort)}, _PAGE
    yield "first page of a tag", {"tag": known.tag, "sort": "name"}, _PAGE
    yield "first page of a company and a platform", {"company": known.company, "platform": "Windows"}, _PAGE
    yield "search for a title", {"q": title}, _SEARCH
    yield "search for a misspelt title", {"q": title[:3] + title[4] + title[3] + title[5:]}, _SEARCH
    yield "search for the beginning of a title", {"q": title[:4]}, _SEARCH
    yield "search for one letter", {"q": title[0]}, _SEARCH
    yield "search for a word of descriptions", {"q": known.word}, _SEARCH
    yield "search for a common word within a tag", {"q": "kingdom", "tag": known.tag}, _SEARCH


def _feed(name: str, client: httpx2.Client, empty: tuple[httpx2.Client, str]) -> Iterator[Row]:
    """Measure the feed for other programs: a page, the same page unchanged, and all pages as programs read them."""
    page = client.get(_FEED, params=_ALL).raise_for_status()
    unchanged = {"If-None-Match": page.headers["etag"]}
    for what, headers in (("a page", {}), ("a page, unchanged", unchanged)):
        ours, baseline = in_turn(
            partial(milliseconds, partial(client.get, _FEED, params=_ALL, headers=headers)),
            partial(milliseconds, partial(empty[0].get, empty[1])),
        )
        compared = f"empty route by the same client: {baseline:.1f} ms"
        text = f"library feed, {what} of {len(page.json()['games'])} games, {name}"
        yield Row(text, f"{ours:.1f} ms", compared, f"{ours / baseline:.1f}", "")
    seconds, size = _whole_feed(client)
    yield Row(f"library feed, all {GAMES:,} games ({size / 1e6:.0f} MB), {name}", f"{seconds:.1f} s", "", "", "")


def _whole_feed(client: httpx2.Client) -> tuple[float, int]:
    """Return how long all pages take, and their size."""
    after: str | None = ""
    size, started = 0, time.perf_counter()
    while after is not None:
        page = client.get(_FEED, params={**_ALL, "limit": 500, "after": after}).raise_for_status()
        size += len(page.content)
        after = page.json()["next"]
    return time.perf_counter() - started, size


def _middle(client: httpx2.Client, sort: str) -> str:
    """Return the cursor after half of the games."""
    after = ""
    for _ in range(GAMES // 200):
        listed = client.get("/api/v1/store", params={"sort": sort, "limit": 100, "after": after})
        after = listed.raise_for_status().json()["next"]
    return after


def _row(what: str, client: httpx2.Client, query: dict[str, Any], wanted: str, empty: tuple[httpx2.Client, str]) -> Row:
    found = client.get("/api/v1/store", params=query).raise_for_status().json()
    assert found["games"], f"Nothing is found by {query}."
    ours, baseline = in_turn(
        lambda: milliseconds(lambda: client.get("/api/v1/store", params=query)),
        lambda: milliseconds(lambda: empty[0].get(empty[1])),
    )
    return Row(
        f"{what} ({found['total']:,} games)",
        f"{ours:.1f} ms",
        f"empty route by the same client: {baseline:.1f} ms",
        f"{ours / baseline:.1f}",
        wanted,
    )
