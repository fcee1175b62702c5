"""Leases: a task belongs to one runner at a time, and outlives it."""

import os
import subprocess
import sys
from contextlib import closing
from datetime import timedelta

import pytest

from playdock.db.database import SESSION_LIMITS, Database
from playdock.kit.messages import Message
from playdock.kit.workers import new_worker_id
from playdock.tasks import lease_queries, queries
from playdock.tasks.context import LEASE
from playdock.tasks.errors import Cancelled, LeaseLost
from playdock.tasks.new_task import Queue
from playdock.tasks.rules import MAX_CRASHES

from .shop import Step, TaskHarness, until_cancelled

pytestmark = pytest.mark.both_databases


def test_a_task_is_taken_over_only_after_its_lease_has_expired(shop: TaskHarness) -> None:
    task_id = shop.order()
    shop.claim()
    shop.runner(Step(lambda _: None))
    shop.end(shop.order("another"))
    assert shop.look(task_id).worker_id == "another"

    shop.let_leases_expire()
    shop.signal.notify()

    task = shop.end(task_id)
    assert (task.success, task.attempt, task.crashes) == (True, 2, 1)


@pytest.mark.parametrize("queue", [Queue.DEFAULT, Queue.CPU])
@pytest.mark.parametrize(("days", "claimed"), [(3, False), (3, True), (0.001, False)])
def test_a_task_from_a_time_when_the_clock_was_ahead_is_not_waited_for(
    shop: TaskHarness, queue: Queue, days: float, *, claimed: bool
) -> None:
    shop.clock.advance(days=days)
    task_id = shop.order(queue=queue)
    if claimed:
        assert shop.try_to_claim(worker_id="another", queue=queue)
    shop.clock.advance(days=-days)

    shop.runner(Step(lambda _: None))

    assert shop.end(task_id).success


def test_a_node_whose_clock_is_behind_waits_before_it_tries_again(shop: TaskHarness) -> None:
    shop.order()
    shop.clock.advance(seconds=-60)
    task = shop.claim()
    with shop.db.write() as session:
        lease_queries.release(session, task, due=shop.clock() + timedelta(seconds=2), retries=1)

    assert shop.try_to_claim(worker_id="another") is None
    shop.clock.advance(seconds=3)
    assert shop.try_to_claim(worker_id="another")


def test_a_task_claimed_when_the_clock_was_ahead_is_cancelled_at_once(shop: TaskHarness) -> None:
    if not shop.db.embedded:
        pytest.skip("On PostgreSQL, leases do not use the clocks of the nodes.")
    shop.clock.advance(days=3)
    task_id = shop.order()
    shop.claim()
    shop.clock.advance(days=-3)

    assert shop.cancel(task_id)
    assert shop.look(task_id).ended


def test_a_task_of_a_dead_process_on_this_host_is_taken_over_at_startup(shop: TaskHarness) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    task_id = shop.order()
    host, machine, _, chance = new_worker_id("here").split(":")
    shop.claim(worker_id=f"{host}:{machine}:{gone.pid}:{chance}")

    shop.runner(Step(lambda _: None))

    task = shop.end(task_id)
    assert (task.success, task.attempt, task.crashes) == (True, 2, 1)


@pytest.mark.parametrize(
    "pattern",
    [
        f"{{host}}:{{machine}}:{os.getpid()}:abc",
        "{host}:other:{gone}:abc",
        "nonsense",
    ],
    ids=["lives here", "a container of the same name", "unreadable"],
)
def test_a_task_of_a_possibly_running_process_is_not_taken_over_at_startup(shop: TaskHarness, pattern: str) -> None:
    host, machine, *_ = new_worker_id("here").split(":")
    worker_id = pattern.format(host=host, machine=machine, gone=2**22 + 1)  # higher than any process's number
    task_id = shop.order()
    shop.claim(worker_id=worker_id)

    shop.runner(Step(lambda _: None))
    shop.end(shop.order("another"))

    assert shop.look(task_id).worker_id == worker_id


def test_a_runner_that_lost_its_lease_cannot_write(shop: TaskHarness) -> None:
    task_id = shop.order()
    context = shop.context(shop.claim())
    shop.let_leases_expire()
    shop.claim(worker_id="the next")

    with pytest.raises(LeaseLost), context.checkpoint() as session:
        queries.add_line(session, task_id, at=shop.clock(), level="info", message=Message.worded("late", "late"))
    with pytest.raises(LeaseLost), context.complete() as session:
        queries.add_line(session, task_id, at=shop.clock(), level="info", message=Message.worded("later", "later"))
    context.log(Message.worded("latest", "latest"))
    context.progress = 70
    context.renew_lease(renew=True)

    task = shop.look(task_id)
    assert (task.worker_id, task.ended, task.progress, shop.log(task_id)) == ("the next", None, 0, [])
    with pytest.raises(LeaseLost):
        context.check()


