"""Notifications of administrators about what has been settled are read: nobody has anything to do any more."""

from typing import Any

import pytest
from sqlalchemy import delete, select

from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import EventType
from playdock.features.notifications.service import ANNOUNCE
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Event, FoundVersion, Library, Task
from playdock.stored_events import FoldersEvent
from spoiling import verify_all
from waiting import wait_until
from world import Caller, World

PATH = "/api/v1/notifications"


def announce(world: World, admin: Caller) -> None:
    """Announce what has happened, as the runner does each minute."""
    world.services.announcements.start_due()
    with world.services.db.read() as session:
        newest = session.query(Task).filter_by(task_type=ANNOUNCE).order_by(Task.created.desc()).first()
    assert newest is None or world.finish(admin, newest.id)["success"]


def unread(caller: Caller) -> set[str]:
    return {each["kind"] for each in caller.get(PATH).json() if not each["read"]}


def stand(world: World) -> tuple[Caller, dict[str, Any], str]:
    """Return an administrator, their library, and a game with a version; what is announced of it is read."""
    world.put("Doom/1.0/game")
    admin = world.admin()
    library = world.library(admin)
    game = world.import_game(admin, library, "Doom")
    assert world.import_version(admin, game, "1.0", launch="game")["success"]
    announce(world, admin)
    admin.post(f"{PATH}/readall")
    return admin, library, game


@pytest.mark.both_databases
def test_a_folder_is_settled_once_it_is_imported(world: World) -> None:
    admin, library, _ = stand(world)
    world.put("Quake/1.0/game")
    world.put("Descent/1.0/game")
    world.clock.advance(hours=2)
    admin = world.with_token(world.sign_in("ada").json()["accessToken"])
    assert world.services.library_scans.request()

    def is_told() -> bool:
        announce(world, admin)
        return bool(unread(admin))

    wait_until(is_told)
    assert unread(admin) == {"folders.found"}

    world.import_game(admin, library, "Quake")
    announce(world, admin)
    assert unread(admin) == {"folders.found"}

    world.import_game(admin, library, "Descent")
    announce(world, admin)
    assert unread(admin) == set()


def test_damage_is_settled_once_the_files_are_well_again(world: World) -> None:
    admin, _, _ = stand(world)
    world.put("Doom/1.0/game", b"other")
    verify_all(world, admin)
    announce(world, admin)
    assert unread(admin) == {"version.damaged"}

    world.put("Doom/1.0/more")
    world.put("Doom/1.0/game")
    verify_all(world, admin)
    announce(world, admin)
    assert unread(admin) == {"version.damaged", "files.added"}
    [version] = admin.get("/api/v1/admin/damage").json()
    assert world.finish(admin, admin.post(f"/api/v1/admin/version/{version['version']['id']}/import").json()["taskId"])[
        "success"
    ]

    announce(world, admin)

    assert unread(admin) == set()


def test_a_version_is_missing_until_it_is_back(world: World) -> None:
    admin, _, _ = stand(world)
    world.put("Doom/2.0/game")
    (world.games / "Doom/1.0").rename(world.folder / "away")
    verify_all(world, admin)
    announce(world, admin)
    [told] = [each for each in admin.get(PATH).json() if not each["read"]]
    assert (told["title"], told["description"]) == ("The files of 1 version are gone", "Doom 1.0")
    assert (told["kind"], told["link"]) == ("version.missing", "/admin/damage/moved")

    for _ in range(2):
        (world.folder / "away").rename(world.games / "Doom/1.0")
        verify_all(world, admin)
        announce(world, admin)
        assert unread(admin) == set()

        # It is told of again.
        (world.games / "Doom/1.0").rename(world.folder / "away")
        verify_all(world, admin)
        announce(world, admin)
        assert unread(admin) == {"version.missing"}


