"""SteamGridDB: which game, which pictures. What all providers promise is in the contract."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec
import pytest

from databases import Databases
from playdock.fetching.web import Deadline
from playdock.metadata import steamgriddb
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts, ReleaseDate, Role
from playdock.metadata.office import Office
from playdock.metadata.steamgriddb import SteamGridDb
from playdock.settings import Settings
from providers.counter import Counter, open_counter
from providers.games import GAMES, game
from providers.standin import json_answer
from providers.steamgriddb import SteamGridDbStandIn

PORTAL = GameFacts("Portal", external_ids={"Steam": "400"})


@pytest.fixture
def counter(databases: Databases, tmp_path: Path) -> Iterator[Counter]:
    with open_counter(steamgriddb.set_up, SteamGridDbStandIn(), databases=databases, folder=tmp_path) as opened:
        yield opened


@pytest.fixture
def there(counter: Counter) -> SteamGridDbStandIn:
    assert isinstance(counter.standin, SteamGridDbStandIn)
    return counter.standin


@pytest.fixture
def adapter(counter: Counter) -> SteamGridDb:
    assert isinstance(counter.provider, SteamGridDb)
    return counter.provider


def _soon() -> Deadline:
    return Deadline.after(10)


def _number(there: SteamGridDbStandIn, adapter: SteamGridDb, facts: GameFacts) -> str:
    """Give the number, in the world, of the game whose pictures are offered, empty if none are."""
    addresses = {offer.address for offer in adapter.pictures(facts, within=_soon())}
    numbers = {address.rpartition("/")[2].partition("-")[0] for address in addresses}
    assert len(numbers) <= 1
    return "".join(numbers)


def test_it_is_off_without_a_key(adapter: SteamGridDb) -> None:
    office = Office(adapter.desk.web, adapter.desk.ledger, "Playdock/test")
    assert steamgriddb.set_up(msgspec.convert({}, Settings), office) is None


def test_the_key_is_not_shown_with_the_adapter(adapter: SteamGridDb) -> None:
    assert adapter.key not in repr(adapter)


def test_the_best_decent_pictures_are_offered_for_each_role_with_their_makers(adapter: SteamGridDb) -> None:
    offers = adapter.pictures(PORTAL, within=_soon())

    for role in (Role.COVER, Role.BANNER, Role.LOGO, Role.ICON):
        assert [each.credit for each in offers if each.role is role] == ["Bea", "Dan", "Ada"]
    assert len(offers) == 12
    assert all(adapter.download(each, within=_soon()).startswith(b"\x89PNG") for each in offers)


def test_a_steam_id_costs_four_requests_within_an_hour(
    there: SteamGridDbStandIn, adapter: SteamGridDb, counter: Counter
) -> None:
    adapter.pictures(PORTAL, within=_soon())
    counter.clock.advance(seconds=3500)
    adapter.pictures(PORTAL, within=_soon())
    assert [asked.path for asked in there.requests] == [
        f"/api/v2/{kind}/steam/400" for kind in ("grids", "heroes", "logos", "icons")
    ]
    decent = {"types": "static", "nsfw": "false", "humor": "false"}
    assert all(decent.items() <= asked.query.items() for asked in there.requests)

    counter.clock.advance(seconds=200)
    adapter.pictures(PORTAL, within=_soon())
    assert len(there.requests) == 8


@pytest.mark.parametrize("name", ["Portal", "PORTAL", "Brutal Legend", "Don\u2019t Starve", "Final Fantasy 7"])
def test_without_a_steam_id_the_exact_name_counts(there: SteamGridDbStandIn, adapter: SteamGridDb, name: str) -> None:
    there.bend("/api/v2/search", json_answer({"success": True, "data": _all_listed()}))

    assert _number(there, adapter, GameFacts(name))
    assert len(there.requests) == 5


def _all_listed() -> list[dict[str, object]]:
    return [{"id": each.steamgriddb_id, "name": each.name} for each in GAMES]


@pytest.mark.parametrize("name", ["Portal 3", "Porta", "Half-Life 2: Episode One", "", "!?", "%2F../x"])
def test_a_name_that_is_only_like_it_does_not(there: SteamGridDbStandIn, adapter: SteamGridDb, name: str) -> None:
    assert not adapter.pictures(GameFacts(name), within=_soon())
    assert len(there.requests) <= 1


@pytest.mark.parametrize("year", [2006, 2017])
def test_of_two_games_of_one_name_that_of_the_year_counts(
    there: SteamGridDbStandIn, adapter: SteamGridDb, year: int
) -> None:
    wanted = next(each for each in GAMES if each.name == "Prey" and each.year == year)

    facts = GameFacts("Prey", released=ReleaseDate(date(year, 1, 1)))

    assert _number(there, adapter, facts) == str(wanted.number)


def test_a_steam_id_that_is_none_is_not_put_into_an_address(there: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    facts = GameFacts("Portal", external_ids={"Steam": "400/../../x"})

    assert _number(there, adapter, facts) == str(game("Portal").number)


def test_a_game_that_is_not_there_has_no_pictures(there: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    assert adapter.pictures(GameFacts("Portal", external_ids={"Steam": "1"}), within=_soon()) == ()
    assert len(there.requests) == 1


def test_a_wrong_key_is_told(there: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    there.key = "another"

    with pytest.raises(ProviderFault, match=r"^SteamGridDB refused the API key\.$"):
        adapter.pictures(PORTAL, within=_soon())


def test_pictures_that_lie_elsewhere_or_are_not_decent_are_left_out(
    there: SteamGridDbStandIn, adapter: SteamGridDb
) -> None:
    own = f"{there.address}/grids/1-a.png"
    data = [
        {"url": "http://127.0.0.1:9/x.png", "score": 9},
        {"url": "file:///etc/passwd", "score": 9},
        {"url": own, "score": 9, "nsfw": True},
        {"url": own, "score": 9, "humor": True},
        {"url": f"{own}?2", "score": "many", "author": None},
        {"url": own, "score": 1, "author": {"name": "A\n" * 1000}},
        7,
    ]
    there.bend("/api/v2", json_answer({"success": True, "data": data}))

    offers = [each for each in adapter.pictures(PORTAL, within=_soon()) if each.role is Role.COVER]

    assert [each.address for each in offers] == [own, f"{own}?2"]
    assert len(offers[0].credit) <= 256


def test_an_answer_without_success_is_a_fault(there: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    there.bend("/api/v2", json_answer({"success": False, "errors": ["?"]}))

    with pytest.raises(ProviderFault, match="unexpected"):
        adapter.pictures(PORTAL, within=_soon())
