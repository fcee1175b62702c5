"""Games in the hands of administrators: shown with everything, changed field by field."""

from datetime import date
from functools import partial
from typing import Any

import pytest

from drawing import png
from games import Release, add_game
from playdock.metadata.game_metadata import (
    AgeRating,
    GameMetadata,
    Precision,
    RatingFact,
    ReleaseDate,
    Role,
    TagFact,
    TagKind,
    Website,
)
from world import Caller, World, at_once

NOWHERE = "00000000-0000-4000-8000-000000000000"
DOOM = GameMetadata(
    "Doom",
    short="Hell on Mars.",
    description="**Rip** and tear.",
    released=ReleaseDate(date(1993, 12, 1), Precision.MONTH),
    developers=("id Software",),
    publishers=("id Software", "GT Interactive"),
    tags=(TagFact(TagKind.GENRE, "Shooter"), TagFact(TagKind.THEME, "Horror")),
    ratings=(RatingFact("Critics", 0.9, 100, "https://example.org/doom"),),
    age_ratings=(AgeRating("PEGI", "16", ("Violence",)),),
    websites=(Website("wiki", "https://example.org/wiki"),),
    external_ids={"IGDB": "673"},
)


def path(game: str) -> str:
    return f"/api/v1/admin/game/{game}"


def shown(admin: Caller, game: str) -> dict[str, Any]:
    answer = admin.get(path(game))
    assert answer.status_code == 200, answer.text
    details: dict[str, Any] = answer.json()
    return details


def change(admin: Caller, game: str, **changes: Any) -> dict[str, Any]:
    answer = admin.patch(path(game), changes)
    assert answer.status_code == 200, answer.text
    details: dict[str, Any] = answer.json()
    return details


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [each["name"] for each in entries]


def picture(game: dict[str, Any], role: str) -> str:
    found: str = next(each["id"] for each in game["pictures"] if role in each["uses"])
    return found


def test_a_game_is_returned_with_all_of_its_metadata(world: World) -> None:
    game = add_game(world, DOOM, pictures=[Role.COVER, Role.CAROUSEL, Role.CAROUSEL], versions=[Release("1.9")])

    found = shown(world.admin(), game)

    assert (found["name"], found["shortDescription"], found["description"]) == (DOOM.name, DOOM.short, DOOM.description)
    assert found["released"] == {"date": "1993-12-01", "precision": "month"}
    assert names(found["developers"]) == ["id Software"]
    assert names(found["publishers"]) == ["id Software", "GT Interactive"]
    assert [(each["kind"], each["name"]) for each in found["tags"]] == [("genre", "Shooter"), ("theme", "Horror")]
    assert found["ratings"] == [
        {"source": "Critics", "score": 0.9, "count": 100, "url": "https://example.org/doom"},
    ]
    assert found["ageRatings"] == [{"board": "PEGI", "value": "16", "descriptors": ["Violence"]}]
    assert found["websites"] == [{"kind": "wiki", "url": "https://example.org/wiki"}]
    assert (found["rating"], found["externalIds"]) == (0.9, {"IGDB": "673"})
    assert [each["uses"] for each in found["pictures"]].count(["carousel"]) == 2
    assert names(found["versions"]) == ["1.9"]
    assert set(found["sources"].values()) == {"Steam"}


def test_drops_fields_have_the_same_values(world: World) -> None:
    game = add_game(world, DOOM, pictures=[Role.COVER, Role.CAROUSEL])
    admin = world.admin()

    found = shown(admin, game)
    listed = admin.get("/api/v1/admin/library").json()["games"][0]["game"]

    assert listed == {name: found[name] for name in listed}
    assert (found["mName"], found["mReleased"]) == ("Doom", "1993-12-01T00:00:00.000Z")
    assert (found["mCoverObjectId"], found["mImageCarouselObjectIds"]) == (found["cover"], found["carousel"])
    assert set(found["mImageLibraryObjectIds"]) == {found["cover"], *found["carousel"]}
    assert (found["mIconObjectId"], found["icon"]) == ("", None)
    assert admin.get(f"/api/v1/object/{found['mCoverObjectId']}").headers["content-type"] == "image/webp"


