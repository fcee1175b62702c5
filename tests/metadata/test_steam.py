"""Steam: what is particular to it."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from databases import SqliteDatabases
from playdock.fetching.web import Deadline
from playdock.metadata import steam
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import AgeRating, Precision, RatingFact, Role, TagFact, TagKind, Website
from playdock.metadata.steam_games import Shop, facts_of, items_of
from playdock.metadata.steam_search import listed_by_community, listed_by_shop
from providers import standin as answers
from providers.counter import Counter, open_counter
from providers.games import PC_GAMES, game
from providers.hostile import HOSTILE
from providers.standin import Answer
from providers.steam import SteamStandIn

SHOP = Shop("http://api", "http://community", "http://store", "http://images", "http://icons")


@pytest.fixture
def counter(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Counter]:
    with open_counter(steam.set_up, SteamStandIn(), databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


def soon() -> Deadline:
    return Deadline.after(30)


def facts(**pieces: Any) -> Any:
    """Read an item of which only some pieces are given."""
    item = {"appid": 620, "success": 1, "name": "Portal 2", **pieces}
    (read,) = items_of({"response": {"store_items": [item]}})
    return facts_of(read, SHOP, {1: "Puzzle", 2: "Sci-fi", 3: "Singleplayer", 4: "First-Person", 5: "Cake"})


def paths(counter: Counter) -> list[str]:
    """Give the calls that were made: the last part of each path but for what was looked for."""
    return [asked.path.strip("/").split("/")[2] for asked in counter.standin.requests]


def test_a_search_is_two_requests_and_tells_games_from_extras(counter: Counter) -> None:
    found = {each.name: each for each in counter.provider.search("Stardew Valley", within=soon())}

    assert [name for name, each in found.items() if each.extra] == ["Stardew Valley Soundtrack", "Stardew Valley Demo"]
    assert (found["Stardew Valley"].id, found["Stardew Valley"].year) == ("413150", 2016)
    assert found["Stardew Valley"].description == game("Stardew Valley").summary
    assert found["Stardew Valley"].icon.startswith(counter.standin.settings["steam_icon_url"])
    assert paths(counter) == ["SearchApps", "GetItems"]


def test_a_search_is_kept_for_a_day(counter: Counter) -> None:
    for hours in (0, 23, 2):
        counter.clock.advance(seconds=hours * 3600)
        assert counter.provider.search("Portal", within=soon())
    assert paths(counter) == ["SearchApps", "GetItems"] * 2


def test_what_the_community_does_not_find_is_looked_for_in_the_shop(counter: Counter) -> None:
    counter.standin.bend("/community/", answers.json_answer([]))

    found = counter.provider.search("Portal 2", within=soon())

    assert [(each.id, each.name, each.year) for each in found] == [("620", "Portal 2", 2011)]
    assert paths(counter) == ["SearchApps", "storesearch", "GetItems"]


def test_a_shop_without_a_search_has_nothing_but_what_the_community_finds(counter: Counter) -> None:
    counter.standin.bend("/store/", answers.status(404))
    assert counter.provider.search("Portal 2", within=soon())
    assert counter.provider.search("Nothing like it", within=soon()) == []


def test_a_shop_that_fails_for_now_is_told_of(counter: Counter) -> None:
    counter.standin.bend("/store/", answers.status(500))
    with pytest.raises(ProviderFault, match="500"):
        counter.provider.search("Nothing like it", within=soon())


PASSING = {name: answer for name, answer in HOSTILE.items() if not name.startswith("too many")}


@pytest.mark.parametrize("answer", PASSING.values(), ids=PASSING)
def test_a_search_that_fails_leaves_time_for_the_other(counter: Counter, answer: Callable[[], Answer]) -> None:
    counter.standin.bend("/community/", answer())
    assert [each.year for each in counter.provider.search("Portal 2", within=Deadline.after(1))] == [2011]


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_names_alone_are_worth_giving(counter: Counter, answer: Callable[[], Answer]) -> None:
    counter.standin.bend("/api/", answer())
    (found,) = counter.provider.search("Portal 2", within=Deadline.after(0.5))
    assert (found.id, found.name, found.year) == ("620", "Portal 2", 0)
    assert found.icon.startswith(counter.standin.settings["steam_icon_url"])


def test_a_game_that_the_shop_does_not_tell_of_has_its_name(counter: Counter) -> None:
    counter.standin.bend("/api/", answers.json_answer({"response": {"store_items": [{"appid": 620, "success": 15}]}}))
    assert [each.name for each in counter.provider.search("Portal 2", within=soon())] == ["Portal 2"]


def test_a_game_without_an_icon_of_its_own_has_that_of_the_list(counter: Counter) -> None:
    item = {"appid": 620, "success": 1, "name": "Portal 2"}
    counter.standin.bend("/api/", answers.json_answer({"response": {"store_items": [item]}}))
    (found,) = counter.provider.search("Portal 2", within=soon())
    assert found.icon.startswith(counter.standin.settings["steam_icon_url"])
    assert found.on_pc


def test_ids_are_read_whether_they_are_numbers_or_text() -> None:
    listed = listed_by_community([{"appid": "620", "name": "a"}, 7, {"appid": 400, "name": "b"}])
    assert [each.id for each in listed] == ["620", "400"]


@pytest.mark.parametrize(
    "item", [{"appid": "x"}, {"appid": "0", "name": "x"}, {"appid": 2**32, "name": "x"}, {"appid": 1}]
)
def test_what_has_no_id_or_name_is_not_listed(item: dict[str, Any]) -> None:
    assert listed_by_community([item]) == []
    assert listed_by_shop({"items": [{"id": item.get("appid"), **item}]}) == []


def test_the_shop_lists_games_and_no_bundles() -> None:
    items = [{"type": "bundle", "id": 1, "name": "All"}, 7, {"id": 2, "name": "A", "platforms": {"windows": False}}]
    assert [(each.name, each.on_pc) for each in listed_by_shop({"items": items})] == [("A", True)]


@pytest.mark.parametrize("answer", [{}, {"items": None}, {"items": 7}, [], None, "x"])
def test_a_list_of_another_shape_is_told_from_an_empty_one(answer: object) -> None:
    with pytest.raises(ValueError, match=r".*"):
        listed_by_shop(answer)
    assert listed_by_shop({"total": 0, "items": []}) == []


def test_what_is_no_longer_sold_is_told_of(counter: Counter) -> None:
    assert counter.provider.fetch(["3970"], within=soon())["3970"].released is not None


def test_fifty_games_are_a_request_and_the_names_of_tags_another(counter: Counter) -> None:
    ids = [str(game.steam_id) for game in PC_GAMES]
    assert len(counter.provider.fetch([*ids, *map(str, range(1, 50))], within=soon())) == len(ids)
    assert [asked.path.split("/")[3] for asked in counter.standin.requests] == ["GetItems", "GetItems", "GetTagList"]


def test_the_names_of_tags_are_asked_for_once_in_two_weeks(counter: Counter) -> None:
    for days in (0, 13, 2):
        counter.clock.advance(days=days)
        counter.provider.fetch(["620"], within=soon())
    assert len(counter.standin.asked("/api/IStoreService/")) == 2


def test_without_the_names_of_tags_a_game_has_no_tags(counter: Counter) -> None:
    counter.standin.bend("/api/IStoreService/", answers.html())
    told = counter.provider.fetch(["620"], within=soon())["620"]
    assert (told.name, told.tags) == ("Portal 2", ())


def test_portal_2_is_told_of_as_the_shop_does(counter: Counter) -> None:
    told = counter.provider.fetch(["620"], within=soon())["620"]

    page = f"{counter.standin.settings['steam_store_url']}/app/620/"
    assert told.short == game("Portal 2").summary
    assert "## About Portal 2" in told.description
    assert "- GLaDOS & Wheatley" in told.description
    assert "[Read on](https://www.portal2.example)" in told.description
    assert "STEAM_APP_IMAGE" not in told.description
    assert told.ratings == (RatingFact("Steam", 0.98, 390000, f"{page}#app_reviews_hash"),)
    assert told.age_ratings == (AgeRating("ESRB", "E10", ("Violence",)),)
    assert told.websites == (Website("store", page),)
    assert told.external_ids == {"Steam": "620"}


def test_pictures_are_offered_the_largest_first_and_screenshots_in_their_order(counter: Counter) -> None:
    offers = counter.provider.fetch(["400"], within=soon())["400"].pictures

    names = [(offer.role, offer.address.partition("?")[0].rpartition("/")[2]) for offer in offers]
    assert names[:5] == [
        (Role.COVER, "library_600x900_2x.jpg"),
        (Role.COVER, "library_600x900.jpg"),
        (Role.BANNER, "library_hero_2x.jpg"),
        (Role.BANNER, "library_hero.jpg"),
        (Role.LOGO, "logo.png"),
    ]
    assert [role for role, _ in names[5:]] == [Role.ICON, *[Role.CAROUSEL] * 3]


def test_a_logo_is_not_guessed_where_pictures_have_folders_of_their_own(counter: Counter) -> None:
    offers = counter.provider.fetch(["620"], within=soon())["620"].pictures
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
def test_a_date_is_as_exact_as_the_shop_says(release: object, expected: object) -> None:
    released = facts(release=release).released
    assert (released and (released.date, released.precision)) == expected


def test_tags_are_sorted_by_kind_the_heaviest_first() -> None:
    tags = facts(tags=[{"tagid": number, "weight": number} for number in range(7)]).tags
    assert tags == (
        TagFact(TagKind.KEYWORD, "Cake"),
        TagFact(TagKind.PERSPECTIVE, "First-Person"),
        TagFact(TagKind.MODE, "Singleplayer"),
        TagFact(TagKind.THEME, "Sci-fi"),
        TagFact(TagKind.GENRE, "Puzzle"),
    )


def test_tags_without_weights_are_in_their_order() -> None:
    assert [tag.name for tag in facts(tagids=[3, 1]).tags] == ["Singleplayer", "Puzzle"]


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
def test_a_piece_that_is_wrong_costs_only_itself(piece: dict[str, Any]) -> None:
    told = facts(**piece)
    assert (told.name, told.ratings, told.age_ratings, told.pictures, told.tags) == ("Portal 2", (), (), (), ())


@pytest.mark.parametrize(
    "item",
    [{"success": 15}, {"success": 1, "appid": 620}, {"success": 1, "appid": -1, "name": "x"}, {"name": "x"}, 7, None],
)
def test_what_is_no_game_of_the_shop_is_left_out(item: object) -> None:
    assert items_of({"response": {"store_items": [item]}}) == []


@pytest.mark.parametrize("answer", [{}, {"response": []}, [], 7, None, {"store_items": []}])
def test_an_answer_of_another_shape_is_told_from_an_empty_one(answer: object) -> None:
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
def test_ids_tags_and_addresses_are_recognised(query: str, expected: str | None) -> None:
    assert steam.Steam(desk=None, shop=SHOP).recognise(query) == expected  # type: ignore[arg-type]