def test_a_failure_is_settled_by_a_success_and_a_request_by_an_answer(world: World) -> None:
    admin, _, game = stand(world)
    world.put("Doom/2.0/game")
    world.put("Doom/2.0/back\\slash")
    assert not world.import_version(admin, game, "2.0", launch="game")["success"]
    request = world.person("bob").post("/api/v1/requests", {"name": "Portal"}).json()
    announce(world, admin)
    assert unread(admin) == {"task.failed", "request.added"}

    (world.games / "Doom/2.0/back\\slash").unlink()
    world.clock.advance(seconds=1)
    assert world.import_version(admin, game, "2.0", launch="game")["success"]
    announce(world, admin)
    assert unread(admin) == {"request.added"}

    answered = admin.post(f"/api/v1/admin/requests/{request['id']}/answer", {"status": "declined"})
    assert answered.is_success, answered.text
    announce(world, admin)
    assert unread(admin) == set()


def test_folders_that_are_not_named_are_looked_for(world: World) -> None:
    admin, library, _ = stand(world)
    with world.services.db.write() as session:
        row = session.scalars(select(Library)).one()
        session.execute(delete(FoundVersion))
        for name in ("Quake", "Descent", "Doom"):
            at = {"seen": world.clock(), "changed": world.clock()}
            found = FoundVersion(id=new_id(), library_id=row.id, path=name, version="1.0", fingerprint="", **at)
            session.add(found)
        session.flush()
        data = FoldersEvent(library=row.id, library_name="Games", count=3, folders=("Quake",))
        event_queries.add(session, EventType.FOLDERS_FOUND, data, nonce="some", at=world.clock())
    announce(world, admin)
    assert unread(admin) == {"folders.found"}

    for name in ("Quake", "Descent"):
        assert unread(admin) == {"folders.found"}
        world.put(f"{name}/1.0/game")
        world.import_game(admin, library, name)

    assert unread(admin) == set()


@pytest.mark.both_databases
def test_what_one_administrator_settles_is_read_by_the_others(world: World) -> None:
    ada, _, _ = stand(world)
    eve = world.person("eve", admin=True)
    request = world.person("bob").post("/api/v1/requests", {"name": "Portal"}).json()
    announce(world, ada)
    assert unread(eve) == {"request.added"}

    ada.post(f"/api/v1/admin/requests/{request['id']}/answer", {"status": "accepted"})

    assert (unread(eve), unread(ada)) == (set(), set())
    bob = world.with_token(world.sign_in("bob").json()["accessToken"])
    announce(world, ada)
    assert unread(bob) == {"request.answered"}


def test_a_failure_whose_task_is_deleted_is_settled(world: World) -> None:
    admin, _, game = stand(world)
    world.put("Doom/2.0/game")
    world.put("Doom/2.0/back\\slash")
    failed = world.import_version(admin, game, "2.0", launch="game")
    announce(world, admin)
    assert unread(admin) == {"task.failed"}

    with world.services.db.write() as session:
        session.execute(delete(Task).where(Task.id == failed["id"]))

    assert unread(admin) == set()


def test_an_event_of_a_newer_release_is_not_settled(world: World) -> None:
    admin, _, _ = stand(world)
    world.person("bob").post("/api/v1/requests", {"name": "Portal"})
    announce(world, admin)
    with world.services.db.write() as session:
        event = session.scalars(select(Event).where(Event.event_type == "request.added")).one()
        event.data = {"request": event.data["request"]}

    assert unread(admin) == {"request.added"}


def test_a_library_is_away_until_its_episode_has_ended(world: World) -> None:
    admin, _, _ = stand(world)
    with world.services.db.write() as session:
        row = session.scalars(select(Library)).one()
        event_queries.add_unavailable(session, row, Message("library-lists-nothing"), at=world.clock())
    for _ in range(2):
        announce(world, admin)
        assert unread(admin) == {"library.unavailable"}

    with world.services.db.write() as session:
        event_queries.end_unavailable(session, row.id)
    announce(world, admin)

    assert unread(admin) == set()
