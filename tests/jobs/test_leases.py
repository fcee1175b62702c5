"""Leases: a task belongs to one runner at a time, and outlives it."""

import os
import subprocess
import sys

import pytest

from playdock.jobs import queries
from playdock.jobs.errors import Cancelled, LeaseLost
from playdock.jobs.owners import new_owner
from playdock.jobs.rules import MOST_CRASHES
from playdock.jobs.work import LEASE

from .shop import Shop, Step, until_cancelled


def test_a_dead_runners_task_is_left_alone_until_its_lease_has_run_out(shop: Shop) -> None:
    task_id = shop.order()
    shop.claim()
    shop.runner(Step(lambda _: None))
    shop.end(shop.order("another"))
    assert shop.look(task_id).owner == "another"

    shop.clock.advance(seconds=LEASE.total_seconds() + 1)
    shop.notifier.notify()

    task = shop.end(task_id)
    assert (task.success, task.claims, task.crashes) == (True, 2, 1)


def test_a_task_of_a_process_that_died_on_this_machine_is_taken_over_at_the_next_start(shop: Shop) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    task_id = shop.order()
    host, machine, _, chance = new_owner().split(":")
    shop.claim(owner=f"{host}:{machine}:{gone.pid}:{chance}")

    shop.runner(Step(lambda _: None))

    task = shop.end(task_id)
    assert (task.success, task.claims, task.crashes) == (True, 2, 1)


@pytest.mark.parametrize(
    "pattern",
    [
        f"{{host}}:{{machine}}:{os.getpid()}:abc",
        "elsewhere:{machine}:{gone}:abc",
        "{host}:other:{gone}:abc",
        "nonsense",
    ],
    ids=["lives here", "elsewhere", "a container of the same name", "unreadable"],
)
def test_a_task_of_whoever_may_live_is_left_alone_at_a_start(shop: Shop, pattern: str) -> None:
    host, machine, *_ = new_owner().split(":")
    owner = pattern.format(host=host, machine=machine, gone=2**22 + 1)  # higher than any process's number
    task_id = shop.order()
    shop.claim(owner=owner)

    shop.runner(Step(lambda _: None))
    shop.end(shop.order("another"))

    assert shop.look(task_id).owner == owner


def test_a_runner_that_lost_its_lease_writes_nothing(shop: Shop) -> None:
    task_id = shop.order()
    work = shop.work(shop.claim())
    shop.clock.advance(seconds=LEASE.total_seconds() + 1)
    shop.claim(owner="the next")

    with pytest.raises(LeaseLost), work.checkpoint() as session:
        queries.add_line(session, task_id, at=shop.clock(), level="info", message="late")
    with pytest.raises(LeaseLost), work.complete() as session:
        queries.add_line(session, task_id, at=shop.clock(), level="info", message="later")
    work.log("latest")
    work.progress = 70
    work.beat(renew=True)

    task = shop.look(task_id)
    assert (task.owner, task.ended, task.progress, shop.log(task_id)) == ("the next", None, 0, [])
    with pytest.raises(LeaseLost):
        work.check()


def test_a_runner_that_lost_its_lease_to_itself_writes_nothing_either(shop: Shop) -> None:
    """The number of the claim tells, not only the owner's name."""
    task_id = shop.order()
    work = shop.work(shop.claim())
    shop.clock.advance(seconds=LEASE.total_seconds() + 1)
    shop.claim()

    with pytest.raises(LeaseLost), work.complete():
        pass
    assert shop.look(task_id).ended is None


def test_a_lease_is_renewed_while_its_runner_works(shop: Shop) -> None:
    shop.runner(Step(until_cancelled))
    task_id = shop.order()
    first = shop.wait(task_id, lambda task: task.owner)
    renewed = shop.wait(task_id, lambda task: task.leased_until != first.leased_until)
    assert first.leased_until is not None
    assert renewed.leased_until is not None
    assert (renewed.leased_until > first.leased_until, renewed.claims) == (True, 1)


def test_a_task_that_takes_its_runners_down_is_given_up(shop: Shop) -> None:
    runs: list[int] = []
    task_id = shop.order()
    for _ in range(MOST_CRASHES + 1):
        shop.claim()
        shop.clock.advance(seconds=LEASE.total_seconds() + 1)

    shop.runner(Step(lambda _: runs.append(1)))

    task = shop.end(task_id)
    assert (task.error_title, runs) == ("Given up", [])
    assert str(MOST_CRASHES + 1) in (task.error_detail or "")


def test_a_task_survives_as_many_crashes_as_it_may(shop: Shop) -> None:
    task_id = shop.order()
    for _ in range(MOST_CRASHES):
        shop.claim()
        shop.clock.advance(seconds=LEASE.total_seconds() + 1)
    shop.runner(Step(lambda _: None))
    assert shop.end(task_id).success


def test_crashes_before_a_checkpoint_count_no_more(shop: Shop) -> None:
    task_id = shop.order()
    for _ in range(MOST_CRASHES + 1):
        work = shop.work(shop.claim())
        work.log("a line is no progress")
        shop.clock.advance(seconds=LEASE.total_seconds() + 1)
    assert shop.look(task_id).crashes == MOST_CRASHES

    last = shop.work(shop.claim())
    with pytest.raises(ValueError, match="undone"), last.checkpoint():
        raise ValueError("undone")
    assert shop.look(task_id).crashes == MOST_CRASHES + 1
    with last.checkpoint():
        pass

    shop.clock.advance(seconds=LEASE.total_seconds() + 1)
    shop.runner(Step(lambda _: None))
    task = shop.end(task_id)
    assert (task.success, task.crashes) == (True, 1)


def test_two_runners_never_carry_one_task_twice(shop: Shop) -> None:
    carried: list[str] = []
    step = Step(lambda work: carried.append(work.task.id))
    ordered = [shop.order(f"thing {number}") for number in range(40)]

    for _ in range(2):
        shop.runner(step)
    for task_id in ordered:
        shop.end(task_id)

    assert sorted(carried) == sorted(ordered)


def test_a_cancel_that_was_answered_before_the_end_is_honoured(shop: Shop) -> None:
    task_id = shop.order()
    work = shop.work(shop.claim())
    assert shop.cancel(task_id)

    with pytest.raises(Cancelled), work.complete() as session:
        queries.add_line(session, task_id, at=shop.clock(), level="info", message="done")

    assert (shop.look(task_id).success, shop.log(task_id)) == (False, [])
