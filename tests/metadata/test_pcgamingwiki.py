"""PCGamingWiki: what is particular to it."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from databases import SqliteDatabases
from playdock.fetching.web import Deadline
from playdock.metadata import pcgamingwiki
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import PictureOffer, Precision, RatingFact, Role, TagFact, TagKind, Website
from playdock.metadata.pcgamingwiki_pages import Page, Wiki, facts_of, pages_of
from providers import standin as answers
from providers.counter import Counter, open_counter
from providers.games import game
from providers.pcgamingwiki import GAMES, PCGamingWikiStandIn, head

WIKI = Wiki("http://wiki", "http://images")


@pytest.fixture
def counter(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Counter]:
    standin = PCGamingWikiStandIn()
    with open_counter(pcgamingwiki.set_up, standin, databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


def soon() -> Deadline:
    return Deadline.after(30)


def page(text: str, *, title: str = "Portal 2", ns: int = 0) -> Page:
    """Read a page of this text as the wiki answers it, an empty one if it tells of no game."""
    given = {"pageid": 7, "ns": ns, "title": title, "revisions": [{"slots": {"main": {"content": text}}}]}
    return next(iter(pages_of({"query": {"pages": [given]}})), Page())


def dated(text: str) -> tuple[date, Precision] | None:
    read = page(f"{{{{Infobox game\n{{{{Infobox game/row/date|Windows|{text}}}}}\n}}}}")
    released = facts_of(read, WIKI).released
    return (released.date, released.precision) if released else None


def test_a_beginning_finds_in_two_requests_and_other_words_in_a_third(counter: Counter) -> None:
    counter.provider.search("Portal", within=soon())
    assert len(counter.standin.requests) == 2
    assert [each.name for each in counter.provider.search("outer worlds", within=soon())] == ["The Outer Worlds"]
    assert len(counter.standin.requests) == 5


def test_games_of_one_name_are_told_apart_by_their_year(counter: Counter) -> None:
    found = counter.provider.search("Prey", within=soon())
    assert sorted((each.name, each.year) for each in found) == [("Prey", 2006), ("Prey", 2017)]


def test_all_games_are_a_request_with_their_descriptions(counter: Counter) -> None:
    told = counter.provider.fetch([str(game.pcgamingwiki_id) for game in GAMES], within=soon())
    assert len(told) == len(GAMES)
    assert all(facts.description for facts in told.values())
    assert len(counter.standin.requests) == 1


def test_portal_2_is_told_of_as_the_wiki_does(counter: Counter) -> None:
    wanted, address = game("Portal 2"), counter.standin.address
    told = counter.provider.fetch([str(wanted.pcgamingwiki_id)], within=soon())[str(wanted.pcgamingwiki_id)]

    assert told.developers == told.publishers == ("Valve Corporation",)
    assert told.description.startswith(f"Portal 2 is a [game]({address}/wiki/Glossary:Game).")
    assert "Nothing of this counts" not in told.description
    assert told.ratings == (RatingFact("Metacritic", 0.95, url=f"{address}/wiki/Portal_2"),)
    assert TagFact(TagKind.PERSPECTIVE, "First-person") in told.tags
    assert told.websites == (
        Website("wiki", f"{address}/wiki/Portal_2"),
        Website("official", "https://www.portal2.example"),
    )
    assert told.external_ids == {"Steam": "620", "PCGamingWiki": str(wanted.pcgamingwiki_id)}


def test_a_page_is_found_from_steams_id_without_reading_it(counter: Counter) -> None:
    recognised = counter.provider.recognise(f"{counter.standin.address}/api/appid.php?appid=1086940")
    assert recognised == "steam/1086940"
    assert [facts.name for facts in counter.provider.fetch([recognised], within=soon()).values()] == ["Baldur's Gate 3"]
    assert counter.standin.asked("/wiki/") == []


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/wiki/Portal_2", "//evil.example/wiki/Portal_2", "http://[", "/wiki/", ""]
)
def test_what_leads_to_no_page_of_the_wiki_is_an_unknown_id(counter: Counter, target: str) -> None:
    counter.standin.bend("/api/appid.php", answers.redirect(target))
    assert counter.provider.fetch(["steam/620"], within=soon()) == {}


@pytest.mark.parametrize("code", ["permissiondenied", "<script>", "", 7])
def test_an_error_with_a_status_of_200_is_a_fault(counter: Counter, code: object) -> None:
    counter.standin.bend("/w/api.php", answers.json_answer({"error": {"code": code, "info": "<b>no</b>"}}))
    with pytest.raises(ProviderFault, match=r"PCGamingWiki answered with an error \((permissiondenied|unknown)\)"):
        counter.provider.search("Portal", within=soon())
    counter.standin.straighten()
    assert counter.provider.search("Portal", within=soon())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("April 18, 2011", (date(2011, 4, 18), Precision.DAY)),
        ("Sep 1, 2011", (date(2011, 9, 1), Precision.DAY)),
        ("April 2011", (date(2011, 4, 1), Precision.MONTH)),
        ("Q3 2027", (date(2027, 7, 1), Precision.QUARTER)),
        ("2027", (date(2027, 1, 1), Precision.YEAR)),
        ("February 30, 2011", None),
        ("Smarch 2011", None),
        ("TBA", None),
        ("EA", None),
        ("9999", None),
        ("\u0662\u0660\u0661\u0661", None),
    ],
)
def test_dates_are_read_as_exactly_as_they_are_given(text: str, expected: object) -> None:
    assert dated(text) == expected


def test_of_several_systems_the_earliest_date_counts() -> None:
    rows = "".join(
        f"{{{{Infobox game/row/date|{system}}}}}\n" for system in ("Linux|2013", "DOS|May 5, 1999", "OS X|TBA")
    )
    released = facts_of(page(f"{{{{Infobox game\n{rows}}}}}"), WIKI).released
    assert released is not None
    assert released.date == date(1999, 5, 5)


@pytest.mark.parametrize(
    ("cover", "address"),
    [
        ("Pragmata cover.jpg", "http://images/f/fb/Pragmata_cover.jpg"),
        ("The Witcher 3 Wild Hunt - cover.jpg", "http://images/a/a4/The_Witcher_3_Wild_Hunt_-_cover.jpg"),
        ("File:garry's Mod Logo.jpg", "http://images/e/e7/Garry%27s_Mod_Logo.jpg"),
        ("[[File:Icon overlay.png]]", "http://images/0/04/Icon_overlay.png"),
    ],
)
def test_a_covers_address_follows_from_its_name(cover: str, address: str) -> None:
    told = facts_of(page(f"{{{{Infobox game\n|cover = {cover}\n}}}}"), WIKI)
    assert told.pictures == (PictureOffer(Role.COVER, address, credit="PCGamingWiki"),)


@pytest.mark.parametrize("cover", ["", "cover", "../../x.jpg", "http://evil.example/x.jpg", "x.svg", "x.jpg|y"])
def test_what_is_no_name_of_a_picture_is_no_cover(cover: str) -> None:
    assert facts_of(page(f"{{{{Infobox game\n|cover = {cover}\n}}}}"), WIKI).pictures == ()


def test_pages_that_tell_of_no_game_are_left_out() -> None:
    assert page("#REDIRECT [[Portal 2]]") == Page()
    assert page(head(game("Portal 2")), ns=2) == Page()
    assert page(head(game("Portal 2")), title="\x00") == Page()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pcgw-1234", "1234"),
        ("Portal 2 (PCGW-1234)", "1234"),
        ("[pcgamingwiki-1234]", "1234"),
        ("https://www.pcgamingwiki.com/wiki/Portal_2#Availability", "wiki/Portal_2"),
        ("https://www.pcgamingwiki.com/wiki/Command_%26_Conquer", "wiki/Command_&_Conquer"),
        ("https://www.pcgamingwiki.com/w/index.php?curid=1234&x=y", "1234"),
        ("https://www.pcgamingwiki.com/api/appid.php?appid=620", "steam/620"),
        ("https://www.pcgamingwiki.com/api/appid.php?appid=620|wiki", None),
        ("https://www.pcgamingwiki.com/wiki/A%7CB", None),
        ("https://www.pcgamingwiki.com/wiki/", None),
        ("https://evil.example/wiki/Portal_2", None),
        ("1234", None),
    ],
)
def test_tags_and_addresses_are_recognised(query: str, expected: str | None) -> None:
    assert pcgamingwiki.PCGamingWiki(desk=None, wiki=WIKI).recognise(query) == expected  # type: ignore[arg-type]
