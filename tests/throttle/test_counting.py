"""Failures in the database: shared by all processes, and never more than the limit."""

import pytest
from sqlalchemy import func, select

from playdock.kit.errors import TooManyFailures
from playdock.models import FailedAttempt
from playdock.throttle import service
from playdock.throttle.rules import Limit
from world import World, at_once

pytestmark = pytest.mark.both_databases

LIMITS = (Limit("one", 5), Limit("two", 8))


def fail_once(world: World) -> int:
    """Count a failure and return the seconds to wait, 0 if it was counted."""
    now = world.clock()
    try:
        with world.services.db.write() as session:
            service.count(session, LIMITS, at=now)
    except TooManyFailures as refused:
        return refused.retry_after
    return 0


def test_the_lowest_limit_applies(world: World) -> None:
    waits = [fail_once(world) for _ in range(7)]

    assert waits[:5] == [0] * 5
    assert all(590 <= seconds <= 600 for seconds in waits[5:])


def test_concurrent_failures_never_exceed_the_limit(world: World) -> None:
    waits = at_once([lambda: fail_once(world)] * 16)

    assert waits.count(0) == 5


def test_the_window_slides(world: World) -> None:
    for _ in range(5):
        fail_once(world)
        world.clock.advance(minutes=1)
    world.clock.advance(minutes=5, seconds=5)

    assert [fail_once(world), fail_once(world) > 0] == [0, True]


def test_a_forgiven_attempt_does_not_count(world: World) -> None:
    for _ in range(7):
        with world.services.db.write() as session:
            service.forgive(session, service.count(session, LIMITS, at=world.clock()))

    assert fail_once(world) == 0


def test_failures_from_a_clock_that_ran_ahead_are_ignored_and_deleted(world: World) -> None:
    world.clock.advance(days=30)
    fail_once(world)
    world.clock.advance(days=-30)
    for _ in range(5):
        assert fail_once(world) == 0

    with world.services.db.write() as session:
        service.clean(session, at=world.clock())
        kept = session.scalar(select(func.count()).select_from(FailedAttempt))
    assert kept == 5 * len(LIMITS)


def test_a_clock_that_is_slightly_ahead_counts(world: World) -> None:
    world.clock.advance(seconds=30)
    waits = [fail_once(world) for _ in range(5)]
    world.clock.advance(seconds=-30)

    assert waits == [0] * 5
    assert fail_once(world) > 600


def test_failures_for_other_keys_do_not_count(world: World) -> None:
    for _ in range(5):
        fail_once(world)

    with world.services.db.read() as session:
        service.refuse_if_exhausted(session, [Limit("three", 1)], at=world.clock())