def test_a_runner_that_lost_its_lease_to_itself_cannot_write(shop: TaskHarness) -> None:
    """The number of the claim tells, not only the owner's name."""
    task_id = shop.order()
    context = shop.context(shop.claim())
    shop.let_leases_expire()
    shop.claim()

    with pytest.raises(LeaseLost), context.complete():
        pass
    assert shop.look(task_id).ended is None


def test_a_lease_is_renewed_while_the_task_runs(shop: TaskHarness) -> None:
    shop.runner(Step(until_cancelled))
    task_id = shop.order()
    first = shop.wait(task_id, lambda task: task.worker_id)
    renewed = shop.wait(task_id, lambda task: task.leased_until != first.leased_until)
    assert first.leased_until is not None
    assert renewed.leased_until is not None
    assert (renewed.leased_until > first.leased_until, renewed.attempt) == (True, 1)


def test_a_renewal_does_not_wait_for_a_transaction_that_has_locked_the_task(
    shop: TaskHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that takes long, for example at the end of an import, would delay the leases of other tasks."""
    if shop.db.embedded:
        pytest.skip("On SQLite, transactions lock the whole database.")
    monkeypatch.setitem(SESSION_LIMITS, "lock_timeout", 0.1)
    shop.order()
    task = shop.claim()
    shop.let_leases_expire()
    with closing(Database(shop.db.url.render_as_string(hide_password=False))) as other, other.write() as ending:
        assert lease_queries.lock(ending, task) is False
        with shop.db.write() as session:
            assert lease_queries.renew(session, task, at=shop.clock(), lease=LEASE, progress=1.0) is False
        assert shop.try_to_claim(worker_id="another") is None
    assert shop.try_to_claim(worker_id="another") is not None


def test_a_task_that_crashes_its_runners_too_often_fails(shop: TaskHarness) -> None:
    runs: list[int] = []
    task_id = shop.order()
    for _ in range(MAX_CRASHES + 1):
        shop.claim()
        shop.let_leases_expire()

    shop.runner(Step(lambda _: runs.append(1)))

    task = shop.end(task_id)
    assert (task.error_title, runs) == ("Given up", [])
    assert str(MAX_CRASHES + 1) in (task.error_detail or "")


def test_a_task_survives_the_maximum_number_of_crashes(shop: TaskHarness) -> None:
    task_id = shop.order()
    for _ in range(MAX_CRASHES):
        shop.claim()
        shop.let_leases_expire()
    shop.runner(Step(lambda _: None))
    assert shop.end(task_id).success


def test_a_checkpoint_resets_the_number_of_crashes(shop: TaskHarness) -> None:
    task_id = shop.order()
    for _ in range(MAX_CRASHES + 1):
        context = shop.context(shop.claim())
        context.log(Message.worded("line", "a line is no progress"))
        shop.let_leases_expire()
    assert shop.look(task_id).crashes == MAX_CRASHES

    last = shop.context(shop.claim())
    with pytest.raises(ValueError, match="undone"), last.checkpoint():
        raise ValueError("undone")
    assert shop.look(task_id).crashes == MAX_CRASHES + 1
    with last.checkpoint():
        pass

    shop.let_leases_expire()
    shop.runner(Step(lambda _: None))
    task = shop.end(task_id)
    assert (task.success, task.crashes) == (True, 1)


@pytest.mark.parametrize("seconds", [-60, 60])
def test_a_node_with_a_wrong_clock_takes_no_task_from_another(shop: TaskHarness, seconds: int) -> None:
    if shop.db.embedded:
        pytest.skip("Processes with the same SQLite database have the same clock.")
    task_id = shop.order()
    context = shop.context(shop.claim())
    shop.clock.advance(seconds=seconds)

    assert shop.try_to_claim(worker_id="a node with a wrong clock") is None

    context.renew_lease(renew=True)
    shop.clock.advance(seconds=-seconds)
    assert shop.try_to_claim(worker_id="the next") is None
    shop.let_leases_expire()
    assert shop.claim(worker_id="the next").id == task_id


def test_two_runners_never_run_the_same_task(shop: TaskHarness) -> None:
    running: list[str] = []
    step = Step(lambda context: running.append(context.task.id))
    ordered = [shop.order(f"thing {number}") for number in range(40)]

    for _ in range(2):
        shop.runner(step)
    for task_id in ordered:
        shop.end(task_id)

    assert sorted(running) == sorted(ordered)


def test_a_cancellation_accepted_before_the_end_is_honored(shop: TaskHarness) -> None:
    task_id = shop.order()
    context = shop.context(shop.claim())
    assert shop.cancel(task_id)

    with pytest.raises(Cancelled), context.complete() as session:
        queries.add_line(session, task_id, at=shop.clock(), level="info", message=Message.worded("done", "done"))

    assert (shop.look(task_id).success, shop.log(task_id)) == (False, [])


def test_a_task_for_a_node_is_left_to_it(shop: TaskHarness) -> None:
    for_two = shop.order("bound", node="two")

    assert shop.try_to_claim(worker_id="one:1:a") is None
    assert shop.try_to_claim(worker_id="two-b:1:a") is None
    claimed = shop.try_to_claim(worker_id="two:1:a")
    assert claimed
    assert claimed.id == for_two
