"""IGDB's token, which comes from Twitch."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock

import pytest

from clocks import StillClock
from databases import Databases
from playdock.fetching.web import Deadline
from playdock.metadata import igdb
from playdock.metadata.errors import ProviderFault
from playdock.metadata.igdb import Igdb
from providers.counter import Counter, open_counter
from providers.igdb import IgdbStandIn
from providers.standin import json_answer, status


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


def test_one_token_serves_all_that_follows_also_in_other_processes(there: IgdbStandIn, adapter: Igdb) -> None:
    adapter.search("Portal", within=_soon())
    other = replace(adapter, tokens=replace(adapter.tokens, renewing=Lock()))
    other.search("Celeste", within=_soon())

    assert len(there.asked("/oauth2/token")) == 1
    assert len(there.asked("/v4/games")) == 2


def test_a_token_is_renewed_a_day_before_it_ends(there: IgdbStandIn, adapter: Igdb, clock: StillClock) -> None:
    adapter.search("Portal", within=_soon())
    clock.advance(seconds=there.lifetime - 24 * 3600 - 60)
    adapter.search("Celeste", within=_soon())
    assert len(there.asked("/oauth2/token")) == 1

    clock.advance(seconds=120)
    adapter.search("Hades", within=_soon())
    assert len(there.asked("/oauth2/token")) == 2


@pytest.mark.parametrize("lifetime", [600, 0, -5, 10**30])
def test_tokens_of_odd_lifetimes_are_used(there: IgdbStandIn, adapter: Igdb, lifetime: int) -> None:
    there.lifetime = lifetime

    assert adapter.search("Portal", within=_soon())
    assert adapter.search("Celeste", within=_soon())


def test_a_refused_token_is_renewed_once(there: IgdbStandIn, adapter: Igdb) -> None:
    adapter.search("Portal", within=_soon())
    there.forget_tokens()

    assert adapter.search("Celeste", within=_soon())
    assert (len(there.asked("/oauth2/token")), len(there.asked("/v4/games"))) == (2, 3)


def test_threads_that_are_refused_together_ask_for_one_token(there: IgdbStandIn, adapter: Igdb) -> None:
    adapter.search("Portal", within=_soon())
    there.forget_tokens()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda name: adapter.search(name, within=_soon()), ["Quake", "Celeste", "Hades", "Prey"]))

    assert all(found)
    assert len(there.asked("/oauth2/token")) == 2


def test_a_token_that_is_refused_for_ever_is_asked_for_once_more_and_no_further(
    there: IgdbStandIn, adapter: Igdb
) -> None:
    there.bend("/v4/games", status(401))

    with pytest.raises(ProviderFault, match=r"^IGDB refused the client id or secret\.$"):
        adapter.search("Portal", within=_soon())
    assert (len(there.asked("/oauth2/token")), len(there.asked("/v4/games"))) == (2, 2)


@pytest.mark.parametrize("credential", ["client_id", "client_secret"])
def test_wrong_credentials_are_told_after_one_request(there: IgdbStandIn, adapter: Igdb, credential: str) -> None:
    setattr(there, credential, "another")

    with pytest.raises(ProviderFault, match=r"^IGDB refused the client id or secret\.$"):
        adapter.search("Portal", within=_soon())
    assert len(there.requests) == 1


@pytest.mark.parametrize("token", ["", 'a\r\nX-Injected: "1"', "with blanks", 7, None])
def test_a_token_that_is_none_is_not_used(there: IgdbStandIn, adapter: Igdb, token: object) -> None:
    there.bend("/oauth2/token", json_answer({"access_token": token, "expires_in": 5000}))

    with pytest.raises(ProviderFault, match="unexpected"):
        adapter.search("Portal", within=_soon())
    assert not there.asked("/v4/games")


def test_the_secret_is_not_shown_with_the_adapter(adapter: Igdb) -> None:
    assert adapter.tokens.client_secret not in repr(adapter)


def test_no_token_within_the_time_is_a_fault(adapter: Igdb) -> None:
    waiting = replace(adapter.tokens)
    with waiting.renewing, pytest.raises(ProviderFault, match="in time"):
        waiting.renewed("", within=Deadline.after(0.01))
