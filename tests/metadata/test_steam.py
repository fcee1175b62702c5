"""Steam. The contract of all providers is tested in `test_contract.py`."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from databases import SqliteDatabases
from playdock.fetching.requests import Deadline
from playdock.metadata import steam
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import AgeRating, Precision, RatingFact, Role, TagFact, TagKind, Website
from playdock.metadata.steam_games import SteamAddresses, items_of, metadata_of
from playdock.metadata.steam_search import community_results, store_results
from providers import standin as answers
from providers.games import PC_GAMES, game
from providers.hostile import HOSTILE, deadline_for
from providers.setup import Setup, open_provider
from providers.steam import SteamStandIn

SHOP = SteamAddresses("http://api", "http://community", "http://store", "http://images", "http://icons")


@pytest.fixture
def setup(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Setup]:
    with open_provider(steam.set_up, SteamStandIn(), databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


def deadline() -> Deadline:
    return Deadline.after(120)


def metadata(**pieces: Any) -> Any:
    """Return the metadata of an item with some fields."""
    item = {"appid": 620, "success": 1, "name": "Portal 2", **pieces}
    (read,) = items_of({"response": {"store_items": [item]}})
    return metadata_of(read, SHOP, {1: "Puzzle", 2: "Sci-fi", 3: "Singleplayer", 4: "First-Person", 5: "Cake"})


def paths(setup: Setup) -> list[str]:
    """Return the calls that were sent: the last part of each path, without search terms."""
    return [request.path.strip("/").split("/")[2] for request in setup.standin.requests]


def test_a_search_takes_two_requests_and_marks_extras(setup: Setup) -> None:
    found = {each.name: each for each in setup.provider.search("Stardew Valley", within=deadline())}

    assert [name for name, each in found.items() if each.extra] == [
        "Stardew Valley Soundtrack",
        "Stardew Valley Demo",
    ]
    assert (found["Stardew Valley"].id, found["Stardew Valley"].year) == ("413150", 2016)
    assert found["Stardew Valley"].description == game("Stardew Valley").summary
    assert found["Stardew Valley"].icon.startswith(setup.standin.settings["steam_icon_url"])
    assert paths(setup) == ["SearchApps", "GetItems"]


def test_a_search_is_cached_for_a_day(setup: Setup) -> None:
    for hours in (0, 23, 2):
        setup.clock.advance(seconds=hours * 3600)
        assert setup.provider.search("Portal", within=deadline())
    assert paths(setup) == ["SearchApps", "GetItems"] * 2


def test_the_store_is_searched_if_the_community_finds_nothing(setup: Setup) -> None:
    setup.standin.override("/community/", answers.json_answer([]))

    found = setup.provider.search("Portal 2", within=deadline())

    assert [(each.id, each.name, each.year) for each in found] == [("620", "Portal 2", 2011)]
    assert paths(setup) == ["SearchApps", "storesearch", "GetItems"]


def test_a_store_without_search_is_ignored(setup: Setup) -> None:
    setup.standin.override("/store/", answers.status(404))
    assert setup.provider.search("Portal 2", within=deadline())
    assert setup.provider.search("Nothing like it", within=deadline()) == []


def test_a_temporary_failure_of_the_store_is_reported(setup: Setup) -> None:
    setup.standin.override("/store/", answers.status(500))
    with pytest.raises(ProviderError, match="500"):
        setup.provider.search("Nothing like it", within=deadline())


TEMPORARY_FAILURES = [name for name in HOSTILE if not name.startswith("too many")]


@pytest.mark.parametrize("name", TEMPORARY_FAILURES)
def test_a_failed_community_search_leaves_time_for_the_store(setup: Setup, name: str) -> None:
    setup.standin.override("/community/", HOSTILE[name]())
    within = deadline_for(name, hanging=10)
    assert [each.year for each in setup.provider.search("Portal 2", within=within)] == [2011]


@pytest.mark.parametrize("name", HOSTILE)
def test_results_without_details_have_names(setup: Setup, name: str) -> None:
    setup.standin.override("/api/", HOSTILE[name]())
    (found,) = setup.provider.search("Portal 2", within=deadline_for(name, hanging=5))
    assert (found.id, found.name, found.year) == ("620", "Portal 2", 0)
    assert found.icon.startswith(setup.standin.settings["steam_icon_url"])


def test_a_game_without_store_details_has_its_name(setup: Setup) -> None:
    setup.standin.override("/api/", answers.json_answer({"response": {"store_items": [{"appid": 620, "success": 15}]}}))
    assert [each.name for each in setup.provider.search("Portal 2", within=deadline())] == ["Portal 2"]


def test_a_game_without_an_icon_has_that_of_the_search(setup: Setup) -> None:
    item = {"appid": 620, "success": 1, "name": "Portal 2"}
    setup.standin.override("/api/", answers.json_answer({"response": {"store_items": [item]}}))
    (found,) = setup.provider.search("Portal 2", within=deadline())
    assert found.icon.startswith(setup.standin.settings["steam_icon_url"])
    assert found.on_pc


def test_ids_may_be_numbers_or_strings() -> None:
    listed = community_results([{"appid": "620", "name": "a"}, 7, {"appid": 400, "name": "b"}])
    assert [each.id for each in listed] == ["620", "400"]


@pytest.mark.parametrize(
    "item", [{"appid": "x"}, {"appid": "0", "name": "x"}, {"appid": 2**32, "name": "x"}, {"appid": 1}]
)
def test_items_without_an_id_or_name_are_left_out(item: dict[str, Any]) -> None:
    assert community_results([item]) == []
    assert store_results({"items": [{"id": item.get("appid"), **item}]}) == []


def test_bundles_of_the_store_are_left_out() -> None:
    items = [{"type": "bundle", "id": 1, "name": "All"}, 7, {"id": 2, "name": "A", "platforms": {"windows": False}}]
    assert [(each.name, each.on_pc) for each in store_results({"items": items})] == [("A", True)]


@pytest.mark.parametrize("answer", [{}, {"items": None}, {"items": 7}, [], None, "x"])
def test_an_invalid_search_response_is_not_an_empty_one(answer: object) -> None:
    with pytest.raises(ValueError, match=r".*"):
        store_results(answer)
    assert store_results({"total": 0, "items": []}) == []


def test_a_game_that_is_no_longer_sold_has_metadata(setup: Setup) -> None:
    assert setup.provider.fetch(["3970"], within=deadline())["3970"].released is not None


def test_fifty_games_take_one_request_and_tag_names_another(setup: Setup) -> None:
    ids = [str(game.steam_id) for game in PC_GAMES]
    assert len(setup.provider.fetch([*ids, *map(str, range(1, 50))], within=deadline())) == len(ids)
    assert [request.path.split("/")[3] for request in setup.standin.requests] == ["GetItems", "GetItems", "GetTagList"]


def test_tag_names_are_requested_once_in_two_weeks(setup: Setup) -> None:
    for days in (0, 13, 2):
        setup.clock.advance(days=days)
        setup.provider.fetch(["620"], within=deadline())
    assert len(setup.standin.requests_to("/api/IStoreService/")) == 2


def test_without_tag_names_a_game_has_no_tags(setup: Setup) -> None:
    setup.standin.override("/api/IStoreService/", answers.html())
    fetched = setup.provider.fetch(["620"], within=deadline())["620"]
    assert (fetched.name, fetched.tags) == ("Portal 2", ())


def test_the_metadata_of_portal_2_is_complete(setup: Setup) -> None:
    fetched = setup.provider.fetch(["620"], within=deadline())["620"]

    page = f"{setup.standin.settings['steam_store_url']}/app/620/"
    assert fetched.short == game("Portal 2").summary
    assert "## About Portal 2" in fetched.description
    assert "- GLaDOS & Wheatley" in fetched.description
    assert "[Read on](https://www.portal2.example)" in fetched.description
    assert "STEAM_APP_IMAGE" not in fetched.description
    assert fetched.ratings == (RatingFact("Steam", 0.98, 390000, f"{page}#app_reviews_hash"),)
    assert fetched.age_ratings == (AgeRating("ESRB", "E10", ("Violence",)),)
    assert fetched.websites == (Website("store", page),)
    assert fetched.external_ids == {"Steam": "620"}


def test_the_largest_images_are_offered_first_and_screenshots_in_order(setup: Setup) -> None:
    offers = setup.provider.fetch(["400"], within=deadline())["400"].pictures

    names = [(offer.role, offer.address.partition("?")[0].rpartition("/")[2]) for offer in offers]
    assert names[:5] == [
        (Role.COVER, "library_600x900_2x.jpg"),
        (Role.COVER, "library_600x900.jpg"),
        (Role.BANNER, "library_hero_2x.jpg"),
        (Role.BANNER, "library_hero.jpg"),
        (Role.LOGO, "logo.png"),
    ]
    assert [role for role, _ in names[5:]] == [Role.ICON, *[Role.CAROUSEL] * 3]


def test_no_logo_is_offered_if_images_have_their_own_folders(setup: Setup) -> None:
    offers = setup.provider.fetch(["620"], within=deadline())["620"].pictures
    assert Role.LOGO not in {offer.role for offer in offers}


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ({"steam_release_date": 1303142400}, (date(2011, 4, 18), Precision.DAY)),
        ({"steam_release_date": 1303142400, "original_release_date": 1192000000}, (date(2007, 10, 10), Precision.DAY)),
        ({"steam_release_date": 1924900000, "is_coming_soon": True, "coming_soon_display": "date_full"},
         (date(2030, 12, 30), Precision.DAY)),
        ({"steam_release_date": 1924900000, "is_coming_soon": True, "coming_soon_display": "date_month"},
         (date(2030, 12, 1), Precision.MONTH)),
        ({"steam_release_date": 1924900000, "is_coming_soon": True, "coming_soon_display": "date_quarter"},
         (date(2030, 10, 1), Precision.QUARTER)),
        ({"steam_release_date": 1924900000, "is_coming_soon": True, "coming_soon_display": "date_year"},
         (date(2030, 1, 1), Precision.YEAR)),
        ({"steam_release_date": 1924900000, "is_coming_soon": True, "coming_soon_display": "text_tba"}, None),
        ({"steam_release_date": 0}, None),
        ({"steam_release_date": 10**15}, None),
        ({"steam_release_date": -10**10}, None),
        ("soon", None),
    ],
)  # fmt: skip
def test_a_date_has_the_precision_of_the_store(release: object, expected: object) -> None:
    released = metadata(release=release).released
    assert (released and (released.date, released.precision)) == expected


def test_tags_have_kinds_and_are_sorted_by_weight() -> None:
    tags = metadata(tags=[{"tagid": number, "weight": number} for number in range(7)]).tags
    assert tags == (
        TagFact(TagKind.KEYWORD, "Cake"),
        TagFact(TagKind.PERSPECTIVE, "First-Person"),
        TagFact(TagKind.MODE, "Singleplayer"),
        TagFact(TagKind.THEME, "Sci-fi"),
        TagFact(TagKind.GENRE, "Puzzle"),
    )


def test_tags_without_weights_keep_their_order() -> None:
    assert [tag.name for tag in metadata(tagids=[3, 1]).tags] == ["Singleplayer", "Puzzle"]


@pytest.mark.parametrize(
    "piece",
    [
        {"basic_info": {"developers": "Valve", "publishers": [{"name": 7}, None, {"name": "Valve"}]}},
        {"reviews": {"summary_filtered": {"review_count": 7, "percent_positive": 700}}},
        {"reviews": {"summary_filtered": {"review_count": 0, "percent_positive": 70}}},
        {"reviews": []},
        {"assets": {"asset_url_format": 7, "community_icon": "../../x"}},
        {"screenshots": {"all_ages_screenshots": [{"filename": "a b\n<"}]}},
        {"game_rating": {"type": "", "rating": "M"}},
        {"tags": [{"tagid": "x"}, 7]},
        {"full_description": None},
        {"platforms": None, "type": "game"},
    ],
)
def test_an_invalid_value_affects_only_itself(piece: dict[str, Any]) -> None:
    fetched = metadata(**piece)
    assert (fetched.name, fetched.ratings, fetched.age_ratings, fetched.pictures, fetched.tags) == (
        "Portal 2",
        (),
        (),
        (),
        (),
    )


@pytest.mark.parametrize(
    "item",
    [{"success": 15}, {"success": 1, "appid": 620}, {"success": 1, "appid": -1, "name": "x"}, {"name": "x"}, 7, None],
)
def test_items_that_are_not_games_are_left_out(item: object) -> None:
    assert items_of({"response": {"store_items": [item]}}) == []


@pytest.mark.parametrize("answer", [{}, {"response": []}, [], 7, None, {"store_items": []}])
def test_an_invalid_response_is_not_an_empty_one(answer: object) -> None:
    with pytest.raises((ValueError, msgspec.ValidationError)):
        items_of(answer)
    assert items_of({"response": {}}) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("570", "570"),
        (" 570 ", "570"),
        ("steam-570", "570"),
        ("Dota 2 {STEAM-570}", "570"),
        ("https://store.steampowered.com/app/570", "570"),
        ("http://store.steampowered.com/app/570/Dota_2/?snr=1_5#x", "570"),
        ("https://steamcommunity.com/app/570/discussions/", "570"),
        ("http://store/app/570/", "570"),
        ("https://store.steampowered.com/sub/570/", None),
        ("https://store.steampowered.com.evil.example/app/570", None),
        ("https://user@store.steampowered.com/app/570", None),
        ("0570", None),
        ("\u0665\u0667\u0660", None),
        ("4294967296", None),
        ("Half-Life 2", None),
    ],
)
def test_ids_tags_and_urls_are_recognized(query: str, expected: str | None) -> None:
    assert steam.Steam(client=None, urls=SHOP).recognize(query) == expected  # type: ignore[arg-type]
