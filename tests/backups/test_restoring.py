"""A service is backed up while it runs, deleted, and restored elsewhere: it answers as before."""

from pathlib import Path

import pytest

from databases import Databases
from playdock.backups import restoring
from playdock.backups.folder import find
from playdock.backups.restoring import Restoring
from playdock.backups.writing import Backups
from playdock.settings import Settings
from playdock.web.services import wire
from world import Caller, World, running_world

from .answers import answers

pytestmark = pytest.mark.both_databases


def populated(world: World) -> tuple[Caller, dict[str, str]]:
    """A service with an administrator, a library, a game and a version; and the ids of these."""
    world.put("Doom/1.0/doom.sh", b"#!/bin/sh\n", mode=0o755)
    world.put("Doom/1.0/data/wad", bytes(range(256)) * 64)
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom.sh")["success"]
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    world.invitation()
    return admin, {"game": game, "version": version, "picture": admin.user["profilePictureObjectId"]}


def test_a_restored_service_answers_as_before(database_url: str, databases: Databases, tmp_path: Path) -> None:
    backups, elsewhere = tmp_path / "backups", tmp_path / "elsewhere"
    with running_world(tmp_path, database_url=database_url) as world:
        admin, ids = populated(world)
        made = Backups(world.services.db, world.clock, world.services.settings, world.services.blobs).write(backups)
        before = answers(admin, **ids)
        again = Backups(world.services.db, world.clock, world.services.settings, world.services.blobs).write(backups)
    assert (made.new_objects > 0, again.new_objects, again.objects) == (True, 0, made.objects)
    assert restoring.check(find(backups)) == made.objects

    elsewhere.mkdir()
    address = databases.blank(elsewhere / "data")
    settings = Settings(data_dir=elsewhere / "data", database_url=address)
    services = wire(settings)
    try:
        done = Restoring(services.db, settings, services.blobs).restore(find(made.path))
    finally:
        services.close()
    assert done.objects == made.objects
    with running_world(elsewhere, database_url=address) as world:
        assert answers(world.with_token(admin.token), **ids) == before
