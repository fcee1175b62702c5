"""Tags: listed, added, changed, merged and deleted by administrators; their games follow."""

from functools import partial
from typing import Any

import httpx2
import pytest

from games import add_game, found, refresh
from playdock.features.tags import rules
from playdock.features.tags.schemas import TagChanges
from playdock.metadata.game_metadata import GameMetadata, TagFact, TagKind
from world import Caller, World, at_once

PATH = "/api/v1/admin/tags"


def facts(name: str, *genres: str, themes: tuple[str, ...] = ()) -> GameMetadata:
    tags = [TagFact(TagKind.GENRE, each) for each in genres] + [TagFact(TagKind.THEME, each) for each in themes]
    return GameMetadata(name, tags=tuple(tags))


def listed(caller: Caller, **wanted: Any) -> list[tuple[str, str, int]]:
    answer = caller.get(PATH, params=wanted)
    assert answer.status_code == 200, answer.text
    return [(each["kind"], each["name"], each["games"]) for each in answer.json()["tags"]]


def id_of(caller: Caller, name: str, *, kind: str = "genre") -> str:
    tags_of_kind = caller.get(PATH, params={"kind": kind, "limit": 100}).json()["tags"]
    wanted: str = next(each["id"] for each in tags_of_kind if each["name"] == name)
    return wanted


def add(caller: Caller, kind: str, name: str) -> str:
    added = caller.post(PATH, {"kind": kind, "name": name})
    assert added.status_code == 201, added.text
    tag: str = added.json()["id"]
    return tag


def change(caller: Caller, tag: str, **changes: Any) -> httpx2.Response:
    return caller.patch(f"{PATH}/{tag}", changes)


def merge(caller: Caller, tag: str, into: str) -> httpx2.Response:
    return caller.post(f"{PATH}/{tag}/merge", {"into": into})


def tags(caller: Caller, game: str) -> list[str]:
    return [each["name"] for each in caller.get(f"/api/v1/games/{game}").json()["tags"]]


def test_a_tag_is_added_and_listed(world: World) -> None:
    admin = world.admin()
    added = admin.post(PATH, {"kind": "genre", "name": " Turn-based\t strategy "})

    assert added.status_code == 201
    assert admin.get(PATH).json() == {"tags": [added.json()], "total": 1, "next": None}
    assert listed(admin) == [("genre", "Turn-based strategy", 0)]


def test_tags_are_listed_by_kind_with_the_number_of_games(world: World) -> None:
    add_game(world, facts("Civilization", "Strategy", themes=("History",)))
    add_game(world, facts("Chess", "strategy", "Puzzle"))
    assert listed(world.admin()) == [("genre", "Puzzle", 1), ("genre", "Strategy", 2), ("theme", "History", 1)]


@pytest.mark.both_databases
def test_the_next_page_is_not_affected_by_tags_added_before_it(world: World) -> None:
    admin = world.admin()
    for kind, name in (("genre", "Puzzle"), ("genre", "Racing"), ("theme", "History: Rome")):
        add(admin, kind, name)
    first = admin.get(PATH, params={"limit": 2}).json()
    add(admin, "genre", "Adventure")

    second = admin.get(PATH, params={"limit": 2, "after": first["next"]}).json()

    assert [each["name"] for each in first["tags"]] == ["Puzzle", "Racing"]
    assert [each["name"] for each in second["tags"]] == ["History: Rome"]
    assert (first["total"], second["total"], second["next"]) == (3, 4, None)


def test_a_page_ends_within_a_kind(world: World) -> None:
    admin = world.admin()
    for kind, name in (("theme", "A: b"), ("theme", "A: c"), ("genre", "Z")):
        add(admin, kind, name)
    names: list[str] = []
    after: str | None = ""
    while after is not None:
        page = admin.get(PATH, params={"limit": 1, "after": after}).json()
        names += [each["name"] for each in page["tags"]]
        after = page["next"]
    assert names == ["Z", "A: b", "A: c"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"q": "STRAT"}, ["Strategy"]),
        ({"q": "stràt gy"}, ["Strategy"]),
        ({"q": "%"}, ["100%"]),
        ({"q": "y"}, ["Strategy", "History"]),
        ({"kind": "theme"}, ["History"]),
        ({"q": "y", "kind": "genre"}, ["Strategy"]),
        ({"q": "_"}, []),
    ],
)
def test_tags_are_found_by_kind_and_part_of_the_name(world: World, wanted: dict[str, str], expected: list[str]) -> None:
    admin = world.admin()
    for kind, name in (("genre", "Strategy"), ("theme", "History"), ("genre", "100%")):
        add(admin, kind, name)
    assert [name for _, name, _ in listed(admin, **wanted)] == expected


