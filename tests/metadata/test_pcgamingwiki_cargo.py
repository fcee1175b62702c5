"""PCGamingWiki by its database, and by whichever way is open."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from databases import SqliteDatabases
from playdock.fetching.web import Deadline
from playdock.metadata import pcgamingwiki
from playdock.metadata.errors import ProviderFault, TooOften
from playdock.metadata.facts import GameFacts, Precision, ReleaseDate, TagFact, TagKind, Website
from playdock.metadata.pcgamingwiki_cargo import conditions, facts_of, introduction
from playdock.metadata.pcgamingwiki_pages import Wiki, name_of
from providers import cargo
from providers import standin as answers
from providers.counter import Counter, open_counter
from providers.games import game
from providers.hostile import HOSTILE
from providers.pcgamingwiki import (
    GAMES,
    OPEN,
    WITHOUT_CARGO,
    WITHOUT_REVISIONS,
    PCGamingWikiStandIn,
    Question,
    title_of,
)
from providers.standin import Answer

WIKI = Wiki("http://wiki", "http://images")
HEADS, DATABASE, TEXT = Question.HEADS, Question.DATABASE, Question.TEXT


@pytest.fixture
def standin() -> PCGamingWikiStandIn:
    return PCGamingWikiStandIn(refusing=WITHOUT_REVISIONS)


@pytest.fixture
def counter(standin: PCGamingWikiStandIn, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Counter]:
    with open_counter(pcgamingwiki.set_up, standin, databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


def soon() -> Deadline:
    return Deadline.after(30)


def names(counter: Counter, query: str) -> list[str]:
    return [found.name for found in counter.provider.search(query, within=soon())]


def told(**fields: str) -> GameFacts:
    """Read a row of which only some fields are given."""
    return facts_of({"pageID": "7", "name": "Portal 2", **fields}, WIKI)


def test_portal_2_is_told_of_as_the_database_and_the_page_do(counter: Counter, standin: PCGamingWikiStandIn) -> None:
    wanted, address = game("Portal 2"), counter.standin.address
    facts = counter.provider.fetch([str(wanted.pcgamingwiki_id)], within=soon())[str(wanted.pcgamingwiki_id)]

    assert facts.developers == facts.publishers == ("Valve Corporation",)
    assert facts.description.startswith(f"**Portal 2** is a [game]({address}/wiki/Glossary:Game).\n\nThe “Perpetual")
    assert facts.short.startswith("Portal 2 is a game. The “Perpetual")
    assert facts.released == ReleaseDate(date(2011, 4, 18))
    assert TagFact(TagKind.PERSPECTIVE, "First-person") in facts.tags
    assert facts.websites == (
        Website("wiki", f"{address}/wiki/Portal_2"),
        Website("official", "https://www.portal2.example"),
    )
    assert facts.external_ids == {"Steam": "620", "PCGamingWiki": str(wanted.pcgamingwiki_id)}
    assert (len(standin.put(DATABASE)), len(standin.put(TEXT))) == (1, 1)


def test_all_games_are_a_request_to_the_database_and_none_for_texts(
    counter: Counter, standin: PCGamingWikiStandIn
) -> None:
    facts = counter.provider.fetch([str(game.pcgamingwiki_id) for game in GAMES], within=soon())
    assert {each.name for each in facts.values()} == {name_of(title_of(game)) for game in GAMES}
    assert (len(standin.put(DATABASE)), len(standin.put(TEXT))) == (1, 0)


def test_without_the_text_of_its_page_a_game_has_no_description(counter: Counter, standin: PCGamingWikiStandIn) -> None:
    standin.refusing = {**WITHOUT_REVISIONS, TEXT: answers.html()}
    (facts,) = counter.provider.fetch([str(game("Portal 2").pcgamingwiki_id)], within=soon()).values()
    assert (facts.name, facts.description) == ("Portal 2", "")


def test_a_way_that_is_refused_costs_one_request_a_day(counter: Counter, standin: PCGamingWikiStandIn) -> None:
    for hours, query in ((0, "Portal"), (1, "Half-Life"), (22, "Doom"), (2, "Quake")):
        counter.clock.advance(seconds=hours * 3600)
        assert names(counter, query)
    assert (len(standin.put(HEADS)), len(standin.put(DATABASE))) == (2, 4)


def test_the_way_that_opens_is_found_when_the_other_closes(counter: Counter, standin: PCGamingWikiStandIn) -> None:
    for refusing in (WITHOUT_REVISIONS, WITHOUT_CARGO, WITHOUT_REVISIONS):
        standin.refusing = refusing
        assert counter.provider.fetch([str(game("Portal 2").pcgamingwiki_id)], within=soon())
        counter.clock.advance(seconds=7200)


def test_a_wiki_without_a_search_for_words_has_only_what_begins_so(
    counter: Counter, standin: PCGamingWikiStandIn
) -> None:
    standin.refusing = {Question.WORDS: answers.json_answer({"error": {"code": "badvalue"}})}
    assert names(counter, "The Outer") == ["The Outer Worlds"]
    assert names(counter, "outer worlds") == []


def test_the_pages_are_asked_first_and_the_database_not_at_all(counter: Counter, standin: PCGamingWikiStandIn) -> None:
    standin.refusing = OPEN
    assert names(counter, "Portal 2") == ["Portal 2"]
    assert standin.put(DATABASE) == []


@pytest.mark.parametrize(
    "answer",
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
def test_pages_without_texts_are_no_answer(counter: Counter, standin: PCGamingWikiStandIn, answer: object) -> None:
    standin.refusing = {HEADS: answers.json_answer(answer)}
    assert names(counter, "Portal 2") == ["Portal 2"]


@pytest.mark.parametrize("answer", [{}, {"cargoquery": None}, {"cargoquery": [7]}, {"title": {}}, [], 7])
def test_a_database_that_answers_otherwise_is_a_fault(
    counter: Counter, standin: PCGamingWikiStandIn, answer: object
) -> None:
    standin.refusing = {**WITHOUT_REVISIONS, DATABASE: answers.json_answer(answer)}
    with pytest.raises(ProviderFault, match="readapidenied"):
        counter.provider.search("Portal 2", within=soon())


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(("first", "closed"), [("heads", HEADS), ("Cargo", DATABASE)])
def test_a_hostile_way_costs_no_more_than_one_search(
    counter: Counter, standin: PCGamingWikiStandIn, first: str, closed: Question, answer: Callable[[], Answer]
) -> None:
    counter.ledger.keep("PCGamingWiki", pcgamingwiki.FIRST_WAY, first.encode(), lifetime=timedelta(days=1))
    standin.refusing = {closed: answer()}
    with suppress(ProviderFault):
        counter.provider.search("Portal 2", within=Deadline.after(0.5))
    counter.clock.advance(seconds=3600)
    assert names(counter, "Portal 2") == ["Portal 2"]


def test_our_own_limit_closes_no_way(counter: Counter, standin: PCGamingWikiStandIn) -> None:
    standin.refusing = OPEN
    counter.ledger.rest("PCGamingWiki", seconds=60)
    with pytest.raises(TooOften):
        counter.provider.fetch(["7"], within=soon())
    counter.clock.advance(seconds=60)
    assert names(counter, "Portal 2") == ["Portal 2"]
    assert standin.put(DATABASE) == []


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=st.text("\"'\\%;&*()=- OR\n\ud800ab", min_size=1, max_size=40) | st.text(min_size=1, max_size=40))
def test_no_title_makes_a_malformed_question(counter: Counter, title: str) -> None:
    counter.provider.fetch([f"wiki/{title}"], within=Deadline.after(1_000_000))
    assert counter.standin.refusals == []


@given(title=st.text("\"'\\%;&#*()=- OR\nab", min_size=1, max_size=40) | st.text(min_size=1, max_size=40))
def test_what_is_asked_for_is_the_title_and_nothing_else(title: str) -> None:
    for condition in conditions("_pageName", [title]):
        (read,) = cargo.conditions(condition, table="Infobox_game")
        assert (read.field, read.value) == ("_pageName", title)


def test_every_title_that_there_is_can_be_asked_for() -> None:
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
def test_the_earliest_date_counts_as_exactly_as_it_is_known(fields: dict[str, str], expected: object) -> None:
    assert told(**fields).released == expected


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
def test_companies_are_told_apart_though_commas_are_in_their_names(text: str, expected: tuple[str, ...]) -> None:
    assert told(Developers=text).developers == expected


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
def test_covers_are_where_the_settings_say(cover: str, expected: list[str]) -> None:
    assert [offer.address for offer in told(Cover_URL=cover).pictures] == expected


def test_the_first_id_is_the_games_and_a_link_to_the_official_site_is_read() -> None:
    facts = told(Steam_AppID="620, 629", GOGcom_ID="x", Official_URL="[https://a.example A game]")
    assert facts.external_ids == {"Steam": "620", "PCGamingWiki": "7"}
    assert facts.websites[1] == Website("official", "https://a.example")


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
def test_the_introduction_is_cut_out_of_a_page(page: str, expected: str) -> None:
    assert introduction(page) == expected
