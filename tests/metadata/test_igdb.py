"""IGDB: its token, its query language, what becomes of its records. What all providers promise is in the contract."""

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
from playdock.fetching.web import Deadline
from playdock.metadata import igdb
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import AgeRating, Precision, ReleaseDate, Role
from playdock.metadata.igdb import Igdb, quoted
from playdock.metadata.igdb_games import IgdbGame, facts_of
from playdock.metadata.office import Office
from playdock.metadata.reading import read
from playdock.settings import Settings
from providers import apicalypse
from providers.counter import Counter, open_counter
from providers.games import GAMES, Kind, game
from providers.igdb import IgdbStandIn
from providers.standin import json_answer, other_json


@pytest.fixture
def counter(databases: Databases, tmp_path: Path) -> Iterator[Counter]:
    with open_counter(igdb.set_up, IgdbStandIn(), databases=databases, folder=tmp_path) as opened:
        yield opened


@pytest.fixture
def there(counter: Counter) -> IgdbStandIn:
    assert isinstance(counter.standin, IgdbStandIn)
    return counter.standin


@pytest.fixture
def adapter(counter: Counter) -> Igdb:
    assert isinstance(counter.provider, Igdb)
    return counter.provider


@pytest.fixture
def clock(counter: Counter) -> StillClock:
    return counter.clock


def _soon() -> Deadline:
    return Deadline.after(10)


def _facts(**record: Any) -> Any:
    return facts_of(read(IgdbGame, {"id": 1, "name": "A game"} | record), images="http://images")


@pytest.mark.parametrize("named", [{}, {"igdb_client_id": "a"}, {"igdb_client_secret": "b"}])
def test_it_is_off_until_both_id_and_secret_are_set(adapter: Igdb, named: dict[str, str]) -> None:
    office = Office(adapter.desk.web, adapter.desk.ledger, "Playdock/test")
    assert igdb.set_up(msgspec.convert(named, Settings), office) is None


# --- Searching ---


def test_a_search_is_one_request(there: IgdbStandIn, adapter: Igdb) -> None:
    found = adapter.search("Portal", within=_soon())

    assert {"Portal", "Portal 2"} <= {each.name for each in found}
    assert len(there.asked("/v4/games")) == 1


def test_what_is_not_on_a_pc_is_found_and_told_apart(adapter: Igdb) -> None:
    found = {each.name: each.on_pc for each in adapter.search("Portal", within=_soon())}

    assert found["Portal"]
    assert not found["Portal: Breath of the Console"]


def test_part_of_a_word_is_found_by_the_second_query_alone(there: IgdbStandIn, adapter: Igdb) -> None:
    assert "Stardew Valley" in {each.name for each in adapter.search("tardew Val", within=_soon())}
    assert len(there.asked("/v4/games")) == 2


def test_an_answer_is_kept_for_a_day(there: IgdbStandIn, adapter: Igdb, clock: StillClock) -> None:
    for hours in (0, 23, 2):
        clock.advance(seconds=hours * 3600)
        adapter.search("Portal", within=_soon())

    assert len(there.asked("/v4/games")) == 2


def test_an_answer_of_no_use_is_not_kept(there: IgdbStandIn, adapter: Igdb) -> None:
    there.bend("/v4/games", other_json(), times=1)

    with pytest.raises(ProviderFault, match="unexpected"):
        adapter.search("Portal", within=_soon())
    assert adapter.search("Portal", within=_soon())


@pytest.mark.parametrize("query", ["", "  ", "\n\t", "\x00\ud800"])
def test_nothing_is_not_searched(there: IgdbStandIn, adapter: Igdb, query: str) -> None:
    assert adapter.search(query, within=_soon()) == []
    assert not there.requests


@given(st.text(max_size=60))
def test_any_text_is_one_string_of_the_language(text: str) -> None:
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
def test_extras_and_machines_are_told(
    there: IgdbStandIn, adapter: Igdb, record: dict[str, object], *, extra: bool, on_pc: bool
) -> None:
    there.bend("/v4/games", json_answer([{"id": 5, "name": "Some"} | record]))

    (found,) = adapter.search("Some", within=_soon())

    assert (found.extra, found.on_pc) == (extra, on_pc)


# --- Fetching ---


def test_any_number_of_games_is_one_request(there: IgdbStandIn, adapter: Igdb) -> None:
    games = [each for each in GAMES if each.kind is Kind.GAME]

    known = adapter.fetch([str(each.igdb_id) for each in games] + ["1", "x", '1") | id = (2'], within=_soon())

    assert {game_id: facts.name for game_id, facts in known.items()} == {str(each.igdb_id): each.name for each in games}
    assert len(there.asked("/v4/games")) == 1


def test_more_than_500_games_are_as_many_requests_as_needed(there: IgdbStandIn, adapter: Igdb) -> None:
    adapter.fetch([str(number) for number in range(1, 1002)], within=_soon())

    assert len(there.asked("/v4/games")) == 3


def test_nothing_is_asked_for_ids_that_are_none(there: IgdbStandIn, adapter: Igdb) -> None:
    assert adapter.fetch(["", "steam-1", "-5", "9" * 40, "\u0663"], within=_soon()) == {}
    assert not there.requests


