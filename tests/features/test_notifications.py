"""Notifications over HTTP and the web socket, from the event to the bell."""

import json
from typing import Any

import pytest
from sqlalchemy import delete, select
from websockets.sync.client import connect

from devices import device
from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import EventType
from playdock.features.notifications import queries, rules, tasks
from playdock.features.notifications.service import ANNOUNCE
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Event, FoundVersion, Library, Notification, NotificationPreferences, Task
from playdock.tasks import queries as task_queries
from spoiling import verify_all
from waiting import wait_until
from world import Caller, World

PATH = "/api/v1/notifications"
PREFERENCES = f"{PATH}/preferences"
NOWHERE: dict[str, Any] = {"platforms": [], "tags": [], "muted": []}


def announce(world: World, admin: Caller) -> bool:
    """Announce what has happened, as the runner does each minute; return whether that succeeded."""
    world.services.announcements.start_due()
    with world.services.db.read() as session:
        newest = session.query(Task).filter_by(task_type=ANNOUNCE).order_by(Task.created.desc()).first()
    return bool(newest and world.finish(admin, newest.id)["success"])


def titles(caller: Caller) -> list[str]:
    return [each["title"] for each in caller.get(PATH).json()]


def imported(world: World, admin: Caller, library: dict[str, Any], *versions: str) -> str:
    """Import versions of a game, such as ``Doom/1.0``, and return the id of the game."""
    name = versions[0].partition("/")[0]
    for version in versions:
        world.put(f"{version}/game")
    game = world.import_game(admin, library, name)
    for version in versions:
        assert world.import_version(admin, game, version.partition("/")[2], launch="game")["success"]
    return game


def test_players_learn_of_new_games_and_of_updates_to_what_they_have(world: World) -> None:
    ada, bob, eve = world.admin(), world.person("bob"), world.person("eve")
    library = world.library(ada)
    assert eve.request("PUT", PREFERENCES, json={**NOWHERE, "platforms": ["Windows"]}).status_code == 204
    doom = imported(world, ada, library, "Doom/1.0")
    announce(world, ada)
    assert [titles(each) for each in (ada, bob, eve)] == [["Doom is available"], ["Doom is available"], []]

    laptop = device(world, bob)
    versions = bob.get(f"/api/v1/games/{doom}/versions").json()
    report = {"installations": [{"game": doom, "version": versions[0]["id"]}]}
    assert laptop.request("PUT", "/api/v1/client/installations", json=report).status_code == 204
    assert eve.post("/api/v1/collection/default/entry", {"id": doom}).status_code in {200, 201, 204}
    world.put("Doom/1.1/game")
    assert world.import_version(ada, doom, "1.1", launch="game")["success"]
    announce(world, ada)

    assert titles(ada) == ["Doom is available"]
    assert titles(bob) == ["Doom 1.1 is available", "Doom is available"]
    assert titles(eve) == ["Doom 1.1 is available"]
    [update, new] = bob.get(PATH).json()
    assert (update["kind"], update["link"], update["actions"]) == (
        "version.added",
        f"/games/{doom}",
        [f"View|/games/{doom}"],
    )
    assert (new["titleCode"], new["titleParameters"], new["read"]) == ("game-available", {"game": "Doom"}, False)


def is_recorded(world: World, event_type: str) -> bool:
    with world.services.db.read() as session:
        return session.scalar(select(Event.id).where(Event.event_type == event_type)) is not None


def test_admins_learn_of_failures_folders_damage_and_a_full_disk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = world.admin(), world.person("bob")
    library = world.library(ada)
    doom = imported(world, ada, library, "Doom/1.0")
    world.put("Quake/1.0/game")
    world.clock.advance(hours=25)
    ada, bob = (world.with_token(world.sign_in(name).json()["accessToken"]) for name in ("ada", "bob"))
    assert world.services.library_scans.request()
    wait_until(lambda: is_recorded(world, "folders.found"))
    world.put("Doom/2.0/game")
    world.put("Doom/2.0/back\\slash")
    assert not world.import_version(ada, doom, "2.0", launch="game")["success"]
    world.put("Doom/1.0/game", b"other")
    verify_all(world, ada)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: _Disk(total=10**12, used=10**12 - 1, free=1))

    announce(world, ada)

    assert sorted(titles(ada)) == [
        "1 new folder to import",
        "1 version is damaged",
        "Doom is available",
        "Failed: Import Doom 2.0",
        "The server is running out of disk space",
    ]
    assert titles(bob) == ["Doom is available"]
    [failure] = [each for each in ada.get(PATH).json() if each["kind"] == "task.failed"]
    assert failure["titleParameters"]["task"]["code"] == "import-version"
    announce(world, ada)
    assert len(titles(ada)) == 5


