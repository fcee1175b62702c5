"""The store: listings that are sorted, filtered and paged, and the pages of games."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import date
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import update

from games import Release, add_game
from playdock.features.store import queries
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
from playdock.models import Game
from world import Caller, World

STRATEGY, PUZZLE, SPACE = (
    TagFact(TagKind.GENRE, "Strategy"),
    TagFact(TagKind.GENRE, "Puzzle"),
    TagFact(TagKind.THEME, "Space"),
)


def _listing(caller: Caller, **wanted: Any) -> dict[str, Any]:
    answer = caller.get("/api/v1/store", params=wanted)
    assert answer.status_code == 200, answer.text
    listing: dict[str, Any] = answer.json()
    return listing


def _names(caller: Caller, **wanted: Any) -> list[str]:
    return [game["name"] for game in _listing(caller, **wanted)["games"]]


def _pages(caller: Caller, **wanted: Any) -> list[list[str]]:
    """Return the names on all pages."""
    pages, after = [], ""
    while True:
        listing = _listing(caller, **wanted, after=after)
        pages.append([game["name"] for game in listing["games"]])
        after = listing["next"]
        if after is None:
            return pages


def _facts(name: str, *, rating: float | None = None, year: int | None = None, **more: Any) -> GameMetadata:
    ratings = (RatingFact("IGDB", rating),) if rating is not None else ()
    released = ReleaseDate(date(year, 1, 1), Precision.YEAR) if year else None
    return GameMetadata(name, ratings=ratings, released=released, **more)


def _add(world: World, *games: GameMetadata, **more: Any) -> list[str]:
    """Add games, a minute apart."""
    added = []
    for facts in games:
        world.clock.advance(minutes=1)
        added.append(add_game(world, facts, **more))
    return added


def _tag(caller: Caller, name: str) -> str:
    return _id_of(caller.get("/api/v1/store/tags").json(), name)


def _company(caller: Caller, name: str) -> str:
    return _id_of(caller.get("/api/v1/store/companies").json(), name)


def _id_of(listed: list[dict[str, str]], name: str) -> str:
    return next(each["id"] for each in listed if each["name"] == name)


def test_an_empty_store_has_an_empty_page(world: World) -> None:
    assert _listing(world.person()) == {"games": [], "total": 0, "next": None}


@pytest.mark.both_databases
def test_the_newest_game_is_listed_first(world: World) -> None:
    _add(world, _facts("Doom"), _facts("Portal"))
    assert _names(world.person()) == ["Portal", "Doom"]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"sort": "name"}, ["The Ball", "Chess 2", "Chess 10"]),
        ({"sort": "name", "order": "desc"}, ["Chess 10", "Chess 2", "The Ball"]),
        ({"sort": "newest"}, ["Chess 2", "The Ball", "Chess 10"]),
        ({"sort": "newest", "order": "asc"}, ["Chess 10", "The Ball", "Chess 2"]),
        ({"sort": "rating"}, ["The Ball", "Chess 2", "Chess 10"]),
        ({"sort": "rating", "order": "asc"}, ["Chess 2", "The Ball", "Chess 10"]),
        ({"sort": "released"}, ["Chess 10", "Chess 2", "The Ball"]),
        ({"sort": "released", "order": "asc"}, ["Chess 2", "Chess 10", "The Ball"]),
        ({"sort": "relevance"}, ["Chess 2", "The Ball", "Chess 10"]),
        ({"q": "chess"}, ["Chess 2", "Chess 10"]),
        ({"q": "chess", "sort": "name", "order": "desc"}, ["Chess 10", "Chess 2"]),
        ({"q": "chess", "sort": "relevance", "order": "desc"}, ["Chess 2", "Chess 10"]),
    ],
)
def test_games_are_sorted(world: World, wanted: dict[str, str], names: list[str]) -> None:
    _add(world, _facts("Chess 10", year=2020), _facts("The Ball", rating=0.9), _facts("Chess 2", rating=0.5, year=1990))
    assert _names(world.person(), **wanted) == names


@pytest.mark.both_databases
def test_games_are_sorted_by_their_newest_version(world: World) -> None:
    _add(world, _facts("Doom"))
    _add(world, _facts("Portal"), _facts("Quake"), versions=[Release()])
    assert _names(world.person(), sort="updated") == ["Quake", "Portal", "Doom"]


@pytest.mark.both_databases
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", ["name", "newest", "updated", "released", "rating"])
def test_pages_list_every_game_once_and_in_order(world: World, sort: str, order: str) -> None:
    for number in range(7):
        known = number % 2 == 1
        facts = _facts(
            f"Game {number // 3}", rating=number / 10 if known else None, year=1990 + number if known else None
        )
        add_game(world, facts, path=str(number), versions=[Release()] if known else [])
    player = world.admin()
    pages = _pages(player, sort=sort, order=order, limit=2)
    assert [len(page) for page in pages] == [2, 2, 2, 1]
    assert [name for page in pages for name in page] == _names(player, sort=sort, order=order)
    assert _listing(player, limit=2)["total"] == 7


@pytest.mark.both_databases
def test_search_results_are_paginated_too(world: World) -> None:
    _add(world, *(_facts(f"Chess {number}") for number in range(5)))
    player = world.person()
    assert _pages(player, q="chess", limit=2) == [["Chess 0", "Chess 1"], ["Chess 2", "Chess 3"], ["Chess 4"]]
    assert _pages(player, q="chess", sort="newest", limit=3) == [
        ["Chess 4", "Chess 3", "Chess 2"],
        ["Chess 1", "Chess 0"],
    ]


@pytest.mark.both_databases
def test_a_game_added_between_pages_does_not_shift_them(world: World) -> None:
    _add(world, _facts("Doom"), _facts("Portal"), _facts("Quake"))
    player = world.person()
    first = _listing(player, limit=2)
    _add(world, _facts("Rayman"))
    assert _names(player, limit=2, after=first["next"]) == ["Doom"]


def _cursor(*parts: Any) -> str:
    return urlsafe_b64encode(msgspec.json.encode(parts)).decode().rstrip("=")


@pytest.mark.parametrize(
    "after",
    [
        "nonsense",
        "é",
        "A",
        _cursor(),
        _cursor("name", "asc", "doom"),
        _cursor("newest", "desc", "2026-11-20T00:00:00Z", "id"),
        _cursor("name", "desc", "doom", "id"),
        _cursor("name", "asc", None, "id"),
        _cursor("name", "asc", 1, "id"),
        _cursor("name", "asc", "doom\0", "id"),
        _cursor("name", "asc", "doom", "\0"),
    ],
)
def test_an_invalid_cursor_is_rejected(world: World, after: str) -> None:
    refused = world.person().get("/api/v1/store", params={"sort": "name", "after": after})
    assert (refused.status_code, [each["field"] for each in refused.json()["errors"]]) == (400, ["after"])


@pytest.mark.both_databases
@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-11-20T00:00:00"])
def test_a_cursor_with_an_extreme_time_is_accepted(world: World, moment: str) -> None:
    _listing(world.person(), after=_cursor("newest", "desc", moment, "id"))


def test_a_cursor_contains_only_the_position(world: World) -> None:
    (game,) = _add(world, _facts("Doom"), _facts("Quake"))[1:]
    after = _listing(world.person(), sort="name", order="desc", limit=1)["next"]
    assert msgspec.json.decode(urlsafe_b64decode(after + "==")) == ["name", "desc", "quake", game]


@pytest.mark.both_databases
@pytest.mark.parametrize("most", [0, 1000])
@pytest.mark.parametrize("sort", ["name", "released", "rating"])
def test_pages_of_a_filter_are_the_same_whether_few_or_many_games_pass(
    world: World, monkeypatch: pytest.MonkeyPatch, sort: str, most: int
) -> None:
    """Few are all read and sorted, many are found in the index of the sort order."""
    monkeypatch.setattr(queries, "MAX_SORTED", most)
    for number in range(7):
        facts = _facts(f"Game {number}", rating=number / 10 if number % 2 else None, developers=("id",))
        add_game(world, replace(facts, tags=(STRATEGY, SPACE) if number % 3 else (SPACE,)), versions=[Release()])
    player = world.person()
    strategy, space, company = _tag(player, "Strategy"), _tag(player, "Space"), _company(player, "id")
    every = [name for name in _names(player, sort=sort) if name not in ("Game 0", "Game 3", "Game 6")]

    for wanted in ({"tag": strategy}, {"tag": f"{space},{strategy}", "company": company, "platform": "Linux"}):
        pages = _pages(player, sort=sort, limit=2, **wanted)
        assert ([name for page in pages for name in page], _listing(player, **wanted)["total"]) == (every, 4)
    assert _listing(player, company=company, platform="Linux", limit=1)["total"] == 7


@pytest.mark.both_databases
def test_games_are_filtered_by_all_given_tags(world: World) -> None:
    _add(
        world, _facts("Chess", tags=(STRATEGY,)), _facts("Stars", tags=(STRATEGY, SPACE)), _facts("Ship", tags=(SPACE,))
    )
    player = world.person()
    strategy, space = _tag(player, "Strategy"), _tag(player, "Space")
    assert _names(player, tag=strategy, sort="name") == ["Chess", "Stars"]
    assert _names(player, tag=f"{strategy},{space}") == ["Stars"]
    assert _listing(player, tag="nowhere") == {"games": [], "total": 0, "next": None}


def test_more_than_ten_tags_are_rejected(world: World) -> None:
    player = world.person()
    answers = [player.get("/api/v1/store", params={"tag": ",".join("x" * count)}).status_code for count in (10, 11)]
    assert answers == [200, 400]


@pytest.mark.both_databases
def test_games_are_filtered_by_developer_or_publisher(world: World) -> None:
    _add(world, _facts("Portal", developers=("Valve",)), _facts("Garry", publishers=("Valve",)), _facts("Doom"))
    player = world.person()
    assert _names(player, company=_company(player, "Valve"), sort="name") == ["Garry", "Portal"]


@pytest.mark.both_databases
def test_games_are_filtered_by_the_platforms_of_their_versions(world: World) -> None:
    _add(world, _facts("Doom"), versions=[Release(platform="Windows"), Release("2.0")])
    _add(world, _facts("Quake"), versions=[Release()])
    player = world.person()
    assert _names(player, platform="Windows") == ["Doom"]
    assert _names(player, platform="macOS") == []
    assert player.get("/api/v1/store", params={"platform": "Amiga"}).status_code == 400


@pytest.mark.both_databases
def test_a_search_respects_the_filters(world: World) -> None:
    _add(world, _facts("Chess", tags=(STRATEGY,)), _facts("Chess Club", tags=(PUZZLE,)))
    player = world.person()
    listing = _listing(player, q="ches", tag=_tag(player, "Puzzle"))
    assert ([game["name"] for game in listing["games"]], listing["total"]) == (["Chess Club"], 1)


@pytest.mark.parametrize("limit", ["0", "101", "-1", "many", "1.5"])
def test_an_invalid_limit_is_rejected(world: World, limit: str) -> None:
    assert world.person().get("/api/v1/store", params={"limit": limit}).status_code == 400


def test_a_card_has_the_fields_of_a_listing(world: World) -> None:
    facts = _facts("Portal", rating=0.9, year=2007, short="Think with portals.", tags=(PUZZLE, SPACE))
    (game,) = _add(world, facts, versions=[Release(), Release("2", platform="Windows")], pictures=[Role.COVER])
    card = _listing(world.person())["games"][0]
    picture = card.pop("cover")
    assert [(tag["kind"], tag["name"]) for tag in card.pop("tags")] == [("genre", "Puzzle"), ("theme", "Space")]
    assert card.pop("added") <= card.pop("updated")
    assert card == {
        "id": game,
        "name": "Portal",
        "shortDescription": "Think with portals.",
        "released": {"date": "2007-01-01", "precision": "year"},
        "platforms": ["Linux", "Windows"],
        "rating": 0.9,
        "icon": None,
        "banner": None,
    }
    assert picture["id"] in {each["objectId"] for each in picture["renditions"]}


def test_a_card_shows_the_first_tags_only(world: World) -> None:
    tags = tuple(TagFact(TagKind.KEYWORD, f"word {number}") for number in range(9))
    _add(world, _facts("Portal", tags=tags))
    assert [tag["name"] for tag in _listing(world.person())["games"][0]["tags"]] == [tag.name for tag in tags[:5]]


@pytest.mark.both_databases
def test_the_page_of_a_game_shows_all_its_metadata(world: World) -> None:
    facts = GameMetadata(
        "Portal",
        description="Think **with** portals.",
        developers=("Valve",),
        publishers=("Valve", "EA"),
        tags=(PUZZLE,),
        ratings=(RatingFact("IGDB", 0.9, 10, "https://example.org"),),
        age_ratings=(AgeRating("PEGI", "12", ("Violence",)),),
        websites=(Website("official", "https://example.org"),),
        external_ids={"Steam": "400"},
    )
    (game,) = _add(
        world, facts, versions=[Release(), Release("2", only_setup=True)], pictures=[Role.LOGO, Role.CAROUSEL]
    )
    page = world.person().get(f"/api/v1/games/{game}").json()
    assert (page["description"], page["externalIds"]) == ("Think **with** portals.", {"Steam": "400"})
    assert [each["name"] for each in page["developers"] + page["publishers"]] == ["Valve", "Valve", "EA"]
    assert page["ratings"] == [{"source": "IGDB", "score": 0.9, "count": 10, "url": "https://example.org"}]
    assert page["ageRatings"] == [{"board": "PEGI", "value": "12", "descriptors": ["Violence"]}]
    assert page["websites"] == [{"kind": "official", "url": "https://example.org"}]
    assert (page["cover"], page["logo"]["credit"], len(page["carousel"])) == (None, "A painter", 1)
    assert [(each["name"], each["onlySetup"]) for each in page["versions"]] == [("1.0", False), ("2", True)]
    assert (page["sources"]["description"], page["featured"]) == ("Steam", False)


def test_the_page_of_an_unknown_game_is_not_found(world: World) -> None:
    answer = world.person().get("/api/v1/games/3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77")
    assert (answer.status_code, answer.json()["type"]) == (404, "game-unknown")


@pytest.mark.both_databases
def test_featured_games_are_listed_newest_first(world: World) -> None:
    games = _add(world, _facts("Doom"), _facts("Portal"), _facts("Quake"))
    with world.services.db.write() as session:
        session.execute(update(Game).where(Game.id.in_(games[::2])).values(featured=True))
    assert [game["name"] for game in world.person().get("/api/v1/store/featured").json()] == ["Quake", "Doom"]


@pytest.mark.both_databases
def test_used_tags_are_listed_by_kind_and_number_of_games(world: World) -> None:
    _add(world, _facts("A", tags=(PUZZLE, SPACE)), _facts("B", tags=(STRATEGY,)), _facts("C", tags=(STRATEGY,)))
    listed = world.person().get("/api/v1/store/tags").json()
    assert [(each["kind"], each["name"], each["games"]) for each in listed] == [
        ("genre", "Strategy", 2),
        ("genre", "Puzzle", 1),
        ("theme", "Space", 1),
    ]


@pytest.mark.both_databases
def test_a_company_that_is_developer_and_publisher_counts_once(world: World) -> None:
    _add(world, _facts("A", developers=("Valve",), publishers=("Valve",)), _facts("B", publishers=("EA",)))
    listed = world.person().get("/api/v1/store/companies").json()
    assert [(each["name"], each["games"]) for each in listed] == [("EA", 1), ("Valve", 1)]


_CALLS = [
    "/api/v1/store",
    "/api/v1/store/featured",
    "/api/v1/store/tags",
    "/api/v1/store/companies",
    "/api/v1/games/{}",
]


@pytest.mark.parametrize("path", _CALLS)
def test_an_unchanged_response_is_not_sent_again(world: World, path: str) -> None:
    (game,) = _add(world, _facts("Doom", tags=(PUZZLE,), developers=("id",)))
    player, address = world.person(), path.format(game)
    etag = player.get(address).headers["etag"]
    again = player.get(address, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_a_changed_response_is_sent(world: World) -> None:
    _add(world, _facts("Doom"))
    player = world.person()
    etag = player.get("/api/v1/store").headers["etag"]
    _add(world, _facts("Quake"))
    assert player.get("/api/v1/store", headers={"If-None-Match": etag}).status_code == 200


def test_head_returns_the_headers_of_get(world: World) -> None:
    player = world.person()
    alone, whole = player.request("HEAD", "/api/v1/store"), player.get("/api/v1/store")
    assert (alone.status_code, alone.content, alone.headers["etag"]) == (200, b"", whole.headers["etag"])


@pytest.mark.parametrize("path", _CALLS)
def test_reading_the_store_with_a_token_requires_permission(world: World, path: str) -> None:
    player = world.person()
    assert world.token_of(player, "user:read").get(path.format("1")).status_code == 403
    assert world.token_of(player, "user:store:read").get(path.format("1")).status_code in (200, 404)


@pytest.mark.parametrize("accepted", ["gzip", "identity"])
def test_a_long_response_is_compressed_if_the_client_accepts_it(world: World, accepted: str) -> None:
    player = world.person("bob")
    _add(world, *(_facts(f"Game {number}") for number in range(20)))
    plain = player.get("/api/v1/store", headers={"accept-encoding": "identity"})
    packed = player.get("/api/v1/store", headers={"accept-encoding": accepted})
    again = player.get("/api/v1/store", headers={"accept-encoding": accepted, "if-none-match": packed.headers["etag"]})
    assert packed.headers.get("content-encoding", "identity") == accepted
    assert (packed.headers["vary"], packed.json()) == ("Accept-Encoding", plain.json())
    assert (packed.headers["etag"] == plain.headers["etag"]) == (accepted == "identity")
    assert again.status_code == 304
