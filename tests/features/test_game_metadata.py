"""The catalogue: which fields are taken from whom, and that all that a provider knows arrives."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing import png
from playdock.domain.game_metadata import rules
from playdock.domain.game_metadata.rules import Field
from playdock.metadata.game_metadata import (
    AgeRating,
    GameMetadata,
    ImageOffer,
    Precision,
    RatingFact,
    ReleaseDate,
    Role,
    TagFact,
    TagKind,
    Website,
)
from playdock.metadata.providers import Manual, Providers
from shops import FakeProvider
from world import World, running_world

EVERYTHING = GameMetadata(
    "The Witcher 3",
    short="Monsters.",
    description="# Wild\n\nHunt [here](https://example.org).",
    released=ReleaseDate(date(2015, 5, 19)),
    developers=("CD PROJEKT RED", "cd projekt  red", "  "),
    publishers=("CD PROJEKT RED", "Bandai"),
    tags=(TagFact(TagKind.GENRE, "RPG"), TagFact(TagKind.THEME, "RPG"), TagFact(TagKind.GENRE, "rpg")),
    ratings=(RatingFact("Critics", 0.9, 100), RatingFact("Players", 0.5, 300, "https://example.org/r")),
    age_ratings=(AgeRating("PEGI", "18", ("Violence", "Bad language")),),
    pictures=(
        ImageOffer(Role.COVER, "broken"),
        ImageOffer(Role.COVER, "cover", credit="A painter"),
        ImageOffer(Role.COVER, "shot"),
        ImageOffer(Role.CAROUSEL, "shot"),
        ImageOffer(Role.CAROUSEL, "cover"),
        ImageOffer(Role.CAROUSEL, "broken"),
        ImageOffer(Role.ICON, "missing"),
    ),
    websites=(Website("official", "https://example.org"),),
    external_ids={"Steam": "292030"},
)


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    """A world with a provider that knows one game."""
    files = {"cover": png(300, 400), "shot": png(800, 450), "broken": b"<html>"}
    shop = FakeProvider("Shop", {"w3": EVERYTHING}, files)
    with running_world(tmp_path, database_url=database_url, providers=Providers([shop, Manual()])) as running:
        yield running


def imported(world: World, **metadata: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Import a game with the metadata of a search result; give its task and what is told of it."""
    world.put("Witcher/1.0/witcher")
    admin = world.admin()
    body = {"library": world.library(admin)["id"], "path": "Witcher", "metadata": metadata}
    started = admin.post("/api/v1/admin/import/game", body if metadata else {**body, "metadata": None})
    task = world.finish(admin, started.json()["taskId"])
    assert task["success"], task
    listed = admin.get("/api/v1/admin/library").json()["games"][0]["game"]["id"]
    game: dict[str, Any] = admin.get(f"/api/v1/admin/game/{listed}").json()
    return task, game


def test_an_import_stores_all_metadata_of_the_provider(world: World) -> None:
    _, game = imported(world, id="w3", sourceId="Shop", name="Witcher")

    assert (game["name"], game["shortDescription"]) == (EVERYTHING.name, EVERYTHING.short)
    assert game["description"] == EVERYTHING.description
    assert game["released"] == {"date": "2015-05-19", "precision": "day"}
    assert [each["name"] for each in game["developers"]] == ["CD PROJEKT RED"]
    assert [each["name"] for each in game["publishers"]] == ["CD PROJEKT RED", "Bandai"]
    assert game["developers"][0]["id"] == game["publishers"][0]["id"]
    assert [(each["kind"], each["name"]) for each in game["tags"]] == [("genre", "RPG"), ("theme", "RPG")]
    assert [(each["source"], each["score"], each["count"]) for each in game["ratings"]] == [
        ("Critics", 0.9, 100),
        ("Players", 0.5, 300),
    ]
    assert game["rating"] == 0.6
    assert game["ageRatings"] == [{"board": "PEGI", "value": "18", "descriptors": ["Violence", "Bad language"]}]
    assert game["websites"] == [{"kind": "official", "url": "https://example.org"}]
    assert (game["externalIds"], game["metadataSource"], game["metadataId"]) == ({"Steam": "292030"}, "Shop", "w3")


