"""What all processes must know of a provider: the same limits, rests, tokens and answers."""

from datetime import timedelta

import pytest

from clocks import StillClock
from playdock.db.database import Database
from playdock.metadata import queries
from playdock.metadata.allowances import Allowance
from playdock.metadata.ledger import Ledger
from world import at_once

FOUR_A_SECOND = Allowance(4, 1.0)
ONE_A_MINUTE = Allowance(1, 60.0)


def waits(ledger: Ledger, *, times: int, allowance: Allowance = FOUR_A_SECOND) -> list[float | None]:
    return [ledger.reserve("IGDB", allowance, patience=3600) for _ in range(times)]


def test_turns_are_given_as_the_allowance_has_them(ledger: Ledger) -> None:
    assert waits(ledger, times=9) == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_each_provider_has_its_own_turns(ledger: Ledger) -> None:
    waits(ledger, times=4)

    assert ledger.reserve("Steam", FOUR_A_SECOND, patience=0) == 0


def test_a_turn_that_nobody_waits_for_is_not_taken(ledger: Ledger) -> None:
    waits(ledger, times=1, allowance=ONE_A_MINUTE)

    impatient = [ledger.reserve("IGDB", ONE_A_MINUTE, patience=59.9) for _ in range(3)]

    assert (impatient, waits(ledger, times=2, allowance=ONE_A_MINUTE)) == ([None] * 3, [60, 120])


def test_two_processes_share_one_limit(database: Database, clock: StillClock) -> None:
    processes = [Database(database.url.render_as_string(hide_password=False)) for _ in range(2)]
    ledgers = [Ledger(process, clock) for process in processes]

    def reserve(ledger: Ledger) -> float | None:
        return ledger.reserve("IGDB", FOUR_A_SECOND, patience=3600)

    given = at_once([lambda: reserve(ledgers[0]), lambda: reserve(ledgers[1])] * 6)
    for process in processes:
        process.close()

    assert sorted(seconds for seconds in given if seconds is not None) == [0] * 4 + [1] * 4 + [2] * 4


def test_a_provider_that_wants_rest_is_left_alone_by_all(ledger: Ledger, clock: StillClock) -> None:
    ledger.rest("IGDB", seconds=30)

    assert ledger.reserve("IGDB", FOUR_A_SECOND, patience=29) is None
    assert waits(ledger, times=5) == [30, 30, 30, 30, 31]
    assert ledger.reserve("Steam", FOUR_A_SECOND, patience=0) == 0
    clock.advance(seconds=40)
    assert waits(ledger, times=1) == [0]


def test_a_shorter_rest_does_not_end_a_longer_one(ledger: Ledger) -> None:
    for seconds in (5, 60, 10):
        ledger.rest("IGDB", seconds=seconds)

    assert waits(ledger, times=1) == [60]


def test_a_token_is_kept_until_its_end_and_renewed(ledger: Ledger, clock: StillClock) -> None:
    assert ledger.token("IGDB") is None
    ledger.keep_token("IGDB", "first", lifetime=timedelta(hours=1))
    ledger.keep_token("IGDB", "second", lifetime=timedelta(hours=1))
    assert (ledger.token("IGDB"), ledger.token("Steam")) == ("second", None)

    clock.advance(hours=1)
    assert ledger.token("IGDB") is None


def test_turns_leave_the_token_alone(ledger: Ledger) -> None:
    ledger.keep_token("IGDB", "kept", lifetime=timedelta(hours=1))
    waits(ledger, times=5)
    ledger.rest("IGDB", seconds=1)

    assert ledger.token("IGDB") == "kept"


@pytest.mark.parametrize("body", [b"", b"[]", bytes(range(256)), b"x" * 2_000_000])
def test_an_answer_is_recalled_as_it_was_until_its_end(ledger: Ledger, clock: StillClock, body: bytes) -> None:
    ledger.keep("IGDB", "digest", body, lifetime=timedelta(days=1))
    assert (ledger.recall("digest"), ledger.recall("another")) == (body, None)

    clock.advance(days=1)
    assert ledger.recall("digest") is None


def test_a_newer_answer_takes_the_place_of_an_older_one(ledger: Ledger, clock: StillClock) -> None:
    ledger.keep("IGDB", "digest", b"old", lifetime=timedelta(days=1))
    clock.advance(days=2)
    ledger.keep("IGDB", "digest", b"new", lifetime=timedelta(days=1))

    assert ledger.recall("digest") == b"new"


def test_many_may_keep_the_same_answer_at_once(ledger: Ledger) -> None:
    at_once([lambda: ledger.keep("IGDB", "digest", b"body", lifetime=timedelta(days=1))] * 8)

    assert ledger.recall("digest") == b"body"


def test_only_answers_that_are_of_no_use_are_forgotten(ledger: Ledger, database: Database, clock: StillClock) -> None:
    for digest, days in (("old", 1), ("young", 3)):
        ledger.keep("IGDB", digest, b"body", lifetime=timedelta(days=days))
    before = clock()
    clock.advance(days=2)

    with database.write() as session:
        queries.forget_answers(session, before=clock())

    with database.read() as session:
        left = [queries.find_answer(session, digest, at=before) for digest in ("old", "young")]
    assert left == [None, b"body"]
