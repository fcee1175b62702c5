"""What every provider keeps to, shown with each adapter against the stand-in of its provider."""

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
from playdock.fetching.web import Deadline
from playdock.metadata import giantbomb, igdb, pcgamingwiki, steam, steamgriddb
from playdock.metadata.allowances import Allowance
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts
from playdock.metadata.providers import Ability, MetadataProvider
from providers import standin as answers
from providers.counter import Counter, SetUp, open_counter
from providers.games import PC_GAMES, Game, called, game
from providers.giantbomb import GiantBombStandIn
from providers.hostile import HOSTILE
from providers.igdb import IgdbStandIn
from providers.pcgamingwiki import GAMES as WIKI_GAMES
from providers.pcgamingwiki import WITHOUT_REVISIONS, PCGamingWikiStandIn, title_of
from providers.standin import Answer, StandIn
from providers.steam import SteamStandIn
from providers.steamgriddb import SteamGridDbStandIn


@dataclass(frozen=True, slots=True)
class Case:
    """An adapter, its stand-in, and what is particular to the two."""

    set_up: SetUp
    standin: Callable[[], StandIn]
    can: frozenset[Ability]
    allowance: Allowance
    # A game's id there, and the addresses of its page: the provider's own and one where the settings point.
    id_of: Callable[[Game], str]
    pages: Callable[[Game, StandIn], tuple[str, ...]]
    # So many requests, at most, tell all of twenty games; those of preparing (a token, names of tags) are among them.
    requests_for_twenty: int
    # What is known there of the games on a PC.
    games: tuple[Game, ...] = PC_GAMES
    tag: str = ""
    secrets: tuple[str, ...] = ()


TELLS = frozenset((Ability.SEARCH, Ability.FETCH))

CASES = {
    "Steam": Case(
        steam.set_up,
        SteamStandIn,
        TELLS,
        Allowance(calls=200, seconds=300),
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
        TELLS,
        Allowance(calls=4, seconds=1),
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
        TELLS,
        Allowance(calls=200, seconds=3600),
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
        frozenset((Ability.PICTURES,)),
        Allowance(calls=60, seconds=60),
        id_of=lambda game: str(game.steamgriddb_id),
        pages=lambda _game, _standin: (),
        requests_for_twenty=0,
        secrets=SteamGridDbStandIn.secrets,
    ),
    "PCGamingWiki": Case(
        pcgamingwiki.set_up,
        PCGamingWikiStandIn,
        TELLS,
        Allowance(calls=20, seconds=60),
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
# The wiki's own database instead of its pages, which are tried first.
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
def counter(case: Case, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Counter]:
    with open_counter(case.set_up, case.standin(), databases=sqlite_databases, folder=tmp_path) as opened:
        yield opened


every = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def able(*abilities: Ability) -> pytest.MarkDecorator:
    found = {name: case for name, case in CASES.items() if case.can.issuperset(abilities)}
    return pytest.mark.parametrize("case", found.values(), ids=found)


def soon() -> Deadline:
    return Deadline.after(30)


def ask(provider: MetadataProvider, case: Case, text: str, *, within: Deadline) -> object:
    """Ask for the first thing that the provider can."""
    if Ability.SEARCH in case.can:
        return provider.search(text, within=within)
    return provider.pictures(GameFacts(text), within=within)


@every
def test_it_can_what_it_says(case: Case, counter: Counter) -> None:
    assert counter.provider.can == case.can
    assert case.set_up is CASES[counter.provider.source_id].set_up


@able(Ability.SEARCH)
@pytest.mark.parametrize("part", ["witcher", "WITCHER 3", "hollow kn", "stardew"])
def test_a_game_is_found_by_a_part_of_its_name(case: Case, counter: Counter, part: str) -> None:
    wanted = {case.id_of(game) for game in called(part) if game in case.games}
    found = {each.id: each for each in counter.provider.search(part, within=soon())}
    assert wanted & found.keys()
    assert all(each.name for each in found.values())


@able(Ability.SEARCH)
def test_every_name_finds_its_game_whatever_signs_are_in_it(case: Case, counter: Counter) -> None:
    patient = Deadline.after(1_000_000)
    names = {game.name: counter.provider.search(game.name, within=patient) for game in PC_GAMES}
    found = {name for name, games in names.items() if words(name) in [words(each.name) for each in games]}
    assert found == {game.name for game in case.games}
    assert counter.standin.refusals == []


@able(Ability.SEARCH)
def test_rubbish_finds_nothing_and_breaks_nothing(case: Case, counter: Counter) -> None:
    patient = Deadline.after(1_000_000)
    assert [text for text in RUBBISH if counter.provider.search(text, within=patient)] == []
    assert counter.standin.refusals == []


@every
@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40) | st.text("\"'\\%;&|*~[]{}()<>\n\0 ab", max_size=40))
def test_no_text_makes_a_malformed_request(case: Case, counter: Counter, text: str) -> None:
    ask(counter.provider, case, text, within=Deadline.after(1_000_000))
    counter.provider.recognise(text)
    assert counter.standin.refusals == []


