"""PCGamingWiki through its pages. The contract of all providers is tested in `test_contract.py`."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from databases import SqliteDatabases
from playdock.fetching.requests import Deadline
from playdock.metadata import pcgamingwiki
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import ImageOffer, Precision, RatingFact, Role, TagFact, TagKind, Website
from playdock.metadata.pcgamingwiki_pages import WikiAddresses, WikiPage, metadata_of, pages_of
from providers import standin as answers
from providers.games import game
from providers.pcgamingwiki import GAMES, PCGamingWikiStandIn, head
from providers.setup import Setup, open_provider

WIKI = WikiAddresses("http://wiki", "http://images")


@pytest.fixture
def setup(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Setup]:
    standin = PCGamingWikiStandIn()
    with open_provider(pcgamingwiki.set_up, standin, databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


def deadline() -> Deadline:
    return Deadline.after(120)


def page(text: str, *, title: str = "Portal 2", ns: int = 0) -> WikiPage:
    """Return a page with this text from a response of the wiki, an empty one if it is not that of a game."""
    entry = {"pageid": 7, "ns": ns, "title": title, "revisions": [{"slots": {"main": {"content": text}}}]}
    return next(iter(pages_of({"query": {"pages": [entry]}})), WikiPage())


def parsed_date(text: str) -> tuple[date, Precision] | None:
    read = page(f"{{{{Infobox game\n{{{{Infobox game/row/date|Windows|{text}}}}}\n}}}}")
    released = metadata_of(read, WIKI).released
    return (released.date, released.precision) if released else None


def test_a_prefix_takes_two_requests_and_other_words_a_third(setup: Setup) -> None:
    setup.provider.search("Portal", within=deadline())
    assert len(setup.standin.requests) == 2
    assert [each.name for each in setup.provider.search("outer worlds", within=deadline())] == ["The Outer Worlds"]
    assert len(setup.standin.requests) == 5


def test_games_with_one_name_differ_by_year(setup: Setup) -> None:
    found = setup.provider.search("Prey", within=deadline())
    assert sorted((each.name, each.year) for each in found) == [("Prey", 2006), ("Prey", 2017)]


def test_all_games_and_descriptions_take_one_request(setup: Setup) -> None:
    fetched = setup.provider.fetch([str(game.pcgamingwiki_id) for game in GAMES], within=deadline())
    assert len(fetched) == len(GAMES)
    assert all(each.description for each in fetched.values())
    assert len(setup.standin.requests) == 1


def test_the_metadata_of_portal_2_is_complete(setup: Setup) -> None:
    known, address = game("Portal 2"), setup.standin.address
    fetched = setup.provider.fetch([str(known.pcgamingwiki_id)], within=deadline())[str(known.pcgamingwiki_id)]

    assert fetched.developers == fetched.publishers == ("Valve Corporation",)
    assert fetched.description.startswith(f"Portal 2 is a [game]({address}/wiki/Glossary:Game).")
    assert "Nothing of this counts" not in fetched.description
    assert fetched.ratings == (RatingFact("Metacritic", 0.95, url=f"{address}/wiki/Portal_2"),)
    assert TagFact(TagKind.PERSPECTIVE, "First-person") in fetched.tags
    assert fetched.websites == (
        Website("wiki", f"{address}/wiki/Portal_2"),
        Website("official", "https://www.portal2.example"),
    )
    assert fetched.external_ids == {"Steam": "620", "PCGamingWiki": str(known.pcgamingwiki_id)}


def test_a_page_is_found_by_its_steam_id_without_reading_it(setup: Setup) -> None:
    recognized = setup.provider.recognize(f"{setup.standin.address}/api/appid.php?appid=1086940")
    assert recognized == "steam/1086940"
    assert [metadata.name for metadata in setup.provider.fetch([recognized], within=deadline()).values()] == [
        "Baldur's Gate 3"
    ]
    assert setup.standin.requests_to("/wiki/") == []


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/wiki/Portal_2", "//evil.example/wiki/Portal_2", "http://[", "/wiki/", ""]
)
def test_a_redirect_to_anything_but_a_page_is_an_unknown_id(setup: Setup, target: str) -> None:
    setup.standin.override("/api/appid.php", answers.redirect(target))
    assert setup.provider.fetch(["steam/620"], within=deadline()) == {}


@pytest.mark.parametrize("code", ["permissiondenied", "<script>", "", 7])
def test_an_error_with_status_200_is_an_error(setup: Setup, code: object) -> None:
    setup.standin.override("/w/api.php", answers.json_answer({"error": {"code": code, "info": "<b>no</b>"}}))
    with pytest.raises(ProviderError, match=r"PCGamingWiki reported an error \((permissiondenied|unknown)\)"):
        setup.provider.search("Portal", within=deadline())
    setup.standin.clear_overrides()
    assert setup.provider.search("Portal", within=deadline())


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
def test_dates_have_the_precision_in_the_text(text: str, expected: object) -> None:
    assert parsed_date(text) == expected


def test_the_earliest_date_of_all_systems_is_used() -> None:
    rows = "".join(
        f"{{{{Infobox game/row/date|{system}}}}}\n" for system in ("Linux|2013", "DOS|May 5, 1999", "OS X|TBA")
    )
    released = metadata_of(page(f"{{{{Infobox game\n{rows}}}}}"), WIKI).released
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
def test_the_url_of_a_cover_follows_from_its_name(cover: str, address: str) -> None:
    fetched = metadata_of(page(f"{{{{Infobox game\n|cover = {cover}\n}}}}"), WIKI)
    assert fetched.pictures == (ImageOffer(Role.COVER, address, credit="PCGamingWiki"),)


@pytest.mark.parametrize("cover", ["", "cover", "../../x.jpg", "http://evil.example/x.jpg", "x.svg", "x.jpg|y"])
def test_a_file_name_that_is_not_an_image_is_not_a_cover(cover: str) -> None:
    assert metadata_of(page(f"{{{{Infobox game\n|cover = {cover}\n}}}}"), WIKI).pictures == ()


def test_pages_that_are_not_games_are_left_out() -> None:
    assert page("#REDIRECT [[Portal 2]]") == WikiPage()
    assert page(head(game("Portal 2")), ns=2) == WikiPage()
    assert page(head(game("Portal 2")), title="\x00") == WikiPage()


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
def test_tags_and_urls_are_recognized(query: str, expected: str | None) -> None:
    assert pcgamingwiki.PCGamingWiki(client=None, wiki=WIKI).recognize(query) == expected  # type: ignore[arg-type]
