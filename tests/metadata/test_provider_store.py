"""The state of providers that all processes share: rate limits, blocks, tokens and cached responses."""

from datetime import timedelta

import pytest

from clocks import StillClock
from playdock.db.database import Database
from playdock.metadata import queries
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.rate_limit import RateLimit
from world import at_once

pytestmark = pytest.mark.both_databases

FOUR_A_SECOND = RateLimit(4, 1.0)
ONE_A_MINUTE = RateLimit(1, 60.0)


def waits(provider_store: ProviderStore, *, times: int, rate_limit: RateLimit = FOUR_A_SECOND) -> list[float | None]:
    return [provider_store.reserve_call("IGDB", rate_limit, max_wait=3600) for _ in range(times)]


def test_calls_are_reserved_within_the_rate_limit(provider_store: ProviderStore) -> None:
    assert waits(provider_store, times=9) == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_each_provider_has_its_own_rate_limit(provider_store: ProviderStore) -> None:
    waits(provider_store, times=4)

    assert provider_store.reserve_call("Steam", FOUR_A_SECOND, max_wait=0) == 0


def test_a_call_beyond_the_maximum_wait_is_not_reserved(provider_store: ProviderStore) -> None:
    waits(provider_store, times=1, rate_limit=ONE_A_MINUTE)

    short_deadline = [provider_store.reserve_call("IGDB", ONE_A_MINUTE, max_wait=59.9) for _ in range(3)]

    assert (short_deadline, waits(provider_store, times=2, rate_limit=ONE_A_MINUTE)) == ([None] * 3, [60, 120])


def test_two_processes_share_one_limit(database: Database, clock: StillClock) -> None:
    processes = [Database(database.url.render_as_string(hide_password=False)) for _ in range(2)]
    provider_stores = [ProviderStore(process, clock) for process in processes]

    def reserve_call(provider_store: ProviderStore) -> float | None:
        return provider_store.reserve_call("IGDB", FOUR_A_SECOND, max_wait=3600)

    seconds_to_wait = at_once([lambda: reserve_call(provider_stores[0]), lambda: reserve_call(provider_stores[1])] * 6)
    for process in processes:
        process.close()

    assert sorted(seconds for seconds in seconds_to_wait if seconds is not None) == [0] * 4 + [1] * 4 + [2] * 4


def test_a_blocked_provider_is_not_called_by_any_process(provider_store: ProviderStore, clock: StillClock) -> None:
    provider_store.block("IGDB", seconds=30)

    assert provider_store.reserve_call("IGDB", FOUR_A_SECOND, max_wait=29) is None
    assert waits(provider_store, times=5) == [30, 30, 30, 30, 31]
    assert provider_store.reserve_call("Steam", FOUR_A_SECOND, max_wait=0) == 0
    clock.advance(seconds=40)
    assert waits(provider_store, times=1) == [0]


def test_a_shorter_block_does_not_shorten_a_longer_one(provider_store: ProviderStore) -> None:
    for seconds in (5, 60, 10):
        provider_store.block("IGDB", seconds=seconds)

    assert waits(provider_store, times=1) == [60]


def test_a_token_is_stored_until_it_expires_and_can_be_replaced(
    provider_store: ProviderStore, clock: StillClock
) -> None:
    assert provider_store.token("IGDB") is None
    provider_store.store_token("IGDB", "first", lifetime=timedelta(hours=1))
    provider_store.store_token("IGDB", "second", lifetime=timedelta(hours=1))
    assert (provider_store.token("IGDB"), provider_store.token("Steam")) == ("second", None)

    clock.advance(hours=1)
    assert provider_store.token("IGDB") is None


def test_reserving_a_call_keeps_the_token(provider_store: ProviderStore) -> None:
    provider_store.store_token("IGDB", "kept", lifetime=timedelta(hours=1))
    waits(provider_store, times=5)
    provider_store.block("IGDB", seconds=1)

    assert provider_store.token("IGDB") == "kept"


@pytest.mark.parametrize("body", [b"", b"[]", bytes(range(256)), b"x" * 2_000_000])
def test_a_cached_response_is_returned_until_it_expires(
    provider_store: ProviderStore, clock: StillClock, body: bytes
) -> None:
    provider_store.cache_response("IGDB", "digest", body, lifetime=timedelta(days=1))
    assert (provider_store.cached_response("digest"), provider_store.cached_response("another")) == (body, None)

    clock.advance(days=1)
    assert provider_store.cached_response("digest") is None


def test_a_newer_response_replaces_an_older_one(provider_store: ProviderStore, clock: StillClock) -> None:
    provider_store.cache_response("IGDB", "digest", b"old", lifetime=timedelta(days=1))
    clock.advance(days=2)
    provider_store.cache_response("IGDB", "digest", b"new", lifetime=timedelta(days=1))

    assert provider_store.cached_response("digest") == b"new"


def test_concurrent_writers_may_cache_the_same_response(provider_store: ProviderStore) -> None:
    at_once([lambda: provider_store.cache_response("IGDB", "digest", b"body", lifetime=timedelta(days=1))] * 8)

    assert provider_store.cached_response("digest") == b"body"


def test_only_expired_responses_are_deleted(
    provider_store: ProviderStore, database: Database, clock: StillClock
) -> None:
    for digest, days in (("old", 1), ("young", 3)):
        provider_store.cache_response("IGDB", digest, b"body", lifetime=timedelta(days=days))
    before = clock()
    clock.advance(days=2)

    with database.write() as session:
        queries.delete_expired_responses(session, before=clock())

    with database.read() as session:
        remaining = [queries.find_response(session, digest, at=before) for digest in ("old", "young")]
    assert remaining == [None, b"body"]
