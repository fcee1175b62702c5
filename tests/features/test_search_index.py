"""The search index is rebuilt when a release changes the rules that it is written by."""

import pytest
from sqlalchemy import select, text, update

from games import add_game
from playdock.domain.search import queries, rules
from playdock.domain.search.rules import SearchTerms
from playdock.features.tasks.maintenance import INDEX, Schedule
from playdock.metadata.game_metadata import GameMetadata
from playdock.models import SearchEntry
from world import World

pytestmark = pytest.mark.both_databases


def found(world: World, typed: str) -> set[str]:
    with world.services.db.read() as session:
        return {candidate.title for candidate in queries.candidates(session, SearchTerms.of(typed))}


def make_outdated(world: World, *, version: int, where: str = "") -> None:
    """Leave entries as another release would have written them: found by another word, ranked by another title."""
    chosen = SearchEntry.title == where if where else SearchEntry.id.isnot(None)
    with world.services.db.write() as session:
        ids = session.scalars(select(SearchEntry.id).where(chosen)).all()
        session.execute(update(SearchEntry).where(chosen).values(version=version, title="otherwise"))
        for entry in ids:
            session.execute(text(_SPOIL[session.get_bind().dialect.name]), {"id": entry})


_SPOIL = {
    "sqlite": "UPDATE search_index SET title = 'otherwise', grams = '' WHERE rowid = :id",
    "postgresql": "UPDATE search_index SET names = array_to_tsvector(ARRAY['otherwise']), "
    "words = array_to_tsvector(ARRAY['otherwise']), grams = ''::tsvector WHERE id = :id",
}


def run(world: World) -> list[str]:
    """Run the task, and return its log."""
    admin = world.admin()
    task = world.finish(admin, admin.post("/api/v1/admin/task", {"taskGroup": INDEX}).json()["id"])
    assert task["success"]
    log: list[str] = task["log"]
    return log


def test_entries_of_other_index_versions_are_rebuilt(world: World) -> None:
    for name in ("Portal", "Ricochet", "Quake"):
        add_game(world, GameMetadata(name))
    make_outdated(world, version=rules.INDEX_VERSION - 1, where="portal")
    make_outdated(world, version=rules.INDEX_VERSION + 1, where="ricochet")
    assert (found(world, "portal"), found(world, "ricochet"), found(world, "quake")) == (set(), set(), {"quake"})

    log = run(world)

    assert "Updated 2 search entries." in log[-1]
    assert (found(world, "portal"), found(world, "ricochet"), found(world, "otherwise")) == (
        {"portal"},
        {"ricochet"},
        set(),
    )
    with world.services.db.read() as session:
        assert not queries.has_outdated(session)


def test_more_entries_than_fit_in_one_batch_are_rebuilt(world: World) -> None:
    for number in range(101):
        add_game(world, GameMetadata(f"Game {number}"))
    make_outdated(world, version=0)
    assert "Updated 101 search entries." in run(world)[-1]


def test_a_changed_index_version_triggers_a_rebuild(world: World) -> None:
    def times() -> int:
        schedule.enqueue_due()
        for task in admin.get("/api/v1/admin/task").json()["runningTasks"]:
            world.finish(admin, task["id"])
        ended = admin.get("/api/v1/admin/task").json()["historicalTasks"]
        return [task["taskGroup"] for task in ended].count(INDEX)

    admin, schedule = world.admin(), Schedule(world.services.db, world.clock, world.services.settings)
    add_game(world, GameMetadata("Portal"))
    first = times()
    world.clock.advance(hours=2)
    current = times()
    make_outdated(world, version=0)
    outdated = times()
    make_outdated(world, version=0)

    assert (first, current, outdated, times()) == (1, 1, 2, 2)
    assert found(world, "portal") == set()
