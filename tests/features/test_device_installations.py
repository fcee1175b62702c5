"""What is installed on devices, and what waits to be installed."""

from typing import Any

import pytest

from devices import device
from playdock.features.device_installations import rules
from world import Caller, World

OWN = "/api/v1/user/installations"
REPORT = "/api/v1/client/installations"
QUEUE = "/api/v1/client/queue"


def put(caller: Caller, *installations: tuple[str, str]) -> int:
    body = {"installations": [{"game": game, "version": version} for game, version in installations]}
    return caller.request("PUT", REPORT, json=body).status_code


def queue_of(person: Caller, laptop: Caller) -> str:
    """Return the path of a device's queue for its user."""
    (own,) = [each["id"] for each in laptop.get("/api/v1/user/client").json() if each["current"]]
    return f"/api/v1/user/client/{own}/queue"


def portal(world: World, admin: Caller, *versions: str) -> tuple[str, dict[str, str]]:
    """Import a game, and return its id and the ids of its versions by name."""
    for version in versions:
        world.put(f"Portal/{version}/portal")
    game = world.import_game(admin, world.library(admin), "Portal")
    for version in versions:
        assert world.import_version(admin, game, version, launch="portal")["success"]
    listed = admin.get(f"/api/v1/games/{game}/versions").json()
    return game, {each["name"]: each["id"] for each in listed}


def test_a_phone_queues_a_game_that_a_device_installs_and_updates(world: World) -> None:
    ada = world.admin()
    game, versions = portal(world, ada, "1.0", "1.1")
    laptop, tower = device(world, ada), device(world, ada, device_name="Tower")
    path = queue_of(ada, laptop)

    assert [ada.post(path, {"game": game}).status_code for _ in range(2)] == [204, 204]
    (waiting,) = laptop.get(QUEUE).json()
    assert (waiting["gameId"], waiting["gameName"]) == (game, "Portal")
    assert tower.get(QUEUE).json() == []
    assert [laptop.delete(f"{QUEUE}/{game}").status_code for _ in range(2)] == [204, 204]
    assert put(laptop, (game, versions["1.0"])) == 204

    shown: dict[str, Any] = {each["name"]: each for each in ada.get(OWN).json()}
    assert shown["Ada's laptop"]["queue"] == []
    assert shown["Ada's laptop"]["installations"] == [
        {
            "gameId": game,
            "gameName": "Portal",
            "version": {"id": versions["1.0"], "name": "1.0"},
            "update": {"id": versions["1.1"], "name": "1.1"},
        }
    ]
    assert shown["Tower"]["installations"] == []
    put(laptop, (game, versions["1.1"]))
    (updated,) = (
        ada.get(OWN, params={"game": game}).json()[0]["installations"] or ada.get(OWN).json()[1]["installations"]
    )
    assert (updated["version"]["name"], updated["update"]) == ("1.1", None)
    assert put(laptop) == 204
    assert not any(each["installations"] for each in ada.get(OWN).json())


def test_only_the_owner_sees_a_device_and_its_queue(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    game, versions = portal(world, ada, "1.0")
    laptop = device(world, ada)
    path = queue_of(ada, laptop)

    refused = [bob.post(path, {"game": game}), bob.delete(f"{path}/{game}")]
    assert {(each.status_code, each.json()["type"]) for each in refused} == {(404, "device-unknown")}
    assert ada.post(path, {"game": "nothing"}).json()["type"] == "game-unknown"
    assert ada.delete(f"{path}/{game}").json()["type"] == "installation-not-queued"
    calls = [ada.get(QUEUE), ada.delete(f"{QUEUE}/{game}"), ada.request("PUT", REPORT, json={"installations": []})]
    assert {(each.status_code, each.json()["type"]) for each in calls} == {(403, "device-required")}
    # A version that the server does not have, and one that was of another game when it was installed.
    assert put(laptop, (game, "nothing")) == 204
    assert ada.get(OWN).json()[0]["installations"] == []
    assert put(laptop, ("moved", versions["1.0"])) == 204
    assert [each["gameId"] for each in ada.get(OWN).json()[0]["installations"]] == [game]
    assert bob.get(OWN).json() == []


def test_queue_and_report_are_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = world.admin()
    game, versions = portal(world, ada, "1.0")
    laptop = device(world, ada)
    path = queue_of(ada, laptop)

    long = [(game, versions["1.0"])] * rules.MAX_INSTALLATIONS
    assert (put(laptop, *long), put(laptop, *long, long[0])) == (204, 400)
    assert len(ada.get(OWN).json()[0]["installations"]) == 1
    monkeypatch.setattr(rules, "MAX_QUEUED", 0)
    assert ada.post(path, {"game": game}).json()["type"] == "installation-queue-full"


def test_deleting_a_version_or_a_game_keeps_reports_and_queues_consistent(world: World) -> None:
    ada = world.admin()
    game, versions = portal(world, ada, "1.0", "1.1")
    laptop = device(world, ada)
    ada.post(queue_of(ada, laptop), {"game": game})
    put(laptop, (game, versions["1.1"]))

    assert ada.delete(f"/api/v1/admin/version/{versions['1.1']}").status_code in (200, 204)
    (left,) = ada.get(OWN).json()[0]["installations"]
    assert (left["version"], left["update"]["name"]) == (None, "1.0")
    assert ada.delete(f"/api/v1/admin/game/{game}").status_code in (200, 204)
    (state,) = ada.get(OWN).json()
    assert (state["installations"], state["queue"]) == ([], [])