@able(Ability.FETCH)
def test_an_id_and_a_tag_are_recognised(case: Case, counter: Counter) -> None:
    game_id = case.id_of(game("Portal 2"))
    for query in (f"{case.tag}-{game_id}", f"Some folder ({case.tag.upper()}-{game_id})", f"[{case.tag}-{game_id}]"):
        assert counter.provider.recognise(query) == game_id
    assert counter.standin.requests == []


@able(Ability.FETCH)
def test_a_pages_address_leads_to_the_game(case: Case, counter: Counter) -> None:
    wanted = game("Portal 2")
    for page in case.pages(wanted, counter.standin):
        recognised = counter.provider.recognise(page)
        assert recognised is not None, page
        assert counter.provider.fetch([recognised], within=soon()).keys() == {case.id_of(wanted)}


@able(Ability.FETCH)
@pytest.mark.parametrize("query", ["", "Portal 2", "https://localhost/app/620", "https://", "http://[", "(gog-620)"])
def test_nothing_is_recognised_in_what_is_no_id(case: Case, counter: Counter, query: str) -> None:
    assert counter.provider.recognise(query) is None


@able(Ability.FETCH)
def test_unknown_ids_are_left_out(case: Case, counter: Counter) -> None:
    known = case.id_of(game("Hades"))
    told = counter.provider.fetch([known, "8999999", "99999999999999", "-1", "", "x'\"; |&", "٣"], within=soon())
    assert told.keys() == {known}
    assert counter.standin.refusals == []


@able(Ability.FETCH)
def test_twenty_games_cost_no_more_than_they_must(case: Case, counter: Counter) -> None:
    ids = [case.id_of(game) for game in case.games[:20]]
    assert counter.provider.fetch(ids, within=soon()).keys() == set(ids)
    assert len(counter.standin.requests) <= case.requests_for_twenty


@able(Ability.FETCH)
def test_what_was_told_an_hour_ago_is_not_asked_again(case: Case, counter: Counter) -> None:
    asked = [case.id_of(game("Celeste"))]
    counter.provider.fetch(asked, within=soon())
    before = len(counter.standin.requests)
    counter.clock.advance(seconds=3500)
    counter.provider.fetch(asked, within=soon())
    assert len(counter.standin.requests) == before
    counter.clock.advance(seconds=200)
    counter.provider.fetch(asked, within=soon())
    assert len(counter.standin.requests) > before


@able(Ability.FETCH)
def test_the_facts_of_every_game_are_clean(case: Case, counter: Counter) -> None:
    told = counter.provider.fetch([case.id_of(game) for game in case.games], within=soon())
    assert len(told) == len(case.games)
    for wanted in case.games:
        check_facts(told[case.id_of(wanted)], wanted)


