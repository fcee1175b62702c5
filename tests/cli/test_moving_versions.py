"""Versions of another server: in their order, on their bases, and once."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import select, update

from other_servers import drop
from playdock.features.moving_in.versions import TASK_TYPE
from playdock.models import Game, Task, TaskLogEntry, Version
from playdock.stored import version_subject
from playdock.stored_moves import moved_versions_subject
from playdock.tasks import queries as task_queries
from waiting import wait_until
from world import World

from .moving import migrate, prompt_of


@pytest.fixture
def quake(embedded_world: World, address: str) -> Iterator[drop.DropDatabase]:
    """A server with one game, of which some versions are deltas."""
    with closing(drop.DropDatabase(address, release="0.3")) as database:
        database.game("Quake")
        for index, name in enumerate(("1.0", "1.1", "1.2", "2.0")):
            database.version("quake", name, index=index, delta=name in ("1.1", "1.2"))
            embedded_world.put(f"quake/{name}/game", name.encode())
        yield database


def _bases(world: World) -> list[tuple[str, str | None]]:
    """Return the versions here, oldest first, with the names of their bases."""
    with world.services.db.read() as session:
        rows = session.scalars(select(Version).order_by(Version.position)).all()
    names = {each.id: each.name for each in rows}
    return [(each.name, names.get(each.base_id or "")) for each in rows]


def test_deltas_are_based_on_the_versions_before_them(embedded_world: World, quake: drop.DropDatabase) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    moved = migrate(prompt, quake.address).out
    assert moved.count("is imported by the service after the version before it") == 3, moved
    again = migrate(prompt, quake.address)
    assert again.status == 0, again.err

    world.services.version_imports.notify_runner()

    wait_until(lambda: len(_bases(world)) == 4)
    assert _bases(world) == [("1.0", None), ("1.1", "1.0"), ("1.2", "1.1"), ("2.0", None)]
    wait_until(lambda: _tasks(world) == [True])
    assert "Nothing was added" in migrate(prompt, quake.address).out


def test_what_follows_a_version_that_cannot_be_imported_is_left_out(
    embedded_world: World, quake: drop.DropDatabase
) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    migrate(prompt, quake.address)
    (world.games / "quake/1.0/game").unlink()

    world.services.version_imports.notify_runner()

    wait_until(lambda: _tasks(world) == [True])
    wait_until(lambda: [name for name, _ in _bases(world)] == ["2.0"])
    with world.services.db.read() as session:
        started = session.scalars(select(Task).where(Task.task_type == "import:version")).all()
        lines = session.scalars(select(TaskLogEntry.message)).all()
    assert len(started) == 2
    assert any("Version 1.1 is not imported." in line for line in lines), lines


def _tasks(world: World) -> list[bool]:
    """Return whether the tasks that let versions wait have succeeded, of those that have ended."""
    with world.services.db.read() as session:
        ended = session.scalars(select(Task).where(Task.task_type == TASK_TYPE, Task.ended.is_not(None))).all()
    return [bool(each.success) for each in ended]


def _imported_alone(world: World, quake: drop.DropDatabase) -> str:
    """Move the versions without waiting for those that follow the first one, and return the id of the game."""
    migrate(prompt_of(world), quake.address)
    with world.services.db.write() as session:
        game = session.scalars(select(Game.id)).one()
        task_queries.cancel_below(session, moved_versions_subject(game), at=world.services.version_imports.clock())
    world.services.version_imports.notify_runner()
    wait_until(lambda: _bases(world) == [("1.0", None)])
    return game


def test_a_version_that_was_deleted_here_does_not_come_back(embedded_world: World, quake: drop.DropDatabase) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    game = _imported_alone(world, quake)
    admin = world.admin("ada")
    with world.services.db.read() as session:
        version = session.scalars(select(Version.id)).one()
    assert admin.delete(f"/api/v1/admin/version/{version}").status_code == 204

    again = migrate(prompt, quake.address).out

    assert "Version 1.0 of Quake: it was moved before, and then deleted here." in again
    assert "Version 1.1 of Quake: is a delta over the version 1.0, which is not here." in again
    wait_until(lambda: [name for name, _ in _bases(world)] == ["2.0"])
    with world.services.db.write() as session:
        session.execute(update(Task).where(Task.subject == version_subject(game, "1.0")).values(success=False))
    assert "imports of versions" in migrate(prompt, quake.address).out
    wait_until(lambda: {name for name, _ in _bases(world)} == {"1.0", "2.0"})


def test_a_delta_is_not_based_on_another_version(embedded_world: World, quake: drop.DropDatabase) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    game = _imported_alone(world, quake)
    world.services.version_imports.begin_new(game, "2.0")
    wait_until(lambda: len(_bases(world)) == 2)

    refused = migrate(prompt, quake.address).out

    assert "Version 1.1 of Quake: is not imported: The version is a delta over 1.0, but the newest" in refused
    assert "Version 1.2 of Quake: is a delta over the version 1.1, which is not here." in refused
    assert len(_bases(world)) == 2