def test_whitespace_in_names_is_normalized(world: World) -> None:
    game, admin = add_game(world, DOOM), world.admin()

    found = change(
        admin, game, name=" Doom\n II ", developers=["id\tSoftware"], tags=[{"kind": "mode", "name": "Co \r\n op"}]
    )

    assert (found["name"], names(found["developers"]), names(found["tags"])) == ("Doom II", ["id Software"], ["Co op"])


CHANGES: dict[str, Any] = {
    "name": "DOOM",
    "shortDescription": "",
    "description": "<b>kept</b> *as given*",
    "released": {"date": "1993-12-10", "precision": "day"},
    "developers": ["Nerve", "nerve", "id Software"],
    "publishers": [],
    "tags": [{"kind": "mode", "name": "Deathmatch"}],
    "ageRatings": [{"board": "ESRB", "value": "M"}],
    "websites": [{"kind": "official", "url": "https://doom.example.org/?a=b"}],
    "carousel": [],
}


def _reported(game: dict[str, Any], field: str) -> Any:
    value = game[field]
    if field in ("developers", "publishers"):
        return names(value)
    return [{"kind": each["kind"], "name": each["name"]} for each in value] if field == "tags" else value


_AS_STORED = {"developers": ["Nerve", "id Software"], "ageRatings": [{**CHANGES["ageRatings"][0], "descriptors": []}]}


@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_field_becomes_manual_and_the_others_are_kept(world: World, field: str) -> None:
    game = add_game(world, DOOM, pictures=[Role.CAROUSEL])
    admin = world.admin()
    before = shown(admin, game)

    after = change(admin, game, **{field: CHANGES[field]})

    assert _reported(after, field) == _AS_STORED.get(field, CHANGES[field])
    assert after["sources"] == {**before["sources"], field: "Manual"}
    derived = {"sources", "mName", "mShortDescription", "mDescription", "mReleased", "mImageCarouselObjectIds"}
    untouched = before.keys() - derived - {field, "pictures"}
    assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}
    assert after == shown(admin, game)


def test_a_release_date_can_be_removed(world: World) -> None:
    game = add_game(world, DOOM)
    after = change(world.admin(), game, released=None)
    assert (after["released"], after["mReleased"], after["sources"]["released"]) == (None, None, "Manual")


@pytest.mark.parametrize(
    ("precision", "stored"),
    [("day", "2004-11-16"), ("month", "2004-11-01"), ("quarter", "2004-10-01"), ("year", "2004-01-01")],
)
def test_an_inexact_date_is_stored_as_the_first_day_of_its_period(world: World, precision: str, stored: str) -> None:
    released = {"date": "2004-11-16", "precision": precision}
    assert change(world.admin(), add_game(world, DOOM), released=released)["released"] == {
        "date": stored,
        "precision": precision,
    }


def test_featuring_a_game_does_not_record_a_source(world: World) -> None:
    game, admin = add_game(world, DOOM), world.admin()
    after = change(admin, game, featured=True)
    assert (after["featured"], "featured" in after["sources"]) == (True, False)
    assert change(admin, game, featured=False)["featured"] is False


def test_images_are_chosen_from_those_of_the_game(world: World) -> None:
    game, admin = add_game(world, DOOM, pictures=[Role.COVER, Role.BANNER]), world.admin()
    before = shown(admin, game)
    cover, banner = picture(before, "cover"), picture(before, "banner")

    after = change(admin, game, cover=banner, banner=None, carousel=[cover, banner, cover])

    assert (after["cover"], after["banner"], after["carousel"]) == (banner, None, [cover, banner])
    assert {after["sources"][field] for field in ("cover", "banner", "carousel")} == {"Manual"}
    assert len(after["pictures"]) == 2


