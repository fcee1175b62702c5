"""PCGamingWiki through its database, and the choice between the two ways."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from databases import SqliteDatabases
from playdock.fetching.requests import Deadline
from playdock.metadata import pcgamingwiki
from playdock.metadata.errors import ProviderError, RateLimited
from playdock.metadata.game_metadata import GameMetadata, Precision, ReleaseDate, TagFact, TagKind, Website
from playdock.metadata.pcgamingwiki_cargo import conditions, introduction, metadata_of
from playdock.metadata.pcgamingwiki_pages import WikiAddresses, name_of
from providers import cargo
from providers import standin as answers
from providers.games import game
from providers.hostile import HOSTILE, deadline_for
from providers.pcgamingwiki import (
    GAMES,
    OPEN,
    WITHOUT_CARGO,
    WITHOUT_REVISIONS,
    PCGamingWikiStandIn,
    WikiQuery,
    title_of,
)
from providers.setup import Setup, open_provider

WIKI = WikiAddresses("http://wiki", "http://images")
HEADS, DATABASE, TEXT = WikiQuery.HEADS, WikiQuery.DATABASE, WikiQuery.TEXT


@pytest.fixture
def standin() -> PCGamingWikiStandIn:
    return PCGamingWikiStandIn(refusing=WITHOUT_REVISIONS)


@pytest.fixture
def setup(standin: PCGamingWikiStandIn, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Setup]:
    with open_provider(pcgamingwiki.set_up, standin, databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


def deadline() -> Deadline:
    return Deadline.after(120)


def names(setup: Setup, query: str) -> list[str]:
    return [found.name for found in setup.provider.search(query, within=deadline())]


def parsed(**fields: str) -> GameMetadata:
    """Return the metadata of a row with some fields."""
    return metadata_of({"pageID": "7", "name": "Portal 2", **fields}, WIKI)


def test_the_metadata_of_portal_2_is_complete(setup: Setup, standin: PCGamingWikiStandIn) -> None:
    known, address = game("Portal 2"), setup.standin.address
    fetched = setup.provider.fetch([str(known.pcgamingwiki_id)], within=deadline())[str(known.pcgamingwiki_id)]

    assert fetched.developers == fetched.publishers == ("Valve Corporation",)
    assert fetched.description.startswith(f"**Portal 2** is a [game]({address}/wiki/Glossary:Game).\n\nThe “Perpetual")
    assert fetched.short.startswith("Portal 2 is a game. The “Perpetual")
    assert fetched.released == ReleaseDate(date(2011, 4, 18))
    assert TagFact(TagKind.PERSPECTIVE, "First-person") in fetched.tags
    assert fetched.websites == (
        Website("wiki", f"{address}/wiki/Portal_2"),
        Website("official", "https://www.portal2.example"),
    )
    assert fetched.external_ids == {"Steam": "620", "PCGamingWiki": str(known.pcgamingwiki_id)}
    assert (len(standin.queries_of(DATABASE)), len(standin.queries_of(TEXT))) == (1, 1)


def test_all_games_take_one_request_without_descriptions(setup: Setup, standin: PCGamingWikiStandIn) -> None:
    fetched = setup.provider.fetch([str(game.pcgamingwiki_id) for game in GAMES], within=deadline())
    assert {each.name for each in fetched.values()} == {name_of(title_of(game)) for game in GAMES}
    assert (len(standin.queries_of(DATABASE)), len(standin.queries_of(TEXT))) == (1, 0)


def test_a_game_whose_page_cannot_be_read_has_no_description(setup: Setup, standin: PCGamingWikiStandIn) -> None:
    standin.refusing = {**WITHOUT_REVISIONS, TEXT: answers.html()}
    (fetched,) = setup.provider.fetch([str(game("Portal 2").pcgamingwiki_id)], within=deadline()).values()
    assert (fetched.name, fetched.description) == ("Portal 2", "")


def test_a_failing_query_method_takes_one_request_per_day(setup: Setup, standin: PCGamingWikiStandIn) -> None:
    for hours, query in ((0, "Portal"), (1, "Half-Life"), (22, "Doom"), (2, "Quake")):
        setup.clock.advance(seconds=hours * 3600)
        assert names(setup, query)
    assert (len(standin.queries_of(HEADS)), len(standin.queries_of(DATABASE))) == (2, 4)


def test_the_other_query_method_is_used_when_the_preferred_one_fails(
    setup: Setup, standin: PCGamingWikiStandIn
) -> None:
    for refusing in (WITHOUT_REVISIONS, WITHOUT_CARGO, WITHOUT_REVISIONS):
        standin.refusing = refusing
        assert setup.provider.fetch([str(game("Portal 2").pcgamingwiki_id)], within=deadline())
        setup.clock.advance(seconds=7200)


def test_a_wiki_without_full_text_search_finds_only_prefixes(setup: Setup, standin: PCGamingWikiStandIn) -> None:
    standin.refusing = {WikiQuery.WORDS: answers.json_answer({"error": {"code": "badvalue"}})}
    assert names(setup, "The Outer") == ["The Outer Worlds"]
    assert names(setup, "outer worlds") == []


def test_the_pages_are_read_first_and_the_database_not_at_all(setup: Setup, standin: PCGamingWikiStandIn) -> None:
    standin.refusing = OPEN
    assert names(setup, "Portal 2") == ["Portal 2"]
    assert standin.queries_of(DATABASE) == []


@pytest.mark.parametrize(
    "response",
    [
        {},
        {"batchcomplete": True},
        {"query": {"pages": []}},
        {"query": {"pages": {"7": {"pageid": 7, "ns": 0, "title": "Portal 2", "revisions": [{"*": "x"}]}}}},
        {"query": {"pages": [{"pageid": 7, "ns": 0, "title": "Portal 2"}]}},
        {"error": {"code": "readapidenied"}},
        {"error": None},
    ],
)
def test_pages_without_texts_are_not_a_valid_response(
    setup: Setup, standin: PCGamingWikiStandIn, response: object
) -> None:
    standin.refusing = {HEADS: answers.json_answer(response)}
    assert names(setup, "Portal 2") == ["Portal 2"]


@pytest.mark.parametrize("response", [{}, {"cargoquery": None}, {"cargoquery": [7]}, {"title": {}}, [], 7])
def test_an_invalid_response_of_the_database_is_an_error(
    setup: Setup, standin: PCGamingWikiStandIn, response: object
) -> None:
    standin.refusing = {**WITHOUT_REVISIONS, DATABASE: answers.json_answer(response)}
    with pytest.raises(ProviderError, match="readapidenied"):
        setup.provider.search("Portal 2", within=deadline())


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(("first", "closed"), [("heads", HEADS), ("Cargo", DATABASE)])
def test_a_hostile_response_fails_only_one_search(
    setup: Setup, standin: PCGamingWikiStandIn, first: str, closed: WikiQuery, name: str
) -> None:
    setup.provider_store.cache_response(
        "PCGamingWiki", pcgamingwiki.PREFERRED_WAY, first.encode(), lifetime=timedelta(days=1)
    )
    standin.refusing = {closed: HOSTILE[name]()}
    with suppress(ProviderError):
        setup.provider.search("Portal 2", within=deadline_for(name, hanging=0.5))
    setup.clock.advance(seconds=3600)
    assert names(setup, "Portal 2") == ["Portal 2"]


def test_our_own_rate_limit_does_not_change_the_preferred_query_method(
    setup: Setup, standin: PCGamingWikiStandIn
) -> None:
    standin.refusing = OPEN
    setup.provider_store.block("PCGamingWiki", seconds=600)
    with pytest.raises(RateLimited):
        setup.provider.fetch(["7"], within=deadline())
    setup.clock.advance(seconds=600)
    assert names(setup, "Portal 2") == ["Portal 2"]
    assert standin.queries_of(DATABASE) == []


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=st.text("\"'\\%;&*()=- OR\n\ud800ab", min_size=1, max_size=40) | st.text(min_size=1, max_size=40))
def test_no_title_makes_a_malformed_query(setup: Setup, title: str) -> None:
    setup.provider.fetch([f"wiki/{title}"], within=Deadline.after(1_000_000))
    assert setup.standin.refusals == []


@given(title=st.text("\"'\\%;&#*()=- OR\nab", min_size=1, max_size=40) | st.text(min_size=1, max_size=40))
def test_a_condition_matches_exactly_the_title(title: str) -> None:
    for condition in conditions("_pageName", [title]):
        (read,) = cargo.conditions(condition, table="Infobox_game")
        assert (read.field, read.value) == ("_pageName", title)


def test_every_valid_title_has_a_condition() -> None:
    assert len(conditions("_pageName", [title_of(game) for game in GAMES])) == len(GAMES)
    assert conditions("_pageName", ["A -- B", "#", "&quot; OR 1=1", "&#34;"]) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"Released": "2011-04-18"}, ReleaseDate(date(2011, 4, 18))),
        ({"Released": "2011-04-18 00:00:00"}, ReleaseDate(date(2011, 4, 18))),
        ({"Released": "2013-01-01;2011-04-18;TBA"}, ReleaseDate(date(2011, 4, 18))),
        ({"Released_Linux": "2013-05-06", "Released": "2014-01-01"}, ReleaseDate(date(2013, 5, 6))),
        ({"Released": "2011-04-18", "Released__precision": "2"}, ReleaseDate(date(2011, 4, 1), Precision.MONTH)),
        ({"Released": "2031-01-01", "Released__precision": "3"}, ReleaseDate(date(2031, 1, 1), Precision.YEAR)),
        ({"Released": "April 2011"}, ReleaseDate(date(2011, 4, 1), Precision.MONTH)),
        ({"Released": "2011-02-30"}, None),
        ({"Released": "0000-00-00"}, None),
        ({"Released": ""}, None),
        ({}, None),
    ],
)
def test_the_earliest_date_is_used_with_its_precision(fields: dict[str, str], expected: object) -> None:
    assert parsed(**fields).released == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Company:Valve,Company:Hidden Path", ("Valve", "Hidden Path")),
        ("Company:Wube Software, Ltd.,Company:B", ("Wube Software, Ltd.", "B")),
        ("Company:A, Company:A,", ("A",)),
        ("A,B,", ("A", "B")),
        ("", ()),
    ],
)
def test_company_names_may_contain_commas(text: str, expected: tuple[str, ...]) -> None:
    assert parsed(Developers=text).developers == expected


@pytest.mark.parametrize(
    ("cover", "expected"),
    [
        ("http://images/a/b.jpg", ["http://images/a/b.jpg"]),
        ("https://elsewhere.example/x/Pragmata_cover.jpg", ["http://images/f/fb/Pragmata_cover.jpg"]),
        ("https://elsewhere.example/x.svg", []),
        ("javascript:alert(1)", []),
        ("", []),
    ],
)
def test_covers_are_on_the_image_server_of_the_settings(cover: str, expected: list[str]) -> None:
    assert [offer.address for offer in parsed(Cover_URL=cover).pictures] == expected


def test_the_first_id_is_that_of_the_game_and_the_official_site_may_be_a_link() -> None:
    fetched = parsed(Steam_AppID="620, 629", GOGcom_ID="x", Official_URL="[https://a.example A game]")
    assert fetched.external_ids == {"Steam": "620", "PCGamingWiki": "7"}
    assert fetched.websites[1] == Website("official", "https://a.example")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<div class="introduction">a<div>b</div>c</div>d', "a<div>b</div>c"),
        ("<p class='x introduction y' id=z>a<pre>b</pre></p>d", "a<pre>b</pre>"),
        ('<div class="introduction">a<sup class="r">[1]</sup>b</div>', "ab"),
        ('<div class="introduction">a<sup>[1]', "a"),
        ('<div class="introductions">a</div>', ""),
        ('<div class="introduction"', ""),
        ("<" * 100_000, ""),
        ('<div class="introduction">' + "<div>" * 50_000 + "<sup>" * 2, "<div>" * 50_000),
        ("", ""),
    ],
)
def test_the_introduction_is_extracted_from_a_page(page: str, expected: str) -> None:
    assert introduction(page) == expected