def test_the_facts_are_all_there(there: IgdbStandIn, adapter: Igdb) -> None:
    wanted = game("Portal 2")

    facts = adapter.fetch(["72"], within=_soon())["72"]

    assert (facts.name, facts.released) == ("Portal 2", ReleaseDate(date(2011, 4, 18)))
    assert (facts.developers, facts.publishers) == (("Valve",), ("Valve",))
    assert facts.short == wanted.summary
    assert facts.description.splitlines()[-1] == "GLaDOS & Wheatley"
    assert [(each.source, each.score, each.count) for each in facts.ratings] == [
        ("IGDB", 0.965, 390052),
        ("IGDB critics", 0.95, 52),
        ("IGDB users", 0.98, 390000),
    ]
    assert facts.age_ratings == (AgeRating("PEGI", "12", ("Violence",)), AgeRating("ESRB", "E10+"))
    assert facts.external_ids == {"IGDB": "72", "Steam": "620"}
    assert [(each.kind, each.url) for each in facts.websites] == [
        ("database", there.page(wanted)),
        ("official", wanted.website),
    ]


def test_pictures_have_their_roles_and_can_be_downloaded(adapter: Igdb) -> None:
    facts = adapter.fetch(["72"], within=_soon())["72"]

    roles = [each.role for each in facts.pictures]
    assert roles == [Role.COVER, Role.ICON, Role.BANNER, Role.BANNER, Role.CAROUSEL, Role.CAROUSEL, Role.CAROUSEL]
    assert facts.pictures[2].address.endswith("wide.jpg")
    assert all(adapter.download(each, within=_soon()).startswith(b"\xff\xd8") for each in facts.pictures)


def test_the_page_of_a_game_leads_to_its_id(there: IgdbStandIn, adapter: Igdb) -> None:
    second = next(each for each in GAMES if each.name == "Prey" and each.year == 2017)

    recognised = adapter.recognise(there.page(second))

    assert recognised
    assert [*adapter.fetch([recognised], within=_soon())] == [str(second.igdb_id)]


@pytest.mark.parametrize(
    ("query", "recognised"),
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
def test_ids_tags_and_pages_are_recognised(adapter: Igdb, query: str, recognised: str | None) -> None:
    assert adapter.recognise(query) == recognised


@pytest.mark.parametrize(
    ("form", "expected"),
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
def test_a_date_is_as_exact_as_its_format(form: str, expected: ReleaseDate | None) -> None:
    releases = [
        {"date": 1814313600, "date_format": {"format": form}},
        {"date": 1, "date_format": {"format": "YYYYMMDD"}},
    ]

    assert _facts(first_release_date=1814313600, release_dates=releases).released == expected


@pytest.mark.parametrize(
    ("moment", "expected"),
    [(None, None), (1814313600, ReleaseDate(date(2027, 6, 30))), (-631152001, None), (10**15, None), ("x", None)],
)
def test_dates_without_a_format_are_days_and_absurd_ones_left_out(moment: object, expected: ReleaseDate | None) -> None:
    assert _facts(first_release_date=moment).released == expected


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
def test_age_ratings_come_from_records_or_from_the_old_numbers(rating: object, expected: AgeRating | None) -> None:
    assert _facts(age_ratings=[rating]).age_ratings == ((expected,) if expected else ())


def test_what_is_wrong_in_a_record_does_not_cost_the_rest() -> None:
    facts = _facts(
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

    assert [tag.name for tag in facts.tags] == ["Puzzle"]
    assert [(each.source, each.score) for each in facts.ratings] == [("IGDB users", 0.9)]
    assert {each.role for each in facts.pictures} == {Role.CAROUSEL}
    assert (len(facts.pictures), len(facts.developers)) == (12, 20)
    assert [(each.kind, each.url) for each in facts.websites] == [("store", "https://a.example")]
    assert facts.external_ids == {"IGDB": "1", "Steam": "5"}


def test_markup_in_plain_text_stays_text() -> None:
    facts = _facts(summary="<b>A</b> & [link](https://c.example)\nnext line\n\n# second")

    assert facts.short == "<b>A</b> & [link](https://c.example) next line # second"
    assert facts.description.startswith(r"\<b>A\</b> & \[link\](https://c.example)")
    assert facts.description.count("\n\n") == 1


@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_no_value_of_any_field_does_harm(value: object) -> None:
    record = dict.fromkeys(IgdbGame.__struct_fields__, value)

    assert _facts(**(record | {"id": 1, "name": "A game"})).name == "A game"


def test_names_are_cut(there: IgdbStandIn, adapter: Igdb) -> None:
    there.bend("/v4/games", json_answer([{"id": 5, "name": "long " * 100_000}, {"id": 6, "name": " \n"}, {"id": 0}]))

    (found,) = adapter.search("Some", within=_soon())

    assert len(found.name) <= 256


def test_the_query_is_text_in_utf8(there: IgdbStandIn, adapter: Igdb) -> None:
    assert [each.name for each in adapter.search("Brütal", within=_soon())] == ["Brütal Legend"]
    (asked,) = there.asked("/v4/games")
    assert "Brütal" in asked.body.decode()
    assert json.dumps(asked.headers["client-id"]) == '"igdb-client"'