def test_tag_names_are_unique_within_a_kind_ignoring_case(world: World) -> None:
    admin = world.admin()
    add(admin, "genre", "Horror")

    taken = admin.post(PATH, {"kind": "genre", "name": "HORROR"})
    other = admin.post(PATH, {"kind": "theme", "name": "Horror"})

    assert (taken.status_code, taken.json()["type"], other.status_code) == (409, "tag-taken", 201)
    assert "genre named HORROR" in taken.json()["detail"]


@pytest.mark.both_databases
def test_concurrent_creations_of_a_tag_conflict(world: World) -> None:
    callers = [world.admin("ada"), world.admin("bob")]
    draft = {"kind": "genre", "name": "Horror"}
    answers = at_once([partial(caller.post, PATH, draft) for caller in callers])
    assert sorted(answer.status_code for answer in answers) == [201, 409]


@pytest.mark.parametrize(
    ("draft", "fields"),
    [
        ({"kind": "genre", "name": " "}, ["name"]),
        ({"kind": "mood", "name": "a" * 257}, ["kind", "name"]),
        ({"kind": "genre", "name": "Horror", "games": 1}, ["games"]),
    ],
)
def test_an_invalid_tag_is_rejected(world: World, draft: dict[str, Any], fields: list[str]) -> None:
    refused = world.admin().post(PATH, draft)
    assert refused.status_code == 400
    assert [fault["field"] for fault in refused.json()["errors"]] == fields


def test_games_have_and_are_found_by_the_new_name_of_a_tag(world: World) -> None:
    game = add_game(world, facts("Nethack", "Roguelike"))
    admin = world.admin()

    changed = change(admin, id_of(admin, "Roguelike"), name="Dungeons")

    assert (changed.json()["name"], changed.json()["games"]) == ("Dungeons", 1)
    assert tags(admin, game) == ["Dungeons"]
    assert (found(admin, "dungeons"), found(admin, "roguelike")) == (["Nethack"], [])


def test_the_kind_of_a_tag_can_be_changed(world: World) -> None:
    game = add_game(world, facts("Nethack", "Fantasy"))
    admin = world.admin()

    change(admin, id_of(admin, "Fantasy"), kind="theme")

    assert listed(admin) == [("theme", "Fantasy", 1)]
    assert tags(admin, game) == ["Fantasy"]


@pytest.mark.parametrize("changes", [{"name": "PUZZLE"}, {"kind": "theme"}, {"kind": "theme", "name": "puzzle"}])
def test_a_tag_cannot_take_the_name_of_another(world: World, changes: dict[str, str]) -> None:
    admin = world.admin()
    tag = add(admin, "genre", "Horror")
    for kind, name in (("genre", "Puzzle"), ("theme", "Horror"), ("theme", "Puzzle")):
        add(admin, kind, name)

    taken = change(admin, tag, **changes)

    assert (taken.status_code, taken.json()["type"]) == (409, "tag-taken")
    assert ("genre", "Horror", 0) in listed(admin)


def test_a_change_of_case_keeps_the_tag_matched_by_refreshes(world: World) -> None:
    game = add_game(world, facts("Nethack", "ROGUELIKE"))
    admin = world.admin()
    change(admin, id_of(admin, "ROGUELIKE"), name="Roguelike")

    refresh(world, game, facts("Nethack", "roguelike", "Adventure"))

    assert tags(admin, game) == ["Roguelike", "Adventure"]


def test_an_update_without_changes_keeps_the_source_of_the_tags(world: World) -> None:
    game = add_game(world, facts("Nethack", "Roguelike"))
    admin = world.admin()

    assert change(admin, id_of(admin, "Roguelike"), name="Roguelike", kind="genre").status_code == 200

    assert admin.get(f"/api/v1/admin/game/{game}").json()["sources"]["tags"] == "Steam"


def test_a_refresh_does_not_restore_the_old_name_of_a_tag(world: World) -> None:
    game = add_game(world, facts("Nethack", "Roguelike"))
    admin = world.admin()
    change(admin, id_of(admin, "Roguelike"), name="Dungeons")

    refresh(world, game, GameMetadata("Nethack 3", tags=(TagFact(TagKind.GENRE, "Roguelike"),)))

    details = admin.get(f"/api/v1/admin/game/{game}").json()
    assert (details["name"], [each["name"] for each in details["tags"]]) == ("Nethack 3", ["Dungeons"])
    assert details["sources"]["tags"] == "Manual"


