"""Play sessions from several devices, play time, statuses and notes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from devices import device
from playdock.features.play_records import rules
from playdock.features.play_records.schemas import RecordedSession
from world import Caller, World

from .test_device_installations import portal

RECORDS = "/api/v1/user/play-records"
SESSIONS = "/api/v1/user/play-sessions"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def run(session_id: str, game: str, *, ago: float = 3600, seconds: int = 60, **more: Any) -> dict[str, Any]:
    started = datetime.now(UTC) - timedelta(seconds=ago)
    return {"id": session_id, "game": game, "started": started.isoformat(), "seconds": seconds, **more}


def upload(caller: Caller, *sessions: dict[str, Any]) -> int:
    sent = caller.post(SESSIONS, {"sessions": list(sessions)})
    assert sent.status_code == 200, sent.text
    added: int = sent.json()["added"]
    return added


def listed(caller: Caller, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(RECORDS, params=query).json()
    return found


@pytest.mark.both_databases
def test_sessions_of_two_devices_add_up_once(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    game, versions = portal(world, ada, "1.0")
    laptop, tower = device(world, bob), device(world, bob, device_name="Tower")
    first, second = run("a", game, version=versions["1.0"]), run("b", game, ago=1800, seconds=90, version="unknown")
    gone = run("c", "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77")

    assert [upload(laptop, first, gone), upload(laptop, first), upload(tower, first, second)] == [1, 0, 1]
    (record,) = listed(bob)
    assert (record["gameName"], record["seconds"], record["status"], record["note"]) == ("Portal", 150, None, "")
    assert datetime.fromisoformat(record["lastPlayed"]) - datetime.fromisoformat(second["started"]) < timedelta(1)
    sessions = bob.get(f"{RECORDS}/{game}/sessions").json()
    assert [(each["id"], each["version"], each["device"]) for each in sessions] == [
        ("b", None, "Tower"),
        ("a", "1.0", "Ada's laptop"),
    ]
    # Records are private, and the ids of one person are not those of another.
    assert (listed(ada), upload(ada, run("a", game))) == ([], 1)

    assert [bob.delete(f"{SESSIONS}/b").status_code for _ in range(2)] == [204, 404]
    assert listed(bob, game=game)[0]["seconds"] == 60
    assert bob.delete(f"{RECORDS}/{game}").status_code == 204
    assert (listed(bob), len(listed(ada))) == ([], 1)


@pytest.mark.both_databases
def test_a_status_and_a_note_are_set_and_cleared(world: World) -> None:
    ada = world.admin()
    game, _ = portal(world, ada, "1.0")
    path = f"{RECORDS}/{game}"

    for status, note in (("playing", "Save first."), ("finished", "The end.")):
        put = ada.request("PATCH", path, json={"status": status, "note": f" {note}\n"})
        assert (put.status_code, put.json()) == (200, listed(ada)[0])
        assert (put.json()["status"], put.json()["note"], put.json()["seconds"]) == (status, note, 0)
    assert ada.request("PATCH", path, json={"status": None, "note": ""}).json()["status"] is None
    assert listed(ada) == []
    assert ada.request("PATCH", f"{RECORDS}/unknown", json={}).json()["type"] == "game-unknown"
    assert ada.request("PATCH", path, json={"status": "lost"}).status_code == 400


def test_what_is_omitted_remains(world: World) -> None:
    ada = world.admin()
    game, _ = portal(world, ada, "1.0")
    path = f"{RECORDS}/{game}"
    for change in ({"note": "Save first."}, {"status": "playing"}, {}):
        assert ada.request("PATCH", path, json=change).status_code == 200
    assert (listed(ada)[0]["status"], listed(ada)[0]["note"]) == ("playing", "Save first.")
    assert ada.request("PATCH", path, json={"note": " "}).json()["note"] == ""
    assert listed(ada)[0]["status"] == "playing"


def test_records_are_deleted_with_the_game_and_the_account(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    game, _ = portal(world, ada, "1.0")
    for each in (ada, bob):
        upload(each, run("a", game))
        each.request("PATCH", f"{RECORDS}/{game}", json={"status": "playing"})
    own = bob.get("/api/v1/user").json()["id"]
    assert ada.delete(f"/api/v1/admin/users/{own}").status_code == 204
    assert ada.delete(f"/api/v1/admin/game/{game}").status_code == 204
    assert listed(ada) == []


def test_a_wrong_upload_is_refused_as_a_whole(world: World) -> None:
    ada = world.admin()
    game, _ = portal(world, ada, "1.0")
    good = run("a", game)
    future = ada.post(SESSIONS, {"sessions": [good, run("b", game, ago=-3600)]})
    assert (future.status_code, future.json()["type"]) == (400, "play-session-in-future")
    wrong = ({"seconds": -1}, {"seconds": rules.MAX_SECONDS + 1}, {"started": "2026-01-01T10:00:00"}, {"id": "a/b"})
    for each in wrong:
        refused = ada.post(SESSIONS, {"sessions": [good, {**run("b", game), **each}]})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, f"sessions[1].{next(iter(each))}")
    many = [run(str(number), game) for number in range(rules.MAX_UPLOADED + 1)]
    assert ada.post(SESSIONS, {"sessions": many}).status_code == 400
    assert listed(ada) == []


@pytest.mark.parametrize("started", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1969-12-31T23:59:59Z"])
def test_a_session_of_a_clock_that_was_not_set_begins_in_1970(embedded_world: World, started: str) -> None:
    ada = embedded_world.admin()
    game, _ = portal(embedded_world, ada, "1.0")
    assert upload(ada, {**run("a", game), "started": started}) == 1
    assert listed(ada)[0]["lastPlayed"] == "1970-01-01T00:00:00.000Z"


def test_there_is_a_maximum_of_sessions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_SESSIONS", 2)
    ada = world.admin()
    game, _ = portal(world, ada, "1.0")
    assert upload(ada, run("a", game), run("b", game)) == 2
    full = ada.post(SESSIONS, {"sessions": [run("c", game)]})
    assert (full.status_code, full.json()["type"], listed(ada)[0]["seconds"]) == (409, "too-many-play-sessions", 120)


@pytest.mark.parametrize(
    ("ended", "is_future"),
    [(timedelta(), False), (rules.CLOCK_DIFFERENCE, False), (rules.CLOCK_DIFFERENCE + timedelta(seconds=1), True)],
)
def test_a_clock_may_be_slightly_ahead(ended: timedelta, *, is_future: bool) -> None:
    session = RecordedSession(id="a", game="g", started=NOW + ended - timedelta(seconds=60), seconds=60)
    assert rules.from_the_future([session], now=NOW) == ("a" if is_future else None)
    last = RecordedSession(id="z", game="g", started=datetime.max.replace(tzinfo=UTC), seconds=60)
    assert rules.from_the_future([last], now=NOW) == "z"
