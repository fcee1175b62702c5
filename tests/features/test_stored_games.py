"""What is stored, as the dashboard shows it: totals of each library, and the largest games."""

from typing import Any

import pytest

from games import Release, add_game
from playdock.features.reports import rules
from playdock.metadata.game_metadata import GameMetadata, Role
from world import Caller, World

pytestmark = pytest.mark.both_databases


def shown(admin: Caller) -> dict[str, Any]:
    numbers: dict[str, Any] = admin.get("/api/v1/admin/statistics").raise_for_status().json()
    return numbers


def totals_of(library: dict[str, Any]) -> tuple[int, int, int]:
    return library["gameCount"], library["versionCount"], library["size"]


def test_storage_is_told_by_library_and_game_the_largest_first(world: World) -> None:
    admin = world.admin()
    other = world.library(admin, world.folder / "other")
    add_game(world, GameMetadata("Doom"), versions=[Release("1.0", size=5), Release("1.1", size=6)])
    add_game(world, GameMetadata("Quake"), versions=[Release(size=2**40)])
    add_game(world, GameMetadata("Empty"), versions=[])

    stored = {each["library"]["name"]: each for each in shown(admin)["storage"]}

    assert stored["other"]["library"] == {name: other[name] for name in ("id", "name", "backend", "working")}
    assert totals_of(stored["other"]) == (0, 0, 0)
    assert stored["other"]["games"] == []
    assert totals_of(stored["games"]) == (3, 3, 2**40 + 11)
    told = [(game["name"], game["size"], game["versions"]) for game in stored["games"]["games"]]
    assert told == [("Quake", 2**40, 1), ("Doom", 11, 2)]
    assert stored["games"]["free"] > 0


def test_only_the_largest_games_of_all_libraries_are_listed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_GAMES", 2)
    admin = world.admin()
    other = world.library(admin, world.folder / "other")["id"]
    for number, library in enumerate([other, None, other, None]):
        add_game(world, GameMetadata(f"Game {number}"), library=library, versions=[Release(size=100 + number)])

    stored = {each["library"]["name"]: each for each in shown(admin)["storage"]}

    assert {name: [game["name"] for game in each["games"]] for name, each in stored.items()} == {
        "games": ["Game 3"],
        "other": ["Game 2"],
    }
    assert [totals_of(stored[name]) for name in ("games", "other")] == [(2, 2, 204), (2, 2, 202)]


def test_a_game_has_the_colour_of_its_cover(world: World) -> None:
    admin = world.admin()
    add_game(world, GameMetadata("Doom"), versions=[Release(size=2)], pictures=[Role.COVER, Role.BANNER, Role.CAROUSEL])
    add_game(world, GameMetadata("Quake"), versions=[Release(size=1)], pictures=[Role.BANNER])

    [cards, [stored]] = admin.get("/api/v1/store").json()["games"], shown(admin)["storage"]

    cover = next(card["cover"]["colour"] for card in cards if card["name"] == "Doom")
    assert cover is not None
    assert [(game["name"], game["colour"]) for game in stored["games"]] == [("Doom", cover), ("Quake", None)]