def test_a_merged_tag_has_the_games_of_both(world: World) -> None:
    both = add_game(world, facts("Nethack", "Rogue-like", "Adventure", "Roguelike"))
    one, other = add_game(world, facts("Angband", "Rogue-like")), add_game(world, facts("Hades", "Roguelike"))
    admin = world.admin()

    merged = merge(admin, id_of(admin, "Rogue-like"), id_of(admin, "Roguelike"))

    assert (merged.status_code, merged.json()["name"], merged.json()["games"]) == (200, "Roguelike", 3)
    assert tags(admin, both) == ["Roguelike", "Adventure"]
    assert (tags(admin, one), tags(admin, other)) == (["Roguelike"], ["Roguelike"])
    assert sorted(found(admin, "roguelike")) == ["Angband", "Hades", "Nethack"]
    assert listed(admin) == [("genre", "Adventure", 1), ("genre", "Roguelike", 3)]


def test_tags_of_different_kinds_can_be_merged(world: World) -> None:
    game = add_game(world, facts("Resident Evil", "Horror", themes=("Horror",)))
    admin = world.admin()

    merge(admin, id_of(admin, "Horror"), id_of(admin, "Horror", kind="theme"))

    refresh(world, game, facts("Resident Evil", "Horror"))
    assert listed(admin) == [("theme", "Horror", 1)]


def test_a_tag_cannot_be_merged_into_itself(world: World) -> None:
    admin = world.admin()
    tag = add(admin, "genre", "Horror")

    refused = merge(admin, tag, tag)

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "into")
    assert listed(admin) == [("genre", "Horror", 0)]


def test_merging_requires_the_delete_permission_too(world: World) -> None:
    admin = world.admin()
    one, other = add(admin, "genre", "Horror"), add(admin, "theme", "Horror")
    program = world.token_of(admin, "system:tags:update")

    assert merge(program, one, other).status_code == 403
    assert len(listed(admin)) == 2


def test_a_deleted_tag_is_removed_from_its_games_and_not_restored_by_a_refresh(world: World) -> None:
    game = add_game(world, facts("Nethack", "Roguelike", "Adventure"))
    admin = world.admin()

    assert admin.delete(f"{PATH}/{id_of(admin, 'Roguelike')}").status_code == 204

    refresh(world, game, facts("Nethack", "Roguelike"))
    assert tags(admin, game) == ["Adventure"]
    assert (found(admin, "roguelike"), found(admin, "adventure")) == ([], ["Nethack"])
    assert listed(admin) == [("genre", "Adventure", 1)]


def test_an_unknown_tag_is_not_found(world: World) -> None:
    admin = world.admin()
    tag, nowhere = add(admin, "genre", "Horror"), "00000000-0000-4000-8000-000000000000"
    answers = [
        change(admin, nowhere, name="Puzzle"),
        admin.delete(f"{PATH}/{nowhere}"),
        merge(admin, nowhere, tag),
        merge(admin, tag, nowhere),
    ]
    assert [(answer.status_code, answer.json()["type"]) for answer in answers] == [(404, "tag-unknown")] * 4


@pytest.mark.both_databases
def test_merging_tags_while_their_games_are_edited_loses_nothing(world: World) -> None:
    games = [add_game(world, facts(f"Game {number}", f"Genre {number % 2}")) for number in range(6)]
    admin = world.admin()
    one, other = id_of(admin, "Genre 0"), id_of(admin, "Genre 1")
    edits = [partial(admin.patch, f"/api/v1/admin/game/{game}", {"developers": ["Valve"]}) for game in games]

    answers = at_once([partial(merge, admin, one, other), *edits])

    assert {answer.status_code for answer in answers} == {200}
    assert [tags(admin, game) for game in games] == [["Genre 1"]] * 6
    assert sorted(found(admin, "genre 1")) == [f"Game {number}" for number in range(6)]


HORROR = TagFact(TagKind.GENRE, "Horror")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (TagChanges(), HORROR),
        (TagChanges(name=" Terror "), TagFact(TagKind.GENRE, "Terror")),
        (TagChanges(kind=TagKind.THEME), TagFact(TagKind.THEME, "Horror")),
        (TagChanges(kind=TagKind.MODE, name="Solo"), TagFact(TagKind.MODE, "Solo")),
    ],
)
def test_changes_of_a_tag_are_applied(changes: TagChanges, expected: TagFact) -> None:
    assert rules.apply_changes(HORROR, changes) == expected