@pytest.mark.both_databases
def test_events_of_a_newer_release_are_left_to_it(world: World) -> None:
    ada = world.admin()
    with world.services.db.write() as session:
        row = Event(event_type="game.played", nonce="new", data={"of": "a newer release"}, created=world.clock())
        batched = {"event_type": row.event_type, "data": row.data, "created": row.created, "batch": "0"}
        known = {**batched, "event_type": "request.added", "nonce": "known"}
        session.add_all([row, Event(**batched, nonce="batched"), Event(**known)])
        event_queries.add_low_space(session, Message("space-low", size=3), at=world.clock())
        wanted = {"platforms": ["Amiga", "Linux"], "muted": ["game.played", "game.added"]}
        session.add(NotificationPreferences(user_id=ada.user["id"], preferences=wanted))

    assert announce(world, ada)

    assert titles(ada) == ["The server is running out of disk space"]
    with world.services.db.read() as session:
        left = {event.nonce for event in session.query(Event).filter_by(announced=None)}
    assert left == {"new", "batched", "known"}
    shown = ada.get(PREFERENCES).json()
    assert (shown["platforms"], shown["muted"]) == (["Linux"], ["game.added"])


class _Disk:
    def __init__(self, total: int, used: int, free: int) -> None:
        self.total, self.used, self.free = total, used, free


@pytest.mark.both_databases
def test_an_interrupted_announcement_is_continued_and_nobody_is_notified_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = world.admin()
    for number in range(6):
        world.person(f"person{number}")
    monkeypatch.setattr(tasks, "_ROWS_AT_ONCE", 2)
    imported(world, ada, world.library(ada), "Doom/1.0")
    write, failures = queries.add, iter([False, True])

    def fail_once(session: Any, rows: Any) -> Any:
        written = write(session, rows)
        if next(failures, False):
            raise RuntimeError("killed")
        return written

    monkeypatch.setattr(queries, "add", fail_once)
    assert not announce(world, ada)

    # What happens until it is continued is announced with the next batch, not with the interrupted one.
    with world.services.db.write() as session:
        event_queries.add_low_space(session, Message("space-low", size=3), at=world.clock())
    announce(world, ada)
    with world.services.db.read() as session:
        assert session.query(Notification).count() == 2
    world.clock.advance(hours=2)
    announce(world, ada)

    assert titles(ada) == ["The server is running out of disk space", "Doom is available"]
    with world.services.db.read() as session:
        rows = session.query(Notification).filter_by(event_type="game.added").all()
        assert len({row.user_id for row in rows}) == len(rows) == 7
        assert all(event.announced for event in session.query(Event))


