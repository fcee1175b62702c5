"""The access token of IGDB, which Twitch issues."""

import dataclasses
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest
from msgspec.structs import replace

from clocks import StillClock
from databases import Databases
from playdock.fetching.requests import Deadline
from playdock.metadata import igdb
from playdock.metadata.errors import ProviderError
from playdock.metadata.igdb import Igdb
from providers.igdb import IgdbStandIn
from providers.setup import Setup, open_provider
from providers.standin import json_answer, status


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


def test_all_processes_share_one_token(standin: IgdbStandIn, adapter: Igdb) -> None:
    adapter.search("Portal", within=_deadline())
    other = replace(adapter, tokens=dataclasses.replace(adapter.tokens, renewing=Lock()))
    other.search("Celeste", within=_deadline())

    assert len(standin.requests_to("/oauth2/token")) == 1
    assert len(standin.requests_to("/v4/games")) == 2


def test_a_token_is_renewed_a_day_before_it_expires(standin: IgdbStandIn, adapter: Igdb, clock: StillClock) -> None:
    adapter.search("Portal", within=_deadline())
    clock.advance(seconds=standin.lifetime - 24 * 3600 - 60)
    adapter.search("Celeste", within=_deadline())
    assert len(standin.requests_to("/oauth2/token")) == 1

    clock.advance(seconds=120)
    adapter.search("Hades", within=_deadline())
    assert len(standin.requests_to("/oauth2/token")) == 2


@pytest.mark.parametrize("lifetime", [600, 0, -5, 10**30])
def test_tokens_with_unusual_lifetimes_are_used(standin: IgdbStandIn, adapter: Igdb, lifetime: int) -> None:
    standin.lifetime = lifetime

    assert adapter.search("Portal", within=_deadline())
    assert adapter.search("Celeste", within=_deadline())


def test_a_rejected_token_is_renewed_once(standin: IgdbStandIn, adapter: Igdb) -> None:
    adapter.search("Portal", within=_deadline())
    standin.expire_tokens()

    assert adapter.search("Celeste", within=_deadline())
    assert (len(standin.requests_to("/oauth2/token")), len(standin.requests_to("/v4/games"))) == (2, 3)


def test_concurrently_rejected_threads_request_one_token(standin: IgdbStandIn, adapter: Igdb) -> None:
    adapter.search("Portal", within=_deadline())
    standin.expire_tokens()

    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda name: adapter.search(name, within=_deadline()), ["Quake", "Celeste", "Hades", "Prey"])
        )

    assert all(found)
    assert len(standin.requests_to("/oauth2/token")) == 2


def test_a_repeatedly_rejected_token_is_renewed_only_once(standin: IgdbStandIn, adapter: Igdb) -> None:
    standin.override("/v4/games", status(401))

    with pytest.raises(ProviderError, match=r"^IGDB rejected the client ID or secret\.$"):
        adapter.search("Portal", within=_deadline())
    assert (len(standin.requests_to("/oauth2/token")), len(standin.requests_to("/v4/games"))) == (2, 2)


@pytest.mark.parametrize("credential", ["client_id", "client_secret"])
def test_wrong_credentials_are_reported_after_one_request(standin: IgdbStandIn, adapter: Igdb, credential: str) -> None:
    setattr(standin, credential, "another")

    with pytest.raises(ProviderError, match=r"^IGDB rejected the client ID or secret\.$"):
        adapter.search("Portal", within=_deadline())
    assert len(standin.requests) == 1


@pytest.mark.parametrize("token", ["", 'a\r\nX-Injected: "1"', "with blanks", 7, None])
def test_an_invalid_token_is_not_used(standin: IgdbStandIn, adapter: Igdb, token: object) -> None:
    standin.override("/oauth2/token", json_answer({"access_token": token, "expires_in": 5000}))

    with pytest.raises(ProviderError, match="unexpected"):
        adapter.search("Portal", within=_deadline())
    assert not standin.requests_to("/v4/games")


def test_the_secret_is_not_shown_with_the_adapter(adapter: Igdb) -> None:
    assert adapter.tokens.client_secret not in repr(adapter)


def test_a_token_that_takes_too_long_is_an_error(adapter: Igdb) -> None:
    waiting = dataclasses.replace(adapter.tokens)
    with waiting.renewing, pytest.raises(ProviderError, match="in time"):
        waiting.renewed("", within=Deadline.after(0.01))