def test_the_first_usable_image_is_used_and_all_of_the_carousel(world: World) -> None:
    task, game = imported(world, id="w3", sourceId="Shop", name="Witcher")

    by_id = {each["id"]: each for each in game["pictures"]}
    assert [by_id[game["cover"]][name] for name in ("address", "credit", "source")] == ["cover", "A painter", "Shop"]
    assert [by_id[each]["address"] for each in game["carousel"]] == ["shot", "cover"]
    assert (game["icon"], len(by_id)) == (None, 3)
    assert "".join(task["log"]).count("Skipped ") == 3


def test_exactly_the_imported_fields_have_a_source(world: World) -> None:
    _, game = imported(world, id="w3", sourceId="Shop", name="Witcher")
    assert game["sources"] == {field.value: "Shop" for field in set(Field) - {Field.ICON, Field.BANNER, Field.LOGO}}


def test_a_typed_name_is_manual(world: World) -> None:
    _, game = imported(world, id="any", sourceId="Manual", name="My Witcher")
    assert (game["name"], game["sources"]) == ("My Witcher", {"name": "Manual"})


def test_a_name_from_the_folder_has_the_folder_as_its_source(world: World) -> None:
    _, game = imported(world)
    assert (game["name"], game["sources"]) == ("Witcher", {"name": "Folder"})


@pytest.mark.parametrize(
    ("sources", "overwrite", "is_open"),
    [
        ({}, [], True),
        ({"name": "Steam"}, [], True),
        ({"name": "Folder"}, [], True),
        ({"name": "Manual"}, [], False),
        ({"name": "Manual"}, ["name"], True),
        ({"name": "Manual"}, ["cover"], False),
        ({"cover": "Manual"}, [], True),
    ],
)
def test_a_provider_can_update_fields_that_are_not_manual(
    sources: dict[str, str], overwrite: list[str], *, is_open: bool
) -> None:
    assert (Field.NAME in rules.open_fields(sources, overwrite=overwrite)) is is_open


@given(
    sources=st.dictionaries(
        st.sampled_from([field.value for field in Field]), st.sampled_from(["Manual", "Steam", "Folder"])
    )
)
def test_only_manual_fields_are_protected_from_updates(sources: dict[str, str]) -> None:
    manual = {Field(field) for field, source in sources.items() if source == "Manual"}
    assert rules.open_fields(sources) == set(Field) - manual
    assert rules.open_fields(sources, overwrite=manual) == set(Field)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (GameMetadata("x"), {Field.NAME}),
        (GameMetadata("x", short="y"), {Field.NAME, Field.SHORT_DESCRIPTION}),
        (GameMetadata("x", released=ReleaseDate(date(1, 1, 1), Precision.YEAR)), {Field.NAME, Field.RELEASED}),
        (GameMetadata(""), set()),
    ],
)
def test_empty_fields_are_not_available(facts: GameMetadata, told: set[Field]) -> None:
    assert rules.available_fields(facts) == told


def test_all_fields_except_images_are_available() -> None:
    assert rules.available_fields(EVERYTHING) == set(Field) - set(rules.PICTURES.values())


@pytest.mark.parametrize(
    ("ratings", "together"),
    [
        ([], None),
        ([RatingFact("a", 0.5)], 0.5),
        ([RatingFact("a", 1.0, 1), RatingFact("b", 0.0, 3)], 0.25),
        ([RatingFact("a", 1.0), RatingFact("b", 0.0, 1)], 0.5),
        ([RatingFact("a", 1.0, 1_000_000), RatingFact("b", 0.0, 1000)], 0.5),
        ([RatingFact("a", 1.0, 0), RatingFact("b", 0.0, 1)], 0.5),
    ],
    ids=["none", "one", "by count", "an unknown count is one", "a crowd is a thousand", "nobody is one"],
)
def test_ratings_are_weighted_by_their_count(ratings: list[RatingFact], together: float | None) -> None:
    assert rules.mean(ratings) == together


@given(st.lists(st.builds(RatingFact, st.just("x"), st.floats(0, 1), st.none() | st.integers(0, 10**9)), min_size=1))
def test_the_mean_rating_is_between_the_lowest_and_the_highest(ratings: list[RatingFact]) -> None:
    together = rules.mean(ratings)
    assert together is not None
    scores = [each.score for each in ratings]
    assert min(scores) - 0.0001 <= together <= max(scores) + 0.0001
