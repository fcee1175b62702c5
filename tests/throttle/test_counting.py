"""Failures in the database: the same for every process, and never one more than the limit."""

from playdock.kit.errors import TooManyFailures
from playdock.throttle import service
from playdock.throttle.rules import Limit
from world import World, at_once

LIMITS = (Limit("one", 5), Limit("two", 8))


def failing(world: World) -> int:
    """Fail once and give the seconds to wait, 0 if the failure was counted."""
    now = world.clock()
    try:
        with world.services.db.write() as session:
            service.count(session, LIMITS, at=now)
    except TooManyFailures as refused:
        return refused.retry_after
    return 0


def test_the_smallest_limit_decides(world: World) -> None:
    waits = [failing(world) for _ in range(7)]

    assert waits[:5] == [0] * 5
    assert all(590 <= seconds <= 600 for seconds in waits[5:])


def test_racers_get_exactly_as_many_failures_as_the_limit_allows(world: World) -> None:
    waits = at_once([lambda: failing(world)] * 16)

    assert waits.count(0) == 5


def test_the_window_slides(world: World) -> None:
    for _ in range(5):
        failing(world)
        world.clock.advance(minutes=1)
    world.clock.advance(minutes=5, seconds=5)

    assert [failing(world), failing(world) > 0] == [0, True]


def test_failures_against_other_keys_do_not_count(world: World) -> None:
    for _ in range(5):
        failing(world)

    with world.services.db.read() as session:
        service.refuse_if_exhausted(session, [Limit("three", 1)], at=world.clock())
