"""Versions of another server: in their order, on their bases, and once."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import select, update

from other_servers import drop
from playdock.models import Game, Task, Version
from playdock.stored import version_subject
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
    wanted = [("1.0", None), ("1.1", "1.0"), ("1.2", "1.1"), ("2.0", None)]
    for imported, waiting in ((1, 3), (2, 2), (4, 0)):
        outcome = migrate(prompt, quake.address)
        assert outcome.out.count("waits for the import of a version before it") == waiting, outcome.out
        world.services.version_imports.notify_runner()
        wait_until(lambda: len(_bases(world)) >= imported)  # noqa: B023 - called at once
        assert _bases(world) == wanted[:imported]
    assert "Nothing was added" in migrate(prompt, quake.address).out


def test_a_version_that_was_deleted_here_does_not_come_back(embedded_world: World, quake: drop.DropDatabase) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    migrate(prompt, quake.address)
    world.services.version_imports.notify_runner()
    wait_until(lambda: _bases(world) == [("1.0", None)])
    admin = world.admin("ada")
    with world.services.db.read() as session:
        version, game = session.execute(select(Version.id, Version.game_id)).one()
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
    migrate(prompt, quake.address)
    world.services.version_imports.notify_runner()
    wait_until(lambda: _bases(world) == [("1.0", None)])
    with world.services.db.read() as session:
        game = session.scalars(select(Game.id)).one()
    world.services.version_imports.begin_new(game, "2.0")
    wait_until(lambda: len(_bases(world)) == 2)

    refused = migrate(prompt, quake.address).out

    assert "Version 1.1 of Quake: is not imported: The version is a delta over 1.0, but the newest" in refused
    assert "Version 1.2 of Quake: is a delta over the version 1.1, which is not here." in refused
    assert len(_bases(world)) == 2
