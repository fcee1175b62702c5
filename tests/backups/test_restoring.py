"""A service is backed up while it runs, deleted, and restored elsewhere: it answers as before."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select

from databases import Databases, PostgresqlDatabases
from playdock.backups import marker, restoring
from playdock.backups.errors import BackupInLibrary, RestoreInterrupted
from playdock.backups.folder import BackupFolder
from playdock.backups.opening import find
from playdock.backups.restoring import Restoring
from playdock.backups.rules import TASK_TYPE
from playdock.backups.storage import names_of
from playdock.backups.writing import Backups
from playdock.cli.opening import bring_up_to_date
from playdock.db.database import Database
from playdock.db.errors import EncodingUnsuitable
from playdock.features.tasks.maintenance import Schedule
from playdock.models import Task, User
from playdock.settings import Settings
from playdock.web.wiring import wire
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
        made = Backups(world.services.db, world.clock, world.services.settings, world.services.blobs).write(
            str(backups)
        )
        before = answers(admin, **ids)
        again = Backups(world.services.db, world.clock, world.services.settings, world.services.blobs).write(
            str(backups)
        )
    assert (made.new_objects > 0, again.new_objects, again.objects) == (True, 0, made.objects)
    assert restoring.check(find(Settings(), str(backups)), work=tmp_path) == made.objects

    elsewhere.mkdir()
    address = databases.blank(elsewhere / "data")
    settings = Settings(data_dir=elsewhere / "data", database_url=address)
    with closing(wire(settings)) as services:
        done = Restoring(services.db, settings, services.blobs).restore(find(settings, made.place))
    assert done.objects == made.objects
    with running_world(elsewhere, database_url=address) as world:
        assert answers(world.with_token(admin.token), **ids) == before


def test_a_cluster_does_not_start_before_its_restore_is_complete(
    database_url: str, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backups, elsewhere = str(tmp_path / "backups"), tmp_path / "elsewhere"
    with running_world(tmp_path, database_url=database_url) as world:
        Backups(world.services.db, world.clock, world.services.settings, world.services.blobs).write(backups)

    elsewhere.mkdir()
    settings = Settings(data_dir=elsewhere / "data", database_url=databases.blank(elsewhere / "data"))
    with closing(wire(settings)) as services:
        restoring_again = Restoring(services.db, settings, services.blobs)
        with monkeypatch.context() as failing:
            failing.setattr("playdock.db.dumps.load", _raise_full)
            with pytest.raises(OSError, match="full"):
                restoring_again.restore(find(settings, backups))
        # With PostgreSQL, all nodes know, whatever their data folder.
        if not services.db.embedded:
            settings.data_dir = elsewhere / "another"
            restoring_again = Restoring(services.db, settings, services.blobs)
        with pytest.raises(RestoreInterrupted):
            bring_up_to_date(services.db, settings)
        restoring_again.restore(find(settings, backups))
        bring_up_to_date(services.db, settings)


def _raise_full(*_: object, **__: object) -> None:
    raise OSError("The disk is full.")


def test_two_restores_do_not_begin_in_one_database(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> None:
    with closing(Database(Settings(database_url=postgresql_databases.blank(tmp_path)).database)) as db:
        marker.mark(tmp_path, db, "first")
        with pytest.raises(RestoreInterrupted, match="first"):
            marker.mark(tmp_path, db, "second")
        assert marker.restored_in_part(tmp_path, db) == "first"


def test_nothing_is_restored_into_a_database_that_cannot_store_all_text(
    postgresql_databases: PostgresqlDatabases, tmp_path: Path
) -> None:
    backups = str(tmp_path / "backups")
    with running_world(tmp_path, database_url=postgresql_databases.fresh(tmp_path)) as world:
        Backups(world.services.db, world.clock, world.services.settings, world.services.blobs).write(backups)

    settings = Settings(data_dir=tmp_path / "elsewhere", database_url=postgresql_databases.encoded("LATIN1"))
    with closing(wire(settings)) as services, pytest.raises(EncodingUnsuitable):
        Restoring(services.db, settings, services.blobs).restore(find(settings, backups))
    assert not list(tmp_path.glob("elsewhere/*.key"))


def test_a_backup_of_a_busy_service_lacks_nothing(database_url: str, databases: Databases, tmp_path: Path) -> None:
    stop = threading.Event()
    with running_world(tmp_path, database_url=database_url) as world:
        admin, ids = populated(world)

        def come_and_go() -> int:
            """Sign people up and delete them: that writes an image, and deletes it at once."""
            count = 0
            while not stop.is_set():
                left = world.sign_up(world.invitation(), username=f"leaving{count}").json()["id"]
                world.sign_up(world.invitation(), username=f"staying{count}")
                assert admin.delete(f"/api/v1/admin/users/{left}").status_code == 204
                count += 1
            return count

        with ThreadPoolExecutor(1) as threads:
            people = threads.submit(come_and_go)
            backups = Backups(world.services.db, world.clock, world.services.settings, world.services.blobs)
            made = [backups.write(str(tmp_path / "backups")) for _ in range(3)]
            stop.set()
            assert people.result() > 0
        before = _unaffected(answers(admin, **ids))
    for number, each in enumerate(made):
        place = tmp_path / f"place{number}"
        place.mkdir()
        moved = {"data_dir": place / "data", "database_url": databases.blank(place / "data")}
        settings = msgspec.structs.replace(world.services.settings, **moved)
        with closing(wire(settings)) as services:
            assert Restoring(services.db, settings, services.blobs).restore(find(settings, each.place)).remaining == ()
            with services.db.read() as session:
                assert len(session.scalars(select(User.id)).all()) > 0
        with running_world(place, database_url=settings.database) as world:
            assert _unaffected(answers(world.with_token(admin.token), **ids)) == before


def _unaffected(found: dict[str, bytes]) -> dict[str, bytes]:
    """Return what the service answers about all but the people who came and left during the backup."""
    return {call: body for call, body in found.items() if "users" not in call and "invitation" not in call}


def test_backups_are_scheduled_shown_and_checked(database_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    with running_world(tmp_path, database_url=database_url, backup_folder=str(folder), backups_kept=1) as world:
        admin = world.admin()
        assert TASK_TYPE in admin.get("/api/v1/admin/task").json()["dailyTasks"]
        assert _check(admin)["state"] == "warning"
        for _ in range(2):
            started = admin.post("/api/v1/admin/task", {"taskGroup": TASK_TYPE})
            assert world.finish(admin, started.json()["id"])["success"]
        assert (_check(admin)["state"], len(names_of(BackupFolder(folder)))) == ("good", 1)
        world.library(admin, tmp_path / "games")
        (tmp_path / "games/inside").mkdir()
        with pytest.raises(BackupInLibrary):
            Backups(world.services.db, world.clock, world.services.settings, world.services.blobs).write(
                str(tmp_path / "games/inside")
            )
        schedule = Schedule(world.services.db, world.clock, world.services.settings)
        schedule.enqueue_due()
        world.clock.advance(days=1)
        schedule.enqueue_due()
        with world.services.db.read() as session:
            assert len(session.scalars(select(Task.id).where(Task.task_type == TASK_TYPE)).all()) == 3


def _check(admin: Caller) -> dict[str, str]:
    checks: list[dict[str, str]] = admin.get("/api/v1/admin/statistics").json()["health"]["checks"]
    return next(each for each in checks if each["name"] == "Backups")
