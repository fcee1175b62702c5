"""Games without a version, which only administrators see."""

from typing import Any

import pytest

from games import add_game, add_release
from playdock.metadata.game_metadata import GameMetadata, TagFact, TagKind
from world import Caller, World

pytestmark = pytest.mark.both_databases


def names(caller: Caller, **wanted: Any) -> list[str]:
    return [game["name"] for game in caller.get("/api/v1/store", params=wanted).json()["games"]]


def test_players_do_not_see_games_without_a_version(world: World) -> None:
    made: Any = {"tags": (TagFact(TagKind.GENRE, "Strategy"),), "developers": ("Epic",)}
    admin, player = world.admin(), world.person()
    hidden = add_game(world, GameMetadata("Chess", **made), versions=[])
    add_game(world, GameMetadata("Chess 2"))
    add_game(world, GameMetadata("Quake"))
    tag = admin.get("/api/v1/store/tags").json()[0]["id"]
    company = admin.get("/api/v1/store/companies").json()[0]["id"]
    assert admin.patch(f"/api/v1/admin/game/{hidden}", {"featured": True}).status_code == 200

    def shown(caller: Caller) -> list[list[str]]:
        by_name = {"sort": "name"}
        listings = [by_name, {"q": "chess"}, {"q": "chess", **by_name}, {"tag": tag}, {"company": company}]
        found = [names(caller, **wanted) for wanted in listings]
        paths = ("featured", "tags", "companies")
        return [*found, *([each["name"] for each in caller.get(f"/api/v1/store/{path}").json()] for path in paths)]

    def total(caller: Caller) -> int:
        found: int = caller.get("/api/v1/store").json()["total"]
        return found

    def added(caller: Caller) -> int:
        return caller.post("/api/v1/collection/default/entry", {"id": hidden}).status_code

    assert shown(player) == [["Chess 2", "Quake"], ["Chess 2"], ["Chess 2"], [], [], [], [], []]
    assert player.get(f"/api/v1/games/{hidden}").status_code == 404
    assert (total(player), added(player)) == (2, 404)
    assert shown(admin)[0] == ["Chess", "Chess 2", "Quake"]
    assert admin.get(f"/api/v1/games/{hidden}").status_code == 200
    assert total(admin) == 3

    add_release(world, hidden)

    assert shown(player) == shown(admin)
    assert added(player) == 200
    assert player.get(f"/api/v1/games/{hidden}").status_code == 200
