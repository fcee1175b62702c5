"""IGDB: its query language and records. The contract of all providers is tested in `test_contract.py`."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clocks import StillClock
from databases import Databases
from playdock.fetching.requests import Deadline
from playdock.metadata import igdb
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import AgeRating, Precision, ReleaseDate, Role
from playdock.metadata.igdb import Igdb, quoted
from playdock.metadata.igdb_games import IgdbGame, metadata_of
from playdock.metadata.providers import match_of_metadata
from playdock.metadata.reading import read
from playdock.settings import Settings
from providers import apicalypse
from providers.games import GAMES, Kind, game
from providers.igdb import IgdbStandIn
from providers.setup import Setup, open_provider
from providers.standin import json_answer, other_json


@pytest.fixture
def setup(databases: Databases, tmp_path: Path) -> Iterator[Setup]:
    with open_provider(igdb.set_up, IgdbStandIn(), databases=databases, folder=tmp_path) as opened:
        yield opened


@pytest.fixture
def standin(setup: Setup) -> IgdbStandIn:
    assert isinstance(setup.standin, IgdbStandIn)
    return setup.standin


@pytest.fixture
def adapter(setup: Setup) -> Igdb:
    assert isinstance(setup.provider, Igdb)
    return setup.provider


@pytest.fixture
def clock(setup: Setup) -> StillClock:
    return setup.clock


def _deadline() -> Deadline:
    return Deadline.after(120)


def _metadata(**record: Any) -> Any:
    return metadata_of(read(IgdbGame, {"id": 1, "name": "A game"} | record), images="http://images")


@pytest.mark.parametrize("named", [{}, {"igdb_client_id": "a"}, {"igdb_client_secret": "b"}])
def test_the_provider_is_disabled_until_both_id_and_secret_are_set(adapter: Igdb, named: dict[str, str]) -> None:
    factory = ProviderClientFactory(adapter.client.web, adapter.client.provider_store, "Playdock/test")
    assert igdb.set_up(msgspec.convert(named, Settings), factory) is None


# --- Searching ---


def test_a_search_takes_one_request(standin: IgdbStandIn, adapter: Igdb) -> None:
    results = adapter.search("Portal", within=_deadline())

    assert {"Portal", "Portal 2"} <= {each.name for each in results}
    assert len(standin.requests_to("/v4/games")) == 1


def test_a_summary_keeps_its_paragraphs_in_search_results(adapter: Igdb) -> None:
    (found,) = [each for each in adapter.search("Outer Wilds", within=_deadline()) if each.name == "Outer Wilds"]
    metadata = adapter.fetch([found.id], within=_deadline())[found.id]

    assert found.description == "A solar system in a time loop.\n\nExplore it."
    assert match_of_metadata(adapter, found.id, metadata).description == found.description
    assert metadata.short == "A solar system in a time loop. Explore it."


def test_console_games_are_found_and_marked(adapter: Igdb) -> None:
    results = {each.name: each.on_pc for each in adapter.search("Portal", within=_deadline())}

    assert results["Portal"]
    assert not results["Portal: Breath of the Console"]


def test_part_of_a_word_is_found_only_by_the_second_query(standin: IgdbStandIn, adapter: Igdb) -> None:
    assert "Stardew Valley" in {each.name for each in adapter.search("tardew Val", within=_deadline())}
    assert len(standin.requests_to("/v4/games")) == 2


def test_a_search_is_cached_for_a_day(standin: IgdbStandIn, adapter: Igdb, clock: StillClock) -> None:
    for hours in (0, 23, 2):
        clock.advance(seconds=hours * 3600)
        adapter.search("Portal", within=_deadline())

    assert len(standin.requests_to("/v4/games")) == 2


def test_an_unusable_response_is_not_cached(standin: IgdbStandIn, adapter: Igdb) -> None:
    standin.override("/v4/games", other_json(), times=1)

    with pytest.raises(ProviderError, match="unexpected"):
        adapter.search("Portal", within=_deadline())
    assert adapter.search("Portal", within=_deadline())


@pytest.mark.parametrize("query", ["", "  ", "\n\t", "\x00\ud800"])
def test_an_empty_query_is_not_sent(standin: IgdbStandIn, adapter: Igdb, query: str) -> None:
    assert adapter.search(query, within=_deadline()) == []
    assert not standin.requests


@given(st.text(max_size=60))
def test_any_text_becomes_one_string_literal(text: str) -> None:
    query = apicalypse.parse(f"search {quoted(text)}; fields name; limit 5;")

    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    assert query.search == " ".join(printable.split())


@pytest.mark.parametrize(
    ("record", "extra", "on_pc"),
    [
        ({}, False, True),
        ({"game_type": 0, "platforms": [6, 48]}, False, True),
        ({"game_type": 1, "platforms": [6]}, True, True),
        ({"game_type": 4}, False, True),
        ({"game_type": 5}, True, True),
        ({"platforms": [130, 48]}, False, False),
        ({"platforms": ["x", None, 13]}, False, True),
    ],
)
def test_extras_and_platforms_are_recognized(
    standin: IgdbStandIn, adapter: Igdb, record: dict[str, object], *, extra: bool, on_pc: bool
) -> None:
    standin.override("/v4/games", json_answer([{"id": 5, "name": "Some"} | record]))

    (results,) = adapter.search("Some", within=_deadline())

    assert (results.extra, results.on_pc) == (extra, on_pc)


# --- Fetching ---


def test_many_games_take_one_request(standin: IgdbStandIn, adapter: Igdb) -> None:
    games = [each for each in GAMES if each.kind is Kind.GAME]

    known = adapter.fetch([str(each.igdb_id) for each in games] + ["1", "x", '1") | id = (2'], within=_deadline())

    assert {game_id: each.name for game_id, each in known.items()} == {str(each.igdb_id): each.name for each in games}
    assert len(standin.requests_to("/v4/games")) == 1


def test_more_than_500_games_take_several_requests(standin: IgdbStandIn, adapter: Igdb) -> None:
    adapter.fetch([str(number) for number in range(1, 1002)], within=_deadline())

    assert len(standin.requests_to("/v4/games")) == 3


def test_invalid_ids_cause_no_request(standin: IgdbStandIn, adapter: Igdb) -> None:
    assert adapter.fetch(["", "steam-1", "-5", "9" * 40, "\u0663"], within=_deadline()) == {}
    assert not standin.requests


def test_the_metadata_is_complete(standin: IgdbStandIn, adapter: Igdb) -> None:
    known = game("Portal 2")

    metadata = adapter.fetch(["72"], within=_deadline())["72"]

    assert (metadata.name, metadata.released) == ("Portal 2", ReleaseDate(date(2011, 4, 18)))
    assert (metadata.developers, metadata.publishers) == (("Valve",), ("Valve",))
    assert metadata.short == known.summary
    assert metadata.description.splitlines()[-1] == "GLaDOS & Wheatley"
    assert [(each.source, each.score, each.count) for each in metadata.ratings] == [
        ("IGDB", 0.965, 390052),
        ("IGDB critics", 0.95, 52),
        ("IGDB users", 0.98, 390000),
    ]
    assert metadata.age_ratings == (AgeRating("PEGI", "12", ("Violence",)), AgeRating("ESRB", "E10+"))
    assert metadata.external_ids == {"IGDB": "72", "Steam": "620"}
    assert [(each.kind, each.url) for each in metadata.websites] == [
        ("database", standin.page(known)),
        ("official", known.website),
    ]


def test_images_have_their_roles_and_can_be_downloaded(adapter: Igdb) -> None:
    metadata = adapter.fetch(["72"], within=_deadline())["72"]

    roles = [each.role for each in metadata.pictures]
    assert roles == [Role.COVER, Role.ICON, Role.BANNER, Role.BANNER, Role.CAROUSEL, Role.CAROUSEL, Role.CAROUSEL]
    assert metadata.pictures[2].address.endswith("wide.jpg")
    assert all(adapter.download(each, within=_deadline()).startswith(b"\xff\xd8") for each in metadata.pictures)


def test_the_page_of_a_game_leads_to_its_id(standin: IgdbStandIn, adapter: Igdb) -> None:
    second = next(each for each in GAMES if each.name == "Prey" and each.year == 2017)

    recognized = adapter.recognize(standin.page(second))

    assert recognized
    assert [*adapter.fetch([recognized], within=_deadline())] == [str(second.igdb_id)]


@pytest.mark.parametrize(
    ("query", "recognized"),
    [
        ("1942", "1942"),
        (" 1942 ", "1942"),
        ("igdb-1942", "1942"),
        ("The Witcher 3 (IGDB-1942)", "1942"),
        ("https://www.igdb.com/games/the-witcher-3-wild-hunt", "/games/the-witcher-3-wild-hunt"),
        ("http://www.igdb.com/games/2048/?a=b#c", "/games/2048/"),
        ("https://www.igdb.com/companies/valve", None),
        ("https://igdb.com.example/games/portal", None),
        ("https://example.org/games/portal", None),
        ("steam-570", None),
        ("Portal", None),
        ("-1", None),
        ("", None),
    ],
)
def test_ids_tags_and_pages_are_recognized(adapter: Igdb, query: str, recognized: str | None) -> None:
    assert adapter.recognize(query) == recognized


@pytest.mark.parametrize(
    ("date_format", "expected"),
    [
        ("YYYYMMMMDD", ReleaseDate(date(2027, 6, 30), Precision.DAY)),
        ("YYYYMMDD", ReleaseDate(date(2027, 6, 30), Precision.DAY)),
        ("YYYYMMMM", ReleaseDate(date(2027, 6, 1), Precision.MONTH)),
        ("YYYYQ2", ReleaseDate(date(2027, 4, 1), Precision.QUARTER)),
        ("YYYY", ReleaseDate(date(2027, 1, 1), Precision.YEAR)),
        ("TBD", None),
        ("", None),
    ],
)
def test_a_date_has_the_precision_of_its_format(date_format: str, expected: ReleaseDate | None) -> None:
    releases = [
        {"date": 1814313600, "date_format": {"format": date_format}},
        {"date": 1, "date_format": {"format": "YYYYMMDD"}},
    ]

    assert _metadata(first_release_date=1814313600, release_dates=releases).released == expected


@pytest.mark.parametrize(
    ("moment", "expected"),
    [(None, None), (1814313600, ReleaseDate(date(2027, 6, 30))), (-631152001, None), (10**15, None), ("x", None)],
)
def test_dates_without_a_format_are_days_unless_implausible(moment: object, expected: ReleaseDate | None) -> None:
    assert _metadata(first_release_date=moment).released == expected


@pytest.mark.parametrize(
    ("rating", "expected"),
    [
        ({"category": 2, "rating": 5}, AgeRating("PEGI", "18")),
        ({"category": 1, "rating": 9}, AgeRating("ESRB", "E10+")),
        ({"category": 4, "rating": 22}, AgeRating("USK", "18")),
        ({"category": 3, "rating": 17}, AgeRating("CERO", "Z")),
        ({"category": 5, "rating": 23}, AgeRating("GRAC", "All")),
        ({"category": 6, "rating": 28}, AgeRating("CLASS_IND", "L")),
        ({"category": 7, "rating": 39}, AgeRating("ACB", "RC")),
        (
            {"category": 2, "rating": 5, "organization": {"name": "USK"}, "rating_category": {"rating": "12"}},
            AgeRating("USK", "12"),
        ),
        ({"category": 2, "rating": 40}, None),
        ({"category": 9, "rating": 1}, None),
        ({"category": 2, "rating": -1}, None),
        (7, None),
    ],
)
def test_age_ratings_come_from_records_or_deprecated_numbers(rating: object, expected: AgeRating | None) -> None:
    assert _metadata(age_ratings=[rating]).age_ratings == ((expected,) if expected else ())


def test_an_invalid_value_in_a_record_affects_only_itself() -> None:
    metadata = _metadata(
        summary=7,
        genres=[3, {"name": None}, {"name": "Puzzle"}],
        total_rating="much",
        aggregated_rating=250,
        rating=90,
        cover={"image_id": "../../../etc/passwd"},
        screenshots=[{"image_id": f"s{number}"} for number in range(50)],
        involved_companies=[{"company": {"name": f"Company {number}"}, "developer": True} for number in range(50)],
        websites=[{"url": "javascript:alert(1)", "type": 1}, {"url": "https://a.example", "type": "13"}],
        external_games=[{"uid": "1' OR 1", "external_game_source": 1}, {"uid": "5", "external_game_source": 1}],
    )

    assert [tag.name for tag in metadata.tags] == ["Puzzle"]
    assert [(each.source, each.score) for each in metadata.ratings] == [("IGDB users", 0.9)]
    assert {each.role for each in metadata.pictures} == {Role.CAROUSEL}
    assert (len(metadata.pictures), len(metadata.developers)) == (12, 20)
    assert [(each.kind, each.url) for each in metadata.websites] == [("store", "https://a.example")]
    assert metadata.external_ids == {"IGDB": "1", "Steam": "5"}


def test_markup_in_plain_text_is_kept_as_text() -> None:
    metadata = _metadata(summary="<b>A</b> & [link](https://c.example)\nnext line\n\n# second")

    assert metadata.short == "<b>A</b> & [link](https://c.example) next line # second"
    assert metadata.description.startswith(r"\<b>A\</b> & \[link\](https://c.example)")
    assert metadata.description.count("\n\n") == 1


@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_any_value_of_any_field_is_harmless(value: object) -> None:
    record = dict.fromkeys(IgdbGame.__struct_fields__, value)

    assert _metadata(**(record | {"id": 1, "name": "A game"})).name == "A game"


def test_long_names_are_cut(standin: IgdbStandIn, adapter: Igdb) -> None:
    standin.override(
        "/v4/games", json_answer([{"id": 5, "name": "long " * 100_000}, {"id": 6, "name": " \n"}, {"id": 0}])
    )

    (results,) = adapter.search("Some", within=_deadline())

    assert len(results.name) <= 256


def test_the_query_is_sent_as_utf8_text(standin: IgdbStandIn, adapter: Igdb) -> None:
    assert [each.name for each in adapter.search("Brütal", within=_deadline())] == ["Brütal Legend"]
    (request,) = standin.requests_to("/v4/games")
    assert "Brütal" in request.body.decode()
    assert json.dumps(request.headers["client-id"]) == '"igdb-client"'
