"""The own library and collections: who sees them, what is in them, and what becomes of them."""

from typing import Any

import pytest

from games import add_game
from playdock.metadata.game_metadata import GameMetadata
from world import Caller, World, at_once

COLLECTIONS = "/api/v1/collection"
LIBRARY = f"{COLLECTIONS}/default"


def create(caller: Caller, name: str = "For rainy days") -> dict[str, Any]:
    made = caller.post(COLLECTIONS, {"name": name})
    assert made.status_code == 201, made.text
    collection: dict[str, Any] = made.json()
    return collection


def names(collection: dict[str, Any]) -> list[str]:
    return [entry["game"]["name"] for entry in collection["entries"]]


def test_the_library_is_created_on_first_access(world: World) -> None:
    bob = world.person()
    first, second = bob.get(LIBRARY).json(), bob.get(LIBRARY).json()
    assert (first["isDefault"], first["userId"], first["entries"]) == (True, bob.user["id"], [])
    assert first["id"] == second["id"]


@pytest.mark.both_databases
def test_simultaneous_first_accesses_create_one_library(world: World) -> None:
    bob = world.person()
    callers = [world.with_token(bob.token) for _ in range(8)]
    answers = at_once([lambda caller=caller: caller.get(LIBRARY) for caller in callers])  # type: ignore[misc]
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_games_can_be_added_to_and_removed_from_the_library(world: World) -> None:
    bob = world.person()
    doom, hades = add_game(world, GameMetadata("Doom")), add_game(world, GameMetadata("Hades"))
    for game in (doom, hades, doom):
        assert bob.post(f"{LIBRARY}/entry", {"id": game}).status_code == 200
    assert names(bob.get(LIBRARY).json()) == ["Hades", "Doom"]
    assert bob.delete(f"{LIBRARY}/entry", {"id": hades}).status_code == 204
    assert names(bob.get(LIBRARY).json()) == ["Doom"]


def test_a_collection_shows_its_games_as_the_store_does(world: World) -> None:
    bob, game = world.person(), add_game(world, GameMetadata("Doom", short="Hell on Mars"))
    collection = create(bob)
    added = bob.post(f"{COLLECTIONS}/{collection['id']}/entry", {"id": game}).json()
    [entry] = added["entries"]
    assert (entry["collectionId"], entry["gameId"]) == (collection["id"], game)
    assert entry["game"] == bob.get("/api/v1/store").json()["games"][0]


def test_the_list_of_collections_does_not_contain_the_library(world: World) -> None:
    bob = world.person()
    bob.get(LIBRARY)
    for name in ("One", "Two"):
        create(bob, name)
    assert [each["name"] for each in bob.get(COLLECTIONS).json()] == ["One", "Two"]


def test_a_collection_can_be_renamed_and_deleted_without_deleting_games(world: World) -> None:
    bob, game = world.person(), add_game(world, GameMetadata("Doom"))
    place = f"{COLLECTIONS}/{create(bob)['id']}"
    bob.post(f"{place}/entry", {"id": game})
    assert bob.patch(place, {"name": " For\nsunny  days "}).json()["name"] == "For sunny days"
    assert bob.delete(place).status_code == 204
    assert bob.get(place).status_code == 404
    assert bob.get(f"/api/v1/games/{game}").status_code == 200


def test_the_library_can_be_neither_renamed_nor_deleted(world: World) -> None:
    bob = world.person()
    place = f"{COLLECTIONS}/{bob.get(LIBRARY).json()['id']}"
    answers = [bob.patch(place, {"name": "Mine"}), bob.delete(place)]
    assert [(answer.status_code, answer.json()["type"]) for answer in answers] == [
        (409, "default-collection-fixed")
    ] * 2


def test_collections_of_other_users_are_not_found(world: World) -> None:
    bob, eve, game = world.person("bob"), world.person("eve"), add_game(world, GameMetadata("Doom"))
    place = f"{COLLECTIONS}/{create(bob)['id']}"
    answers = [
        eve.get(place),
        eve.patch(place, {"name": "Mine"}),
        eve.delete(place),
        eve.post(f"{place}/entry", {"id": game}),
        eve.delete(f"{place}/entry", {"id": game}),
    ]
    assert {(answer.status_code, answer.json()["type"]) for answer in answers} == {(404, "collection-unknown")}
    assert eve.get(COLLECTIONS).json() == []


def test_an_unknown_game_cannot_be_added(world: World) -> None:
    bob = world.person()
    refused = [bob.post(f"{place}/entry", {"id": "x"}) for place in (LIBRARY, f"{COLLECTIONS}/{create(bob)['id']}")]
    assert [(answer.status_code, answer.json()["type"]) for answer in refused] == [(404, "game-unknown")] * 2


@pytest.mark.parametrize("name", ["", "  ", "x" * 129, 7, None])
def test_a_collection_requires_a_name(world: World, name: object) -> None:
    refused = world.person().post(COLLECTIONS, {"name": name})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "name")


def test_every_call_requires_its_permission(world: World) -> None:
    bob = world.person()
    place = f"{COLLECTIONS}/{create(bob)['id']}"
    calls = {
        "user:collections:read": [("GET", COLLECTIONS), ("GET", LIBRARY), ("GET", place)],
        "user:collections:new": [("POST", COLLECTIONS), ("PATCH", place)],
        "user:collections:add": [("POST", f"{place}/entry")],
        "user:collections:remove": [("DELETE", f"{place}/entry")],
        "user:library:add": [("POST", f"{LIBRARY}/entry")],
        "user:library:remove": [("DELETE", f"{LIBRARY}/entry")],
        "user:collections:delete": [("DELETE", place)],
    }
    programs = {acl: world.token_of(bob, acl) for acl in calls}
    for acl, wanted in calls.items():
        for method, path in wanted:
            body = None if method == "GET" else {"id": "x"} if path.endswith("/entry") else {"name": "x"}
            statuses = {
                name: program.request(method, path, json=body).status_code for name, program in programs.items()
            }
            assert {name for name, status in statuses.items() if status != 403} == {acl}


def test_a_user_with_collections_can_be_deleted(world: World) -> None:
    admin, bob = world.admin(), world.person()
    bob.get(LIBRARY)
    create(bob)
    assert admin.delete(f"/api/v1/admin/users/{bob.user['id']}").status_code == 204
