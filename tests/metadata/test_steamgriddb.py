"""SteamGridDB: games and pictures. The contract of all providers is tested in `test_contract.py`."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec
import pytest

from databases import Databases
from playdock.fetching.requests import Deadline
from playdock.metadata import steamgriddb
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata, ReleaseDate, Role
from playdock.metadata.steamgriddb import SteamGridDb
from playdock.settings import Settings
from providers.games import GAMES, game
from providers.setup import Setup, open_provider
from providers.standin import json_answer
from providers.steamgriddb import SteamGridDbStandIn

PORTAL = GameMetadata("Portal", external_ids={"Steam": "400"})


@pytest.fixture
def setup(databases: Databases, tmp_path: Path) -> Iterator[Setup]:
    with open_provider(steamgriddb.set_up, SteamGridDbStandIn(), databases=databases, folder=tmp_path) as opened:
        yield opened


@pytest.fixture
def standin(setup: Setup) -> SteamGridDbStandIn:
    assert isinstance(setup.standin, SteamGridDbStandIn)
    return setup.standin


@pytest.fixture
def adapter(setup: Setup) -> SteamGridDb:
    assert isinstance(setup.provider, SteamGridDb)
    return setup.provider


def _deadline() -> Deadline:
    return Deadline.after(120)


def _game_number(standin: SteamGridDbStandIn, adapter: SteamGridDb, game: GameMetadata) -> str:
    """Return the number of the stand-in's game whose pictures are offered, empty if there are none."""
    addresses = {offer.address for offer in adapter.pictures(game, within=_deadline())}
    numbers = {address.rpartition("/")[2].partition("-")[0] for address in addresses}
    assert len(numbers) <= 1
    return "".join(numbers)


def test_the_provider_is_disabled_without_a_key(adapter: SteamGridDb) -> None:
    factory = ProviderClientFactory(adapter.client.web, adapter.client.provider_store, "Playdock/test")
    assert steamgriddb.set_up(msgspec.convert({}, Settings), factory) is None


def test_the_key_is_not_shown_with_the_adapter(adapter: SteamGridDb) -> None:
    assert adapter.key not in repr(adapter)


def test_the_best_acceptable_images_are_offered_per_role_with_their_authors(adapter: SteamGridDb) -> None:
    offers = adapter.pictures(PORTAL, within=_deadline())

    for role in (Role.COVER, Role.BANNER, Role.LOGO, Role.ICON):
        assert [each.credit for each in offers if each.role is role] == ["Bea", "Dan", "Ada", "Gus"]
    assert len(offers) == 16
    assert all(adapter.download(each, within=_deadline()).startswith(b"\x89PNG") for each in offers)


def test_a_steam_id_takes_four_requests_within_an_hour(
    standin: SteamGridDbStandIn, adapter: SteamGridDb, setup: Setup
) -> None:
    adapter.pictures(PORTAL, within=_deadline())
    setup.clock.advance(seconds=3500)
    adapter.pictures(PORTAL, within=_deadline())
    assert [asked.path for asked in standin.requests] == [
        f"/api/v2/{kind}/steam/400" for kind in ("grids", "heroes", "logos", "icons")
    ]
    decent = {"types": "static", "nsfw": "false", "humor": "false"}
    assert all(decent.items() <= asked.query.items() for asked in standin.requests)

    setup.clock.advance(seconds=200)
    adapter.pictures(PORTAL, within=_deadline())
    assert len(standin.requests) == 8


@pytest.mark.parametrize("name", ["Portal", "PORTAL", "Brutal Legend", "Don\u2019t Starve", "Final Fantasy 7"])
def test_without_a_steam_id_the_exact_name_is_used(
    standin: SteamGridDbStandIn, adapter: SteamGridDb, name: str
) -> None:
    standin.override("/api/v2/search", json_answer({"success": True, "data": _all_listed()}))

    assert _game_number(standin, adapter, GameMetadata(name))
    assert len(standin.requests) == 5


def _all_listed() -> list[dict[str, object]]:
    return [{"id": each.steamgriddb_id, "name": each.name} for each in GAMES]


@pytest.mark.parametrize("name", ["Portal 3", "Porta", "Half-Life 2: Episode One", "", "!?", "%2F../x"])
def test_a_merely_similar_name_does_not_match(standin: SteamGridDbStandIn, adapter: SteamGridDb, name: str) -> None:
    assert not adapter.pictures(GameMetadata(name), within=_deadline())
    assert len(standin.requests) <= 1


@pytest.mark.parametrize("year", [2006, 2017])
def test_of_two_games_with_one_name_the_year_decides(
    standin: SteamGridDbStandIn, adapter: SteamGridDb, year: int
) -> None:
    known = next(each for each in GAMES if each.name == "Prey" and each.year == year)

    fetched = GameMetadata("Prey", released=ReleaseDate(date(year, 1, 1)))

    assert _game_number(standin, adapter, fetched) == str(known.number)


def test_an_invalid_steam_id_is_not_put_into_a_url(standin: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    fetched = GameMetadata("Portal", external_ids={"Steam": "400/../../x"})

    assert _game_number(standin, adapter, fetched) == str(game("Portal").number)


def test_an_unknown_game_has_no_images(standin: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    assert adapter.pictures(GameMetadata("Portal", external_ids={"Steam": "1"}), within=_deadline()) == ()
    assert len(standin.requests) == 1


def test_a_wrong_key_is_reported(standin: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    standin.key = "another"

    with pytest.raises(ProviderError, match=r"^SteamGridDB rejected the API key\.$"):
        adapter.pictures(PORTAL, within=_deadline())


def test_foreign_and_unacceptable_images_are_left_out(standin: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    own = f"{standin.address}/grids/1-a.png"
    data = [
        {"url": "http://127.0.0.1:9/x.png", "score": 9},
        {"url": "file:///etc/passwd", "score": 9},
        {"url": own, "score": 9, "nsfw": True},
        {"url": own, "score": 9, "humor": True},
        {"url": f"{own}?2", "score": "many", "author": None},
        {"url": own, "score": 1, "author": {"name": "A\n" * 1000}},
        7,
    ]
    standin.override("/api/v2", json_answer({"success": True, "data": data}))

    offers = [each for each in adapter.pictures(PORTAL, within=_deadline()) if each.role is Role.COVER]

    assert [each.address for each in offers] == [own, f"{own}?2"]
    assert len(offers[0].credit) <= 256


def test_a_response_without_success_is_an_error(standin: SteamGridDbStandIn, adapter: SteamGridDb) -> None:
    standin.override("/api/v2", json_answer({"success": False, "errors": ["?"]}))

    with pytest.raises(ProviderError, match="unexpected"):
        adapter.pictures(PORTAL, within=_deadline())
