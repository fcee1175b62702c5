"""Requests for games: from the search to the notification that the game is in the store."""

from typing import Any

import pytest

from games import add_game
from plans import computed
from playdock.domain.game_requests.rules import key_of
from playdock.features.game_requests import rules
from playdock.metadata.game_metadata import GameMetadata, ImageOffer, Role
from playdock.metadata.providers import Match, Reference
from shops import FakeProvider
from world import Caller, World, at_once

from .test_notifications import announce, titles

PATH = "/api/v1/requests"
PORTAL = {"name": "ignored", "metadata": {"sourceId": "Steam", "id": "400"}}


def wish(caller: Caller, body: Any = PORTAL) -> dict[str, Any]:
    made = caller.post(PATH, body)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


def answer(admin: Caller, request_id: str, status: str, **wanted: Any) -> dict[str, Any]:
    given = admin.post(f"/api/v1/admin/requests/{request_id}/answer", {"status": status, **wanted})
    assert given.status_code == 200, given.text
    found: dict[str, Any] = given.json()
    return found


def vote(caller: Caller, request_id: str) -> dict[str, Any]:
    found: dict[str, Any] = caller.request("PUT", f"{PATH}/{request_id}/vote").json()
    return found


def counts(caller: Caller) -> tuple[int, ...]:
    """Return how many requests are not answered, wait, and have ended."""
    page = caller.get(PATH).json()
    return tuple(page[name] for name in ("open", "waiting", "ended"))


def all_of(caller: Caller, status: str = "waiting") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = caller.get(PATH, params={"status": status}).json()["requests"]
    return listed


@pytest.mark.both_databases
def test_a_game_is_found_requested_wanted_accepted_and_imported(planning: World, shop: FakeProvider) -> None:
    shop.games = {"400": GameMetadata("Portal", pictures=(ImageOffer(Role.COVER, "https://images.example.org/p"),))}
    ada, bob, eve = planning.admin(), planning.person("bob"), planning.person("eve")
    found = bob.get(f"{PATH}/search", params={"q": "portal"}).json()
    assert found["searchable"]
    [game] = found["games"]
    assert (game["name"], game["gameId"], game["requestId"]) == ("Portal", None, None)

    made = wish(bob)
    assert (made["name"], made["icon"]) == ("Portal", "https://images.example.org/p")
    assert (made["votes"], made["own"]) == (1, True)
    # Requesting it too is a vote.
    assert (wish(eve)["id"], vote(eve, made["id"])["votes"]) == (made["id"], 2)
    [shown] = ada.get(f"{PATH}/search", params={"q": "portal"}).json()["games"]
    assert (shown["requestId"], shown["requestStatus"]) == (made["id"], "open")
    assert [(each["requester"], each["voted"]) for each in (*all_of(ada), *all_of(eve))] == [
        ("bob", False),
        (None, True),
    ]
    announce(planning, ada)
    assert titles(ada) == ["Portal has been requested"]
    assert counts(ada) == (1, 1, 0)
    assert answer(ada, made["id"], "accepted", comment="Soon.")["status"] == "accepted"
    assert counts(ada) == (0, 1, 0)
    announce(planning, ada)
    assert [titles(each) for each in (bob, eve)] == [["Your request for Portal was accepted"]] * 2
    assert bob.get("/api/v1/notifications").json()[0]["description"] == "Soon."

    planning.put("Portal/1.0/portal")
    chosen = {"id": "400", "sourceId": "Steam", "name": "Portal"}
    folder = {"library": planning.library(ada)["id"], "path": "Portal", "metadata": chosen}
    task = ada.post("/api/v1/admin/import/game", folder).json()["taskId"]
    assert planning.finish(ada, task)["success"]
    # There is nothing to play yet.
    assert all_of(bob, "ended") == []
    [row] = ada.get("/api/v1/admin/games").json()["games"]
    assert planning.import_version(ada, row["id"], "1.0", launch="portal")["success"]
    [done] = all_of(bob, "ended")
    assert (done["status"], all_of(bob)) == ("done", [])
    announce(planning, ada)
    assert titles(eve)[0] == "Portal, which you wanted, is in the store"
    refused = eve.post(PATH, PORTAL)
    assert (refused.status_code, refused.json()["type"]) == (409, "game-in-store")
    [shown] = eve.get(f"{PATH}/search", params={"q": "portal"}).json()["games"]
    assert shown["gameId"] == done["gameId"]
    # A game that is deleted, as by undoing its import, is wanted again.
    assert ada.delete(f"/api/v1/admin/game/{done['gameId']}").status_code == 204
    assert [(each["status"], each["gameId"]) for each in all_of(bob)] == [("accepted", None)]
    assert wish(eve, PORTAL)["id"] == done["id"]


