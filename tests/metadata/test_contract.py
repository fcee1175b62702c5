"""The contract of all providers, tested with each adapter against the stand-in of its provider."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from databases import SqliteDatabases
from playdock.content.naming import words
from playdock.fetching.requests import Deadline
from playdock.metadata import giantbomb, igdb, pcgamingwiki, steam, steamgriddb
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata
from playdock.metadata.providers import Capability, MetadataProvider
from playdock.metadata.rate_limit import RateLimit
from providers import standin as answers
from providers.games import PC_GAMES, Game, called, game
from providers.giantbomb import GiantBombStandIn
from providers.hostile import HOSTILE, deadline_for
from providers.igdb import IgdbStandIn
from providers.pcgamingwiki import GAMES as WIKI_GAMES
from providers.pcgamingwiki import WITHOUT_REVISIONS, PCGamingWikiStandIn, title_of
from providers.setup import AdapterFactory, Setup, open_provider
from providers.standin import StandIn
from providers.steam import SteamStandIn
from providers.steamgriddb import SteamGridDbStandIn


@dataclass(frozen=True, slots=True)
class Case:
    """An adapter, its stand-in, and the differences of the provider from others."""

    set_up: AdapterFactory
    standin: Callable[[], StandIn]
    capabilities: frozenset[Capability]
    rate_limit: RateLimit
    # The id of a game at the provider, and the URLs of its page: the real one and the one of the stand-in.
    id_of: Callable[[Game], str]
    pages: Callable[[Game, StandIn], tuple[str, ...]]
    # The maximum of requests for twenty games, including those for a token or tag names.
    requests_for_twenty: int
    # The PC games that the provider knows.
    games: tuple[Game, ...] = PC_GAMES
    tag: str = ""
    secrets: tuple[str, ...] = ()


SEARCH_AND_FETCH = frozenset((Capability.SEARCH, Capability.FETCH))

CASES = {
    "Steam": Case(
        steam.set_up,
        SteamStandIn,
        SEARCH_AND_FETCH,
        RateLimit(calls=200, seconds=300),
        id_of=lambda game: str(game.steam_id),
        pages=lambda game, standin: (
            f"https://store.steampowered.com/app/{game.steam_id}/{game.slug}/?l=german",
            f"https://steamcommunity.com/app/{game.steam_id}",
            f"{standin.settings['steam_store_url']}/app/{game.steam_id}/",
        ),
        requests_for_twenty=2,
        tag="steam",
    ),
    "IGDB": Case(
        igdb.set_up,
        IgdbStandIn,
        SEARCH_AND_FETCH,
        RateLimit(calls=4, seconds=1),
        id_of=lambda game: str(game.igdb_id),
        pages=lambda game, standin: (
            f"https://www.igdb.com/games/{game.slug}",
            f"{standin.address}/games/{game.slug}",
        ),
        requests_for_twenty=2,
        tag="igdb",
        secrets=IgdbStandIn.secrets,
    ),
    "GiantBomb": Case(
        giantbomb.set_up,
        GiantBombStandIn,
        SEARCH_AND_FETCH,
        RateLimit(calls=200, seconds=3600),
        id_of=lambda game: f"3030-{game.giantbomb_id}",
        pages=lambda game, standin: (
            f"https://www.giantbomb.com/{game.slug}/3030-{game.giantbomb_id}/",
            f"{standin.address}/games/3030-{game.giantbomb_id}",
        ),
        requests_for_twenty=20,
        tag="giantbomb",
        secrets=GiantBombStandIn.secrets,
    ),
    "SteamGridDB": Case(
        steamgriddb.set_up,
        SteamGridDbStandIn,
        frozenset((Capability.PICTURES,)),
        RateLimit(calls=60, seconds=60),
        id_of=lambda game: str(game.steamgriddb_id),
        pages=lambda _game, _standin: (),
        requests_for_twenty=0,
        secrets=SteamGridDbStandIn.secrets,
    ),
    "PCGamingWiki": Case(
        pcgamingwiki.set_up,
        PCGamingWikiStandIn,
        SEARCH_AND_FETCH,
        RateLimit(calls=20, seconds=60),
        id_of=lambda game: str(game.pcgamingwiki_id),
        pages=lambda game, standin: (
            f"https://www.pcgamingwiki.com/wiki/{quote(title_of(game).replace(' ', '_'))}",
            f"https://www.pcgamingwiki.com/w/index.php?curid={game.pcgamingwiki_id}",
            f"https://www.pcgamingwiki.com/api/appid.php?appid={game.steam_id}",
            f"{standin.address}/wiki/{quote(title_of(game))}",
        ),
        requests_for_twenty=1,
        games=WIKI_GAMES,
        tag="pcgw",
    ),
}
# The database of the wiki; its pages are tried first.
CASES["PCGamingWiki by Cargo"] = replace(
    CASES["PCGamingWiki"],
    standin=partial(PCGamingWikiStandIn, refusing=WITHOUT_REVISIONS),
    requests_for_twenty=2,
)

RUBBISH = (
    '"',
    "'",
    "\\",
    "%",
    "%00",
    '";',
    '"; drop',
    "' OR 1=1 --",
    "\n\r\t",
    "[[",
    "{{",
    "&|#",
    "../..",
    "\x00",
    "\ud800",
)
HTML = re.compile(r"(?<!\\)<[a-z/!]", re.IGNORECASE)


@pytest.fixture
def setup(case: Case, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Setup]:
    with open_provider(case.set_up, case.standin(), databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def with_capability(*capabilities: Capability) -> pytest.MarkDecorator:
    results = {name: case for name, case in CASES.items() if case.capabilities.issuperset(capabilities)}
    return pytest.mark.parametrize("case", results.values(), ids=results)


def deadline() -> Deadline:
    return Deadline.after(120)


def send(provider: MetadataProvider, case: Case, text: str, *, within: Deadline) -> object:
    """Call the first operation that the provider supports."""
    if Capability.SEARCH in case.capabilities:
        return provider.search(text, within=within)
    return provider.pictures(GameMetadata(text), within=within)


@every_case
def test_every_provider_has_its_declared_capabilities(case: Case, setup: Setup) -> None:
    assert setup.provider.capabilities == case.capabilities
    assert case.set_up is CASES[setup.provider.source_id].set_up


@with_capability(Capability.SEARCH)
@pytest.mark.parametrize("part", ["witcher", "WITCHER 3", "hollow kn", "stardew"])
def test_a_game_is_found_by_part_of_its_name(case: Case, setup: Setup, part: str) -> None:
    expected = {case.id_of(game) for game in called(part) if game in case.games}
    results = {each.id: each for each in setup.provider.search(part, within=deadline())}
    assert expected & results.keys()
    assert all(each.name for each in results.values())


@with_capability(Capability.SEARCH)
def test_every_name_finds_its_game_regardless_of_special_characters(case: Case, setup: Setup) -> None:
    long_deadline = Deadline.after(1_000_000)
    names = {game.name: setup.provider.search(game.name, within=long_deadline) for game in PC_GAMES}
    results = {name for name, games in names.items() if words(name) in [words(each.name) for each in games]}
    assert results == {game.name for game in case.games}
    assert setup.standin.refusals == []


@with_capability(Capability.SEARCH)
def test_nonsense_queries_find_nothing_and_raise_nothing(case: Case, setup: Setup) -> None:
    long_deadline = Deadline.after(1_000_000)
    assert [text for text in RUBBISH if setup.provider.search(text, within=long_deadline)] == []
    assert setup.standin.refusals == []


@every_case
@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40) | st.text("\"'\\%;&|*~[]{}()<>\n\0 ab", max_size=40))
def test_no_query_makes_a_malformed_request(case: Case, setup: Setup, text: str) -> None:
    send(setup.provider, case, text, within=Deadline.after(1_000_000))
    setup.provider.recognize(text)
    assert setup.standin.refusals == []


@with_capability(Capability.FETCH)
def test_an_id_and_a_tag_are_recognized(case: Case, setup: Setup) -> None:
    game_id = case.id_of(game("Portal 2"))
    for query in (f"{case.tag}-{game_id}", f"Some folder ({case.tag.upper()}-{game_id})", f"[{case.tag}-{game_id}]"):
        assert setup.provider.recognize(query) == game_id
    assert setup.standin.requests == []


@with_capability(Capability.FETCH)
def test_the_url_of_a_page_identifies_the_game(case: Case, setup: Setup) -> None:
    expected = game("Portal 2")
    for page in case.pages(expected, setup.standin):
        recognized = setup.provider.recognize(page)
        assert recognized is not None, page
        assert setup.provider.fetch([recognized], within=deadline()).keys() == {case.id_of(expected)}


@with_capability(Capability.FETCH)
@pytest.mark.parametrize("query", ["", "Portal 2", "https://localhost/app/620", "https://", "http://[", "(gog-620)"])
def test_no_id_is_recognized_in_other_text(case: Case, setup: Setup, query: str) -> None:
    assert setup.provider.recognize(query) is None


@with_capability(Capability.FETCH)
def test_unknown_ids_are_left_out(case: Case, setup: Setup) -> None:
    known = case.id_of(game("Hades"))
    games = setup.provider.fetch([known, "8999999", "99999999999999", "-1", "", "x'\"; |&", "٣"], within=deadline())
    assert games.keys() == {known}
    assert setup.standin.refusals == []


@with_capability(Capability.FETCH)
def test_twenty_games_take_the_minimum_of_requests(case: Case, setup: Setup) -> None:
    ids = [case.id_of(game) for game in case.games[:20]]
    assert setup.provider.fetch(ids, within=deadline()).keys() == set(ids)
    assert len(setup.standin.requests) <= case.requests_for_twenty


@with_capability(Capability.FETCH)
def test_metadata_is_cached_for_an_hour(case: Case, setup: Setup) -> None:
    game_ids = [case.id_of(game("Celeste"))]
    setup.provider.fetch(game_ids, within=deadline())
    before = len(setup.standin.requests)
    setup.clock.advance(seconds=3500)
    setup.provider.fetch(game_ids, within=deadline())
    assert len(setup.standin.requests) == before
    setup.clock.advance(seconds=200)
    setup.provider.fetch(game_ids, within=deadline())
    assert len(setup.standin.requests) > before


@with_capability(Capability.FETCH)
def test_the_metadata_of_every_game_is_clean(case: Case, setup: Setup) -> None:
    games = setup.provider.fetch([case.id_of(game) for game in case.games], within=deadline())
    assert len(games) == len(case.games)
    for expected in case.games:
        check_metadata(games[case.id_of(expected)], expected)


def check_metadata(game: GameMetadata, expected: Game) -> None:
    assert words(game.name) == words(expected.name)
    assert game.released is None or game.released.date.year == expected.year
    assert "\n" not in game.short
    assert not HTML.search(game.description)
    assert all(0 <= rating.score <= 1 and rating.source for rating in game.ratings)
    assert all(tag.name == tag.name.strip() != "" for tag in game.tags)
    assert all(site.url.startswith(("http://", "https://")) and site.kind.isalpha() for site in game.websites)
    assert all(offer.address.startswith("http://127.0.0.1:") for offer in game.pictures)
    assert game.external_ids.get("Steam", str(expected.steam_id)) == str(expected.steam_id)


@with_capability(Capability.FETCH)
def test_the_metadata_of_a_well_known_game_is_complete(case: Case, setup: Setup) -> None:
    expected = game("Portal 2")
    fetched = setup.provider.fetch([case.id_of(expected)], within=deadline())[case.id_of(expected)]
    assert fetched.released is not None
    assert fetched.released.date == expected.day
    assert {"Valve"} <= {name.removesuffix(" Corporation") for name in fetched.developers}
    assert fetched.description
    assert fetched.tags
    assert fetched.pictures
    assert fetched.websites


@every_case
def test_every_offered_image_can_be_downloaded(case: Case, setup: Setup) -> None:
    expected = game("Portal 2")
    known = GameMetadata(expected.name, external_ids={"Steam": str(expected.steam_id)})
    if Capability.FETCH in case.capabilities:
        known = setup.provider.fetch([case.id_of(expected)], within=deadline())[case.id_of(expected)]
    offered_by_provider = Capability.PICTURES in case.capabilities
    offers = setup.provider.pictures(known, within=deadline()) if offered_by_provider else known.pictures
    assert offers
    for offer in offers:
        assert setup.provider.download(offer, within=deadline())


@every_case
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_response_is_only_an_error(case: Case, setup: Setup, name: str) -> None:
    setup.standin.override("/", HOSTILE[name]())
    with pytest.raises(ProviderError, match=setup.provider.name):
        send(setup.provider, case, "Portal 2", within=deadline_for(name, hanging=0.5))
    if Capability.FETCH in case.capabilities:
        with pytest.raises(ProviderError, match=setup.provider.name):
            setup.provider.fetch([case.id_of(game("Portal 2"))], within=deadline_for(name, hanging=0.5))


@every_case
def test_secrets_are_in_no_log_line_and_no_error(case: Case, setup: Setup) -> None:
    """`test_secrets.py` shows that the logs of libraries, which contain URLs, are silenced."""
    errors: list[object] = []
    with capture_logs() as logged:
        for answer in (answers.html(), answers.status(401), answers.too_many(), answers.cut(), answers.redirect("/")):
            setup.standin.override("/", answer)
            with pytest.raises(ProviderError) as raised:
                send(setup.provider, case, "Portal 2", within=deadline())
            errors.append(raised.value)
    assert not case.secrets or any(secret in str(setup.standin.requests) for secret in case.secrets)
    assert [secret for secret in case.secrets for text in (logged, errors) if secret in str(text)] == []


@every_case
def test_the_rate_limit_of_the_provider_is_respected(case: Case, setup: Setup) -> None:
    """Reserve all but two calls of the rate limit, then send a few more."""
    start, (calls, seconds) = setup.clock().timestamp(), (case.rate_limit.calls, case.rate_limit.seconds)
    for _ in range(calls - 2):
        setup.provider_store.reserve_call(setup.provider.source_id, case.rate_limit, max_wait=0)
    for number in range(8):
        send(setup.provider, case, f"Portal {number}", within=Deadline.after(1_000_000))
    call_times = [*[start] * (calls - 2), *setup.web.request_times]
    assert len(call_times) > calls
    assert all(after - before >= seconds for before, after in zip(call_times, call_times[calls:], strict=False))
