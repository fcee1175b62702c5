"""The administrators' table of games: pages, filters and order from the database, folders in a call of their own."""

import shutil
from typing import Any

import pytest

from audit import told_of
from playdock.features.game_table import rules
from playdock.features.game_table.rules import GameSort
from playdock.kit.cursors import CursorInvalid, CursorPosition
from playdock.models import Version
from world import Caller, World

GAMES = "/api/v1/admin/games"
FOLDERS = "/api/v1/admin/games/folders"
NAMES = ("The Witcher", "Doom 2016", "Ökolopoly", "Zelda", "anno 1602", "Anno 117")
BY_NAME = ["Anno 117", "anno 1602", "Doom 2016", "Ökolopoly", "The Witcher", "Zelda"]


def filled(world: World, *names: str) -> tuple[Caller, dict[str, str]]:
    """The administrator of a world with imported games, and the games' ids by name."""
    for name in names:
        world.put(f"{name}/1.0/start")
    admin = world.admin()
    library = world.library(admin)
    return admin, {name: world.import_game(admin, library, name) for name in names}


def pages(admin: Caller, **query: Any) -> list[list[str]]:
    """The names of all pages, one request after the other."""
    found, after = [], ""
    while True:
        answer = admin.get(GAMES, params={**query, "after": after})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found.append([game["name"] for game in page["games"]])
        if page["next"] is None:
            return found
        after = page["next"]


def test_the_pages_contain_every_game_once_in_each_sort_order(world: World) -> None:
    admin, ids = filled(world, *NAMES)
    world.import_version(admin, ids["Zelda"], "1.0", launch="start")

    assert pages(admin, limit=2) == [BY_NAME[:2], BY_NAME[2:4], BY_NAME[4:]]
    assert names_of(admin, limit=1, sort="newest") == list(reversed(NAMES))
    by_size = names_of(admin, limit=1, sort="size")
    assert (by_size[0], set(by_size), len(by_size)) == ("Zelda", set(NAMES), len(NAMES))


def names_of(admin: Caller, **query: Any) -> list[str]:
    """The names of all pages together."""
    return [name for page in pages(admin, **query) for name in page]


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("okolo", ["Ökolopoly"]),
        ("ÖKO", ["Ökolopoly"]),
        ("the witch", ["The Witcher"]),
        ("ann 16", ["anno 1602"]),
        ("201", ["Doom 2016"]),
        ("%", []),
        ("_", []),
        (" ", BY_NAME),
    ],
)
def test_a_search_finds_games_whose_name_contains_every_word(world: World, q: str, names: list[str]) -> None:
    admin, _ = filled(world, *NAMES)
    assert names_of(admin, q=q, limit=3) == names


def test_the_table_filters_by_state_and_library_and_counts_the_states(world: World) -> None:
    admin, ids = filled(world, "Doom", "Quake", "Zelda")
    for name in ("Doom", "Quake"):
        world.import_version(admin, ids[name], "1.0", launch="start")
    admin.patch(f"/api/v1/admin/game/{ids['Zelda']}", {"featured": True})
    with world.services.db.write() as session:
        session.query(Version).filter(Version.game_id == ids["Quake"]).update({"damaged": world.clock()})

    page = admin.get(GAMES, params={"state": "damaged"}).json()

    assert page["counts"] == {"featured": 1, "damaged": 1, "noVersions": 1}
    assert ([game["name"] for game in page["games"]], page["total"], page["next"]) == (["Quake"], 1, None)
    assert (page["games"][0]["damaged"], page["games"][0]["versions"]) == (True, 1)
    assert pages(admin, state="noVersions") == pages(admin, state="featured") == [["Zelda"]]
    assert pages(admin, library=page["games"][0]["library"]) == [["Doom", "Quake", "Zelda"]]
    assert pages(admin, library="nothing") == [[]]
    assert pages(admin, library=page["games"][0]["library"], path="Quake") == [["Quake"]]
    assert pages(admin, path="quake") == [[]]


def test_listing_games_reads_no_folders(world: World) -> None:
    admin, _ = filled(world, "Doom", "Quake")
    scanned: list[object] = []
    with told_of("os.scandir", scanned.append), told_of("os.listdir", scanned.append):
        assert pages(admin) == [["Doom", "Quake"]]
    assert [place for place in scanned if str(place).startswith(str(world.games))] == []


def test_the_folders_call_lists_games_that_are_offline_or_have_unimported_versions(world: World) -> None:
    admin, ids = filled(world, "Doom", "Gone", "Quake")
    world.import_version(admin, ids["Doom"], "1.0", launch="start")
    shutil.rmtree(world.games / "Gone")

    found = admin.get(FOLDERS).json()

    assert [(each["game"]["name"], each["offline"], each["unimportedVersions"]) for each in found] == [
        ("Gone", True, []),
        ("Quake", False, ["1.0"]),
    ]
    assert found[0]["game"] in admin.get(GAMES).json()["games"]


@pytest.mark.parametrize("after", ["x", "bm8", "WyJuYW1lIiwxLDJd"])
def test_an_invalid_cursor_is_rejected(world: World, after: str) -> None:
    answer = world.admin().get(GAMES, params={"after": after})
    assert (answer.status_code, answer.json()["type"]) == (400, "invalid-input")


@pytest.mark.parametrize("value", ["Doom", "ö", ""])
def test_reading_a_cursor_restores_its_position(value: str) -> None:
    cursor = rules.write_cursor(GameSort.NAME, CursorPosition(value, "id"))
    assert rules.read_cursor(cursor, GameSort.NAME) == CursorPosition(value, "id")
    with pytest.raises(CursorInvalid):
        rules.read_cursor(cursor, GameSort.SIZE)


def test_a_cursor_with_a_size_out_of_range_is_rejected() -> None:
    with pytest.raises(CursorInvalid):
        rules.read_cursor(rules.write_cursor(GameSort.SIZE, CursorPosition(2**64, "id")), GameSort.SIZE)


@pytest.mark.parametrize("path", [GAMES, FOLDERS])
def test_only_administrators_can_list_games(world: World, path: str) -> None:
    world.admin()
    assert world.person("bob").get(path).status_code == 403
