"""Queries of the store on SQLite whose work must not grow with the number of games, counted in SQLite's own steps."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlalchemy.orm import Session

from databases import SqliteDatabases
from playdock.content.naming import sort_name
from playdock.db.database import Database
from playdock.domain.search.queries import candidates
from playdock.domain.search.rules import INDEX_VERSION, MAX_BY_WORDS, SearchTerms
from playdock.features.store import queries
from playdock.features.store.rules import Filters, Order, Sort, Sorting
from playdock.kit.clock import utc_now
from playdock.models import Game, GameTag, Library, SearchEntry, Tag

_FEW, _MANY = 2_000, 20_000
_TAG = Filters(frozenset(["tag"]))
_BY_NAME = Sorting(Sort.NAME, Order.ASC)


def _fill(database: Database, games: int) -> None:
    """Add games, of which 400 begin with a d, and every hundredth of the first 2,000 has a tag."""
    now = utc_now()
    names = {f"game{number}": f"{'d' if number < 400 else 'e'}oom {number:05}" for number in range(games)}
    tagged = list(names)[:_FEW:100]
    with database.write() as session:
        session.execute(insert(Library).values(id="l", name="l", backend="Filesystem", options={}, created=now))
        session.execute(insert(Tag).values(id="tag", kind="genre", name="Tag", normalized_name="tag", created=now))
        session.execute(insert(Game), [_row(game_id, name) for game_id, name in names.items()])
        session.execute(insert(GameTag), [{"game_id": each, "tag_id": "tag", "position": 0} for each in tagged])
        entries = [
            {"game_id": game_id, "title": name, "labels": "", "version": INDEX_VERSION}
            for game_id, name in names.items()
        ]
        session.execute(insert(SearchEntry), entries)


def _row(game_id: str, name: str) -> dict[str, object]:
    source = {"metadata_source": "Manual", "metadata_id": game_id}
    return {"id": game_id, "library_id": "l", "path": name, "name": name, "sort_name": sort_name(name), **source} | {
        "created": utc_now()
    }


@pytest.fixture(scope="module")
def stores(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Database, Database]]:
    """A small and a large store."""
    folders = [tmp_path_factory.mktemp(name) for name in ("few", "many")]
    few, many = (Database(sqlite_databases.fresh(Path(folder))) for folder in folders)
    with closing(few), closing(many):
        _fill(few, _FEW)
        _fill(many, _MANY)
        yield few, many


def _steps(database: Database, call: Callable[[Session], int]) -> tuple[int, int]:
    """Return the result of a call, and how many hundreds of instructions of its virtual machine SQLite ran for it."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    with database.read() as session:
        connection = session.connection().connection.driver_connection
        assert connection is not None
        connection.set_progress_handler(count, 100)
        found = call(session)
        connection.set_progress_handler(None, 0)
    return found, steps


def _page(session: Session) -> int:
    total = queries.count(session, _TAG)
    return len(queries.positions(session, _TAG, _BY_NAME, total=total, after=None, limit=100))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (_page, 20),
        (lambda session: len(candidates(session, SearchTerms.of("d"))), MAX_BY_WORDS),
        (lambda session: len(queries.candidates(session, SearchTerms.of("d"), _TAG, are_few=True)), 4),
    ],
    ids=["a tag", "one letter", "one letter within a tag"],
)
def test_the_work_does_not_grow_with_the_store(
    stores: tuple[Database, Database], call: Callable[[Session], int], expected: int
) -> None:
    (found, few), (found_among_many, many) = (_steps(database, call) for database in stores)
    assert (found, found_among_many) == (expected, expected)
    assert many <= 1.5 * few + 20