def test_an_image_of_another_game_is_a_field_error_and_nothing_changes(world: World) -> None:
    game, other = add_game(world, DOOM), add_game(world, GameMetadata("Quake"), pictures=[Role.COVER])
    admin = world.admin()
    foreign = shown(admin, other)["cover"]

    refused = admin.patch(path(game), {"name": "DOOM", "cover": foreign, "carousel": [foreign, NOWHERE]})

    assert refused.status_code == 400
    assert [fault["field"] for fault in refused.json()["errors"]] == ["cover", "carousel[0]", "carousel[1]"]
    assert shown(admin, game)["name"] == "Doom"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 257}, "name"),
        ({"name": None}, "name"),
        ({"description": "x" * 100_001}, "description"),
        ({"released": {"date": "soon"}}, "released.date"),
        ({"released": {"date": "2004-11-16", "precision": "decade"}}, "released.precision"),
        ({"tags": [{"kind": "smell", "name": "x"}]}, "tags[0].kind"),
        ({"websites": [{"kind": "official", "url": "javascript:alert(1)"}]}, "websites[0].url"),
        ({"websites": [{"kind": "official", "url": "ftp://example.org"}]}, "websites[0].url"),
        ({"developers": [""]}, "developers[0]"),
        ({"rating": 1.0}, "rating"),
        ({"description": "\0"}, "description"),
    ],
)
def test_an_invalid_change_is_a_field_error(world: World, changes: dict[str, Any], field: str) -> None:
    refused = world.admin().patch(path(add_game(world, DOOM)), changes)
    assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, [field])


def test_a_description_of_maximum_length_is_stored(world: World) -> None:
    longest = "\U0001f47e" * 100_000
    assert change(world.admin(), add_game(world, DOOM), description=longest)["description"] == longest


@pytest.mark.both_databases
def test_simultaneous_edits_by_two_administrators_are_all_kept(world: World) -> None:
    game = add_game(world, GameMetadata("Doom"))
    ada, bob = world.admin("ada"), world.admin("bob")
    fields = [("name", "DOOM"), ("shortDescription", "Hell."), ("description", "Mars."), ("developers", ["id"])] * 2

    at_once([partial(change, who, game, **{field: value}) for who in (ada, bob) for field, value in fields])

    found = shown(ada, game)
    assert (found["name"], found["shortDescription"], found["description"]) == ("DOOM", "Hell.", "Mars.")
    assert {field for field, source in found["sources"].items() if source == "Manual"} == {each for each, _ in fields}


@pytest.mark.both_databases
def test_simultaneous_edits_share_new_companies_and_tags(world: World) -> None:
    games = [add_game(world, GameMetadata(f"Game {number}")) for number in range(6)]
    admin, letters = world.admin(), ["A", "B", "C", "D"]

    def give(number: int) -> dict[str, Any]:
        turned = letters[number % 4 :] + letters[: number % 4]
        tags = [{"kind": "keyword", "name": name} for name in turned]
        return change(admin, games[number], developers=turned, publishers=turned[::-1], tags=tags)

    answers = at_once([partial(give, number) for number in range(6)])

    assert len({each["id"] for answer in answers for each in (*answer["developers"], *answer["publishers"])}) == 4
    assert len({each["id"] for answer in answers for each in answer["tags"]}) == 4


def test_an_unknown_game_is_not_found(world: World) -> None:
    admin = world.admin()
    image = {"gameId": NOWHERE, "imageId": NOWHERE}
    answers = [
        admin.get(path(NOWHERE)),
        admin.patch(path(NOWHERE), {"name": "x"}),
        admin.delete(path(NOWHERE)),
        admin.post(f"{path(NOWHERE)}/refresh", {}),
        admin.delete("/api/v1/admin/game/image", image),
        admin.request("POST", "/api/v1/admin/game/image", data={"id": NOWHERE}, files=[("files", ("a.png", png()))]),
    ]
    assert [(each.status_code, each.json()["type"]) for each in answers] == [(404, "game-unknown")] * 6


@pytest.mark.parametrize(
    ("acl", "method", "place"),
    [
        ("system:game:read", "GET", ""),
        ("system:game:update", "PATCH", ""),
        ("system:game:update", "POST", "/refresh"),
        ("system:game:delete", "DELETE", ""),
    ],
)
def test_each_call_requires_exactly_its_permission(world: World, acl: str, method: str, place: str) -> None:
    owner = world.admin()
    others = [each for each in ("system:game:read", "system:game:update", "system:game:delete") if each != acl]
    allowed, refused = world.token_of(owner, acl), world.token_of(owner, *others, "system:library:read")
    body: Any = None if method in ("GET", "DELETE") else {}
    assert allowed.request(method, path(NOWHERE) + place, json=body).status_code == 404
    assert refused.request(method, path(NOWHERE) + place, json=body).status_code == 403