def test_notifications_are_marked_and_deleted_by_their_owner_only(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    imported(world, ada, world.library(ada), "Doom/1.0")
    announce(world, ada)
    [own] = [each["id"] for each in bob.get(PATH).json()]

    calls = [ada.get(f"{PATH}/{own}"), ada.post(f"{PATH}/{own}/read"), ada.delete(f"{PATH}/{own}")]
    calls += [bob.get(f"{PATH}/{each}") for each in ("0", "abc", "9" * 30)]
    assert {(each.status_code, each.json()["type"]) for each in calls} == {(404, "notification-unknown")}
    assert bob.post(f"{PATH}/{own}/read").json()["read"] is True
    assert bob.post(f"{PATH}/readall").status_code == 204
    assert ada.get(PATH).json()[0]["read"] is False
    assert bob.delete(f"{PATH}/{own}").status_code == 204
    assert bob.get(PATH).json() == []
    assert world.token_of(bob, "user:notifications:read").post(f"{PATH}/readall").status_code == 403


def test_preferences_are_those_of_the_caller_and_checked(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    puzzle = ada.post("/api/v1/admin/tags", {"kind": "genre", "name": "Puzzle"}).json()["id"]
    wanted = {"platforms": ["Linux"], "tags": [puzzle, "deleted"], "muted": ["version.added"]}

    assert [bob.request("PUT", PREFERENCES, json=wanted).status_code for _ in range(2)] == [204, 204]

    players = [each.value for each in rules.FOR_EVERYBODY]
    kept = {**wanted, "tags": [{"id": puzzle, "kind": "genre", "name": "Puzzle"}], "kinds": players}
    assert bob.get(PREFERENCES).json() == kept
    assert ada.get(PREFERENCES).json() == {**NOWHERE, "kinds": [*players, *rules.FOR_ADMINS]}
    refused = bob.request("PUT", PREFERENCES, json={"platforms": ["Amiga"], "tags": ["x"] * 101, "muted": ["all"]})
    assert {each["field"] for each in refused.json()["errors"]} == {"platforms[0]", "tags", "muted[0]"}
    # Without tags that exist, all new games are of interest again.
    assert ada.delete(f"/api/v1/admin/tags/{puzzle}").status_code == 204
    imported(world, ada, world.library(ada), "Doom/1.0")
    announce(world, ada)
    assert titles(bob) == ["Doom is available"]


def test_a_bulk_import_is_announced_once_when_it_has_ended(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = world.admin(), world.person("bob")
    library = world.library(ada)
    for name in ("Doom", "Portal", "Quake"):
        imported(world, ada, library, f"{name}/1.0")
    with monkeypatch.context() as importing:
        importing.setattr(task_queries, "any_active", lambda *_arguments: True)
        announce(world, ada)
        assert titles(bob) == []
    announce(world, ada)
    assert [(each["title"], each["description"]) for each in bob.get(PATH).json()] == [
        ("3 new games", "Doom, Portal, Quake")
    ]


def test_the_web_socket_sends_new_notifications_to_their_owner(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    address = world.address.replace("http://", "ws://") + f"{PATH}/ws"
    with connect(address, open_timeout=60) as nobody:
        assert nobody.recv(timeout=60) == "unauthenticated"
    with connect(address, additional_headers={"Authorization": f"Bearer {bob.token}"}, open_timeout=60) as opened:
        imported(world, ada, world.library(ada), "Doom/1.0")
        announce(world, ada)
        sent = json.loads(opened.recv(timeout=60))
        assert sent == bob.get(PATH).json()[0]
        assert sent["userId"] == bob.user["id"]
        bob.post("/api/v1/auth/signout")
        assert opened.recv(timeout=60) == "unauthenticated"


def test_the_program_of_the_schedule_deletes_old_notifications(world: World) -> None:
    ada = world.admin()
    imported(world, ada, world.library(ada), "Doom/1.0")
    announce(world, ada)
    task = ada.post("/api/v1/admin/task", {"taskGroup": "cleanup:notifications"}).json()["id"]
    world.finish(ada, task)
    assert len(titles(ada)) == 1
    world.clock.advance(days=91)
    ada = world.with_token(world.sign_in("ada").json()["accessToken"])
    world.finish(ada, ada.post("/api/v1/admin/task", {"taskGroup": "cleanup:notifications"}).json()["id"])
    assert titles(ada) == []
    with world.services.db.read() as session:
        # The positions of new events follow that of the last one.
        assert session.query(Event).count() == 1


def test_little_space_is_reported_once_until_it_has_ended(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def reported(*, free: int, after_days: float) -> int:
        monkeypatch.setattr("shutil.disk_usage", lambda _path: _Disk(10**12, 10**12 - free, free))
        world.clock.advance(days=after_days)
        world.services.announcements.start_due()
        with world.services.db.read() as session:
            return session.query(Event).filter_by(event_type="disk.low").count()

    low, enough = 1, 10**12 // 2
    counts = [reported(free=low, after_days=days) for days in (0, 1, 2)]
    assert counts == [1, 1, 1]
    assert reported(free=low, after_days=5) == 2
    # It varies around the limit.
    assert [reported(free=free, after_days=0.1) for free in (enough, low)] == [2, 2]
    assert [reported(free=free, after_days=1) for free in (enough, low)] == [2, 3]


def test_what_is_settled_before_the_announcement_is_not_announced(world: World) -> None:
    ada = world.admin()
    library = world.library(ada)
    doom = imported(world, ada, library, "Doom/1.0")
    with world.services.db.write() as session:
        row = session.scalars(select(Library)).one()
        for folder in ("Doom", "Gone"):
            event_queries.add_folders(session, folder, row, [folder], at=world.clock())
        for name, undone in (("1.0", None), ("1.1", world.clock()), ("2.0", None), ("gone", None)):
            found = FoundVersion(
                id=new_id(),
                library_id=row.id,
                path="Doom",
                version=name,
                fingerprint="",
                seen=world.clock(),
                changed=world.clock(),
                undone=undone,
            )
            event_type = EventType.VERSION_IMPORTED if undone else EventType.VERSION_FOUND
            event_queries.add_new_version(session, event_type, row, found, at=world.clock())
            if name != "gone":
                session.execute(delete(FoundVersion).where(FoundVersion.version == name))
                session.add(found)

    announce(world, ada)

    assert sorted(titles(ada)) == ["1 new version to import", "Doom is available"]
    [told] = [each for each in ada.get(PATH).json() if each["kind"] == "version.found"]
    assert told["description"] == "Doom 2.0"
    assert doom