def test_a_request_without_a_provider_is_done_when_the_chosen_folder_is_imported(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    nothing: dict[str, Any] = {"searchable": False, "named": None, "games": []}
    assert bob.get(f"{PATH}/search", params={"q": "doom"}).json() == nothing
    made = wish(bob, {"name": " Doom  2 "})
    assert (made["name"], wish(ada, {"name": "DOOM 2"})["id"]) == ("Doom 2", made["id"])
    world.put("doom_ii/1.0/doom")
    library = world.library(ada)
    place = {"libraryId": library["id"], "path": "doom_ii"}
    for wrong in ({**place, "path": "doom_iii"}, {**place, "path": ""}, {"libraryId": library["id"]}):
        refused = ada.post(f"/api/v1/admin/requests/{made['id']}/answer", {"status": "accepted", **wrong})
        assert [each["field"] for each in refused.json()["errors"]] == ["path"]
    computed(world, ada)
    accepted = answer(ada, made["id"], "accepted", **place)
    assert (accepted["libraryId"], accepted["path"], all_of(bob)[0]["path"]) == (library["id"], "doom_ii", None)
    game = world.import_game(ada, library, "doom_ii")
    assert world.import_version(ada, game, "1.0", launch="doom")["success"]
    assert [(each["status"], each["gameId"]) for each in all_of(bob, "ended")] == [("done", game)]
    again = ada.post(f"/api/v1/admin/requests/{made['id']}/answer", {"status": "declined"})
    assert (again.status_code, again.json()["type"]) == (404, "game-request-unknown")
    # It is requested again by its name: this request is the one for everybody from now on.
    other = wish(ada, {"name": "Doom 2"})
    assert ada.delete(f"/api/v1/admin/game/{game}").status_code == 204
    assert {each["id"] for each in all_of(bob)} == {made["id"], other["id"]}
    assert wish(bob, {"name": "doom 2"})["id"] == other["id"]


def test_a_request_for_a_game_with_another_name_is_done_when_it_is_pointed_to(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    world.put("doom_ii/1.0/doom")
    library = world.library(ada)
    game = world.import_game(ada, library, "doom_ii")
    assert world.import_version(ada, game, "1.0", launch="doom")["success"]
    announce(world, ada)
    made = wish(bob, {"name": "Doom 2"})
    done = answer(ada, made["id"], "accepted", libraryId=library["id"], path="doom_ii", comment="Here.")
    assert (done["status"], done["gameId"]) == ("done", game)
    announce(world, ada)
    assert titles(bob)[0] == "Doom 2, which you wanted, is in the store"
    assert not any("accepted" in title for title in titles(bob))


def test_a_request_by_name_is_done_when_a_game_with_that_name_can_be_played(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    made = wish(bob, {"name": "super  TUX kart"})
    world.put("Super Tux Kart/1.0/stk")
    game = world.import_game(ada, world.library(ada), "Super Tux Kart")
    waiting = [each["id"] for each in all_of(bob)]
    assert world.import_version(ada, game, "1.0", launch="stk")["success"]

    assert waiting == [made["id"]]
    assert [(each["id"], each["status"], each["gameId"]) for each in all_of(bob, "ended")] == [
        (made["id"], "done", game)
    ]


def test_a_request_by_name_is_done_when_a_game_gets_that_name(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    made = wish(bob, {"name": "Super Tux Kart"})
    world.put("stk/1.0/stk")
    game = world.import_game(ada, world.library(ada), "stk")
    assert world.import_version(ada, game, "1.0", launch="stk")["success"]
    waiting = [each["id"] for each in all_of(bob)]

    assert ada.patch(f"/api/v1/admin/game/{game}", {"name": "Super Tux Kart"}).status_code == 200

    assert waiting == [made["id"]]
    assert [(each["id"], each["gameId"]) for each in all_of(bob, "ended")] == [(made["id"], game)]


def _match(source: str, key: str, name: str = "Prey", year: int = 2017) -> Match:
    return Match(Reference(source, key, name), source, 1.0, year=year)


@pytest.mark.parametrize(
    ("games", "requests", "expected"),
    [
        ((), (), ["Steam 1", "Steam 2"]),
        ((("IGDB", "9"),), ("Steam:1",), ["IGDB 9", "Steam 2"]),
        ((), ("IGDB:9",), ["IGDB 9", "Steam 2"]),
    ],
)
def test_a_search_shows_a_game_of_several_providers_once(
    games: tuple[tuple[str, str], ...], requests: tuple[str, ...], expected: list[str]
) -> None:
    matches = [_match("Steam", "1"), _match("Steam", "2", year=2006), _match("IGDB", "9")]
    keys = {key_of("", source_id=each.split(":")[0], metadata_id=each.split(":")[1]) for each in requests}
    shown = rules.one_of_each(matches, games=games, requests=keys)
    assert [f"{each.reference.source_id} {each.reference.id}" for each in shown] == expected


def test_a_declined_request_is_kept_and_one_that_nobody_wants_is_deleted(world: World) -> None:
    ada, bob, eve = world.admin(), world.person("bob"), world.person("eve")
    declined, wanted = wish(bob, {"name": "Doom"}), wish(bob, {"name": "Quake"})
    answer(ada, declined["id"], "declined", comment="Too scary.")
    vote(eve, wanted["id"])
    for each in (declined, wanted):
        assert bob.delete(f"{PATH}/{each['id']}/vote").status_code == 204
    # Bob has withdrawn, but Eve still wants the other one; the declined one remains, so that nobody asks again.
    assert [(each["name"], each["votes"], each["own"]) for each in all_of(bob)] == [("Quake", 1, False)]
    assert [(each["name"], each["comment"]) for each in all_of(eve, "ended")] == [("Doom", "Too scary.")]
    assert wish(eve, {"name": "Doom"})["status"] == "declined"
    assert eve.delete(f"{PATH}/{wanted['id']}/vote").status_code == 204
    assert all_of(bob) == []
    assert ada.delete(f"/api/v1/admin/requests/{declined['id']}").status_code == 204
    calls = [eve.request("PUT", f"{PATH}/{each['id']}/vote") for each in (declined, wanted)]
    calls.append(ada.delete(f"/api/v1/admin/requests/{declined['id']}"))
    assert {(each.status_code, each.json()["type"]) for each in calls} == {(404, "game-request-unknown")}


def test_requests_and_searches_of_one_person_are_limited(
    planning: World, shop: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = planning.admin(), planning.person("bob")
    monkeypatch.setattr(rules, "MAX_WAITING", 2)
    first, _ = wish(bob, {"name": "Doom"}), wish(bob, {"name": "Quake"})
    refused = bob.post(PATH, {"name": "Portal"})
    assert (refused.status_code, refused.json()["type"]) == (409, "too-many-game-requests")
    assert wish(bob, {"name": "doom"})["id"] == first["id"]
    answer(ada, first["id"], "declined")
    assert wish(bob, {"name": "Portal"})["votes"] == 1
    searches = [bob.get(f"{PATH}/search", params={"q": "x"}).status_code for _ in range(rules.SEARCHES_PER_MINUTE + 1)]
    assert searches == [200] * rules.SEARCHES_PER_MINUTE + [429]
    assert ada.get(f"{PATH}/search", params={"q": "x"}).status_code == 200


def test_only_what_a_provider_says_is_requested(planning: World, shop: FakeProvider) -> None:
    bob = planning.person("bob")
    calls = [bob.post(PATH, {**PORTAL, "metadata": {"sourceId": "Steam", "id": "1 or 1=1"}})]
    calls.append(bob.post(PATH, {**PORTAL, "metadata": {"sourceId": "Nowhere", "id": "1"}}))
    shop.fault = "away"
    calls.append(bob.post(PATH, PORTAL))
    assert [(each.status_code, each.json()["type"]) for each in calls] == [
        (502, "requested-game-unknown"),
        (400, "invalid-input"),
        (502, "requested-game-unknown"),
    ]
    assert all_of(bob) == []


def test_players_cannot_answer_and_programs_need_the_permissions(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    made = wish(bob, {"name": "Doom"})
    path = f"/api/v1/admin/requests/{made['id']}"
    refused = [bob.post(f"{path}/answer", {"status": "accepted"}), bob.delete(path)]
    reader = world.token_of(bob, "user:request:read")
    refused += [reader.post(PATH, {"name": "Quake"}), reader.get(f"{PATH}/search", params={"q": "x"})]
    assert {each.status_code for each in refused} == {403}
    assert len(all_of(reader)) == 1
    assert {each.status_code for each in at_once([lambda: ada.post(PATH, {"name": "Quake"})] * 2)} == {201}
    assert sorted(each["votes"] for each in all_of(bob)) == [1, 1]


def test_a_game_of_the_store_is_not_requested_by_its_name(planning: World) -> None:
    bob = planning.person("bob")
    planning.admin()
    add_game(planning, GameMetadata("Portal"))
    add_game(planning, GameMetadata("Ökozid"))
    for name in ("PORTAL", "Ökozid"):
        refused = bob.post(PATH, {"name": name})
        assert (refused.status_code, refused.json()["type"]) == (409, "game-in-store")
    assert wish(bob, {"name": "Portal 2"})["name"] == "Portal 2"


def test_a_search_finds_a_game_of_the_store_by_its_name(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    world.put("Doom/1.0/doom")
    game = world.import_game(ada, world.library(ada), "Doom")
    found = {name: bob.get(f"{PATH}/search", params={"q": name}).json()["named"] for name in ("doom ", "Doom 2")}
    assert found == {"doom ": game, "Doom 2": None}