def check_facts(facts: GameFacts, wanted: Game) -> None:
    assert words(facts.name) == words(wanted.name)
    assert facts.released is None or facts.released.date.year == wanted.year
    assert "\n" not in facts.short
    assert not HTML.search(facts.description)
    assert all(0 <= rating.score <= 1 and rating.source for rating in facts.ratings)
    assert all(tag.name == tag.name.strip() != "" for tag in facts.tags)
    assert all(site.url.startswith(("http://", "https://")) and site.kind.isalpha() for site in facts.websites)
    assert all(offer.address.startswith("http://127.0.0.1:") for offer in facts.pictures)
    assert facts.external_ids.get("Steam", str(wanted.steam_id)) == str(wanted.steam_id)


@able(Ability.FETCH)
def test_a_well_known_game_is_told_of_in_full(case: Case, counter: Counter) -> None:
    wanted = game("Portal 2")
    facts = counter.provider.fetch([case.id_of(wanted)], within=soon())[case.id_of(wanted)]
    assert facts.released is not None
    assert facts.released.date == wanted.day
    assert {"Valve"} <= {name.removesuffix(" Corporation") for name in facts.developers}
    assert facts.description
    assert facts.tags
    assert facts.pictures
    assert facts.websites


@every
def test_every_picture_that_is_offered_can_be_had(case: Case, counter: Counter) -> None:
    wanted = game("Portal 2")
    known = GameFacts(wanted.name, external_ids={"Steam": str(wanted.steam_id)})
    if Ability.FETCH in case.can:
        known = counter.provider.fetch([case.id_of(wanted)], within=soon())[case.id_of(wanted)]
    offers = counter.provider.pictures(known, within=soon()) if Ability.PICTURES in case.can else known.pictures
    assert offers
    for offer in offers:
        assert counter.provider.download(offer, within=soon())


@every
@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_answer_is_a_fault_and_nothing_else(
    case: Case, counter: Counter, answer: Callable[[], Answer]
) -> None:
    counter.standin.bend("/", answer())
    with pytest.raises(ProviderFault, match=counter.provider.name):
        ask(counter.provider, case, "Portal 2", within=Deadline.after(0.5))
    if Ability.FETCH in case.can:
        with pytest.raises(ProviderFault, match=counter.provider.name):
            counter.provider.fetch([case.id_of(game("Portal 2"))], within=Deadline.after(0.5))


@every
def test_secrets_are_in_no_log_line_and_no_fault(case: Case, counter: Counter) -> None:
    """What libraries log of addresses is shown to be silenced in `test_secrets.py`."""
    told: list[object] = []
    with capture_logs() as logged:
        for answer in (answers.html(), answers.status(401), answers.too_many(), answers.cut(), answers.redirect("/")):
            counter.standin.bend("/", answer)
            with pytest.raises(ProviderFault) as raised:
                ask(counter.provider, case, "Portal 2", within=Deadline.after(2))
            told.append(raised.value)
    assert not case.secrets or any(secret in str(counter.standin.requests) for secret in case.secrets)
    assert [secret for secret in case.secrets for text in (logged, told) if secret in str(text)] == []


@every
def test_the_providers_limit_is_kept(case: Case, counter: Counter) -> None:
    """All but two of the calls that are allowed in a stretch have been made, by whomever; then come a few more."""
    start, (calls, seconds) = counter.clock().timestamp(), (case.allowance.calls, case.allowance.seconds)
    for _ in range(calls - 2):
        counter.ledger.reserve(counter.provider.source_id, case.allowance, patience=0)
    for number in range(8):
        ask(counter.provider, case, f"Portal {number}", within=Deadline.after(1_000_000))
    made = [*[start] * (calls - 2), *counter.web.asked_at]
    assert len(made) > calls
    assert all(after - before >= seconds for before, after in zip(made, made[calls:], strict=False))
