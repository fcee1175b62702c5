"""Companies: listed, added, changed, merged and deleted by administrators; their games follow."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import add_game, found, refresh
from playdock.db.locks import advisory_lock
from playdock.domain.companies import queries
from playdock.domain.games.queries import lock_game
from playdock.features.companies import rules
from playdock.metadata.game_metadata import GameMetadata
from races import wait_for_lock
from world import Caller, World, at_once

PATH = "/api/v1/admin/company"


def facts(name: str, *developers: str, publishers: tuple[str, ...] = ()) -> GameMetadata:
    return GameMetadata(name, developers=developers, publishers=publishers)


def listed(caller: Caller, **wanted: Any) -> dict[str, Any]:
    answer = caller.get(PATH, params=wanted)
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


def names(caller: Caller, **wanted: Any) -> list[str]:
    return [each["name"] for each in listed(caller, **wanted)["companies"]]


def id_of(caller: Caller, name: str) -> str:
    wanted: str = next(each["id"] for each in listed(caller, limit=100)["companies"] if each["name"] == name)
    return wanted


def add(caller: Caller, name: str, **more: str) -> str:
    added = caller.post(PATH, {"name": name, **more})
    assert added.status_code == 201, added.text
    company: str = added.json()["id"]
    return company


def change(caller: Caller, company: str, **changes: Any) -> httpx2.Response:
    return caller.patch(f"{PATH}/{company}", changes)


def merge(caller: Caller, company: str, into: str) -> httpx2.Response:
    return caller.post(f"{PATH}/{company}/merge", {"into": into})


def developers(caller: Caller, game: str) -> list[str]:
    return [each["name"] for each in caller.get(f"/api/v1/games/{game}").json()["developers"]]


def test_a_company_can_be_added_and_shown(world: World) -> None:
    admin = world.admin()
    added = admin.post(
        PATH, {"name": " Valve\n Corp ", "description": "Made **Portal**.", "website": "https://valve.test"}
    )

    assert added.status_code == 201
    shown = admin.get(f"{PATH}/{added.json()['id']}").json()
    assert shown == added.json()
    assert (shown["name"], shown["description"], shown["website"]) == (
        "Valve Corp",
        "Made **Portal**.",
        "https://valve.test",
    )
    assert (shown["games"], shown["developed"], shown["published"]) == (0, [], [])


def test_a_company_lists_its_developed_and_published_games_by_name(world: World) -> None:
    portal = add_game(world, facts("Portal 2", "Valve", publishers=("Valve",)))
    half_life = add_game(world, facts("Half-Life", "Valve", publishers=("Sierra",)))
    admin = world.admin()

    shown = admin.get(f"{PATH}/{id_of(admin, 'Valve')}").json()

    assert shown["developed"] == [{"id": half_life, "name": "Half-Life"}, {"id": portal, "name": "Portal 2"}]
    assert shown["published"] == [{"id": portal, "name": "Portal 2"}]
    assert shown["games"] == 2


def test_companies_are_listed_by_name_with_their_number_of_games(world: World) -> None:
    add_game(world, facts("Portal", "Valve", publishers=("Valve", "Buka")))
    add_game(world, facts("Half-Life", "valve"))
    admin = world.admin()
    add(admin, "Arkane")

    page = listed(admin)

    assert [(each["name"], each["games"]) for each in page["companies"]] == [("Arkane", 0), ("Buka", 1), ("Valve", 2)]
    assert (page["total"], page["next"]) == (3, None)


def test_the_next_page_is_not_affected_by_companies_added_before_it(world: World) -> None:
    admin = world.admin()
    for name in ("Arkane", "Buka", "Croteam"):
        add(admin, name)
    first = listed(admin, limit=2)
    add(admin, "Aardvark")

    second = listed(admin, limit=2, after=first["next"])

    assert [each["name"] for each in first["companies"]] == ["Arkane", "Buka"]
    assert [each["name"] for each in second["companies"]] == ["Croteam"]
    assert (first["total"], second["total"], second["next"]) == (3, 4, None)


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("SOFT", ["id Software", "Ubisoft"]),
        ("  id   software ", ["id Software"]),
        ("software id", ["id Software"]),
        ("cafe", ["Café Games"]),
        ("", ["100%", "Café Games", "id Software", "Ubisoft"]),
        ("%", ["100%"]),
        ("_", []),
        ("/", []),
        ("nobody", []),
    ],
)
def test_companies_are_found_by_part_of_their_name(world: World, q: str, expected: list[str]) -> None:
    admin = world.admin()
    for name in ("id Software", "Ubisoft", "100%", "Café Games"):
        add(admin, name)
    assert names(admin, q=q) == expected
    assert listed(admin, q=q)["total"] == len(expected)


@pytest.mark.parametrize("name", ["Valve", "VALVE", "  valve ", "\uff36alve"])
def test_a_name_that_differs_only_by_case_is_taken(world: World, name: str) -> None:
    admin = world.admin()
    add(admin, "Valve")

    taken = admin.post(PATH, {"name": name})

    assert (taken.status_code, taken.json()["type"]) == (409, "company-taken")
    assert "merge" in taken.json()["detail"]
    assert names(admin) == ["Valve"]


@pytest.mark.both_databases
def test_of_two_simultaneous_additions_of_a_name_only_one_succeeds(world: World) -> None:
    callers = [world.admin("ada"), world.admin("bob")]
    answers = at_once([partial(caller.post, PATH, {"name": "Valve"}) for caller in callers])
    assert sorted(answer.status_code for answer in answers) == [201, 409]


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "a" * 257}, "name"),
        ({}, "name"),
        ({"name": "Valve", "website": "javascript:alert(1)"}, "website"),
        ({"name": "Valve", "website": "https://valve.test/a b"}, "website"),
        ({"name": "Valve", "description": "a" * 10_001}, "description"),
        ({"name": "Valve", "logo": ""}, "logo"),
    ],
)
def test_an_invalid_company_is_rejected(world: World, draft: dict[str, str], field: str) -> None:
    refused = world.admin().post(PATH, draft)
    assert refused.status_code == 400
    assert [fault["field"] for fault in refused.json()["errors"]] == [field]


def test_a_description_of_maximum_length_is_stored_in_full(world: World) -> None:
    longest = "\U0001f3ae" * 10_000
    admin = world.admin()
    company = add(admin, "Valve", description=longest)
    assert admin.get(f"{PATH}/{company}").json()["description"] == longest


def test_omitted_fields_are_not_changed(world: World) -> None:
    admin = world.admin()
    company = add(admin, "Valve", description="Text.", website="https://valve.test")

    changed = change(admin, company, website="").json()

    assert (changed["name"], changed["description"], changed["website"]) == ("Valve", "Text.", "")


def test_renaming_a_company_updates_its_games_and_the_search(world: World) -> None:
    game = add_game(world, facts("Quake", "id"))
    admin = world.admin()
    company = id_of(admin, "id")

    assert change(admin, company, name="Bethesda").status_code == 200

    assert developers(admin, game) == ["Bethesda"]
    assert (found(admin, "bethesda"), found(admin, "id")) == (["Quake"], [])


def test_a_company_cannot_take_the_name_of_another(world: World) -> None:
    admin = world.admin()
    company = add(admin, "Valve")
    add(admin, "Sierra")

    taken = change(admin, company, name="SIERRA", website="https://sierra.test")

    assert (taken.status_code, taken.json()["type"]) == (409, "company-taken")
    assert admin.get(f"{PATH}/{company}").json()["website"] == ""


def test_a_change_of_case_does_not_make_the_field_manual(world: World) -> None:
    game = add_game(world, facts("Quake", "ID software"))
    admin = world.admin()
    change(admin, id_of(admin, "ID software"), name="id Software")

    refresh(world, game, facts("Quake", "ID Software", "Raven"))

    assert developers(admin, game) == ["id Software", "Raven"]


def test_a_refresh_does_not_restore_the_old_name(world: World) -> None:
    game = add_game(world, facts("Quake", "id", publishers=("GT Interactive",)))
    admin = world.admin()
    change(admin, id_of(admin, "id"), name="id Software")

    refresh(world, game, facts("Quake", "id", publishers=("Activision",)))

    assert developers(admin, game) == ["id Software"]
    details = admin.get(f"/api/v1/admin/game/{game}").json()
    assert (details["sources"]["developers"], details["sources"]["publishers"]) == ("Manual", "Steam")
    assert [each["name"] for each in details["publishers"]] == ["Activision"]


def test_a_merged_company_has_the_games_of_both(world: World) -> None:
    quake = add_game(world, facts("Quake", "id", publishers=("Activision",)))
    doom = add_game(world, facts("Doom", "id Software", publishers=("id",)))
    admin = world.admin()

    merged = merge(admin, id_of(admin, "id"), id_of(admin, "id Software"))

    assert (merged.status_code, merged.json()["name"], merged.json()["games"]) == (200, "id Software", 2)
    assert (developers(admin, quake), developers(admin, doom)) == (["id Software"], ["id Software"])
    assert [each["name"] for each in merged.json()["published"]] == ["Doom"]
    assert names(admin) == ["Activision", "id Software"]
    assert sorted(found(admin, "id software")) == ["Doom", "Quake"]


def test_a_merge_keeps_the_first_position_if_both_developed_a_game(world: World) -> None:
    game = add_game(world, facts("Quake", "id", "Raven", "id Software", "Rogue"))
    other = add_game(world, facts("Doom", "id Software", "Raven", "id"))
    admin = world.admin()

    merge(admin, id_of(admin, "id"), id_of(admin, "id Software"))

    assert developers(admin, game) == ["id Software", "Raven", "Rogue"]
    assert developers(admin, other) == ["id Software", "Raven"]


def test_a_refresh_does_not_undo_a_merge(world: World) -> None:
    game = add_game(world, facts("Quake", "id"))
    admin = world.admin()
    add(admin, "id Software")
    merge(admin, id_of(admin, "id"), id_of(admin, "id Software"))

    refresh(world, game, facts("Quake", "id"))

    assert developers(admin, game) == ["id Software"]
    assert names(admin) == ["id Software"]


def test_a_company_cannot_be_merged_into_itself(world: World) -> None:
    admin = world.admin()
    company = add(admin, "Valve")

    refused = merge(admin, company, company)

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "into")
    assert names(admin) == ["Valve"]


def test_merging_also_requires_the_delete_permission(world: World) -> None:
    admin = world.admin()
    one, other = add(admin, "id"), add(admin, "id Software")
    program = world.token_of(admin, "system:company:update")

    assert merge(program, one, other).status_code == 403
    assert names(admin) == ["id", "id Software"]


def test_deleting_a_company_removes_it_from_its_games(world: World) -> None:
    game = add_game(world, facts("Quake", "id", "Raven"))
    admin = world.admin()

    assert admin.delete(f"{PATH}/{id_of(admin, 'id')}").status_code == 204

    refresh(world, game, facts("Quake", "id", "Raven"))
    assert developers(admin, game) == ["Raven"]
    assert (found(admin, "id"), found(admin, "raven")) == ([], ["Quake"])
    assert names(admin) == ["Raven"]


def test_an_unknown_company_is_not_found(world: World) -> None:
    admin = world.admin()
    company, nowhere = add(admin, "Valve"), "00000000-0000-4000-8000-000000000000"
    answers = [
        admin.get(f"{PATH}/{nowhere}"),
        change(admin, nowhere, name="Sierra"),
        admin.delete(f"{PATH}/{nowhere}"),
        merge(admin, nowhere, company),
        merge(admin, company, nowhere),
    ]
    assert [(answer.status_code, answer.json()["type"]) for answer in answers] == [(404, "company-unknown")] * 5


@pytest.mark.both_databases
def test_editing_a_game_while_its_company_changes_does_not_deadlock(world: World) -> None:
    admin, game = world.admin(), add_game(world, facts("Quake", "id"))

    with ThreadPoolExecutor() as threads:
        with world.services.db.write() as session:
            advisory_lock(session, queries.LOCK)
            edit = threads.submit(admin.patch, f"/api/v1/admin/game/{game}", {"developers": ["Raven"]})
            wait_for_lock(world, edit)  # so that the edit gets as far as it can
            assert lock_game(session, game)
        assert edit.result().status_code == 200
    assert developers(admin, game) == ["Raven"]


@pytest.mark.both_databases
def test_merging_companies_while_their_games_are_edited_loses_nothing(world: World) -> None:
    games = [add_game(world, facts(f"Game {number}", f"Studio {number % 2}")) for number in range(6)]
    admin = world.admin()
    one, other = id_of(admin, "Studio 0"), id_of(admin, "Studio 1")
    edits = [partial(admin.patch, f"/api/v1/admin/game/{game}", {"publishers": ["Studio 0"]}) for game in games]

    answers = at_once([partial(merge, admin, one, other), *edits])

    assert {answer.status_code for answer in answers} == {200}
    assert {name for game in games for name in developers(admin, game)} == {"Studio 1"}
    assert admin.get(f"{PATH}/{other}").json()["developed"] == [
        {"id": game, "name": f"Game {number}"} for number, game in enumerate(games)
    ]


ROLES = st.lists(st.sampled_from(["developer", "publisher"]), unique=True)


@given(sources=st.dictionaries(st.text(), st.text()), roles=ROLES)
def test_only_the_fields_of_the_given_roles_become_manual(sources: dict[str, str], roles: list[str]) -> None:
    decided = rules.with_manual_roles(sources, roles)
    fields = {f"{role}s" for role in roles}
    assert {field: decided[field] for field in fields} == dict.fromkeys(fields, "Manual")
    assert {field: said for field, said in decided.items() if field not in fields} == {
        field: said for field, said in sources.items() if field not in fields
    }
