"""Tasks under a runner: carried once, tried again, cancelled, given back."""

import os
import sys
import threading
import time
from datetime import timedelta
from functools import partial

import pytest

from playdock.jobs import queries
from playdock.jobs.drafts import Lane
from playdock.jobs.errors import PassingFault, TaskAlreadyRunning, TaskFailed
from playdock.jobs.rules import MOST_RETRIES, pause_before_retry
from playdock.jobs.work import LEASE, Work
from playdock.models import Task
from world import at_once

from .shop import PATIENCE, Shop, Step, fail, until_cancelled

# --- Ends ---


def test_a_step_that_returns_has_succeeded(shop: Shop) -> None:
    shop.runner(Step(lambda work: work.log("done")))
    task_id = shop.order()
    task = shop.end(task_id)
    assert (task.success, task.progress, task.error_title, task.owner) == (True, 100, None, None)
    assert shop.log(task_id) == ["done"]


@pytest.mark.parametrize(
    ("error", "title", "detail"),
    [
        (TaskFailed("Too bad", "It is broken. Mend it."), "Too bad", "It is broken. Mend it."),
        (ValueError("/srv/secret"), "Unexpected fault", "ValueError"),
    ],
)
def test_a_failure_ends_the_task_with_a_sentence(shop: Shop, error: Exception, title: str, detail: str) -> None:
    shop.runner(Step(fail(error)))
    task_id = shop.order()
    task = shop.end(task_id)
    assert (task.success, task.error_title) == (False, title)
    assert detail in (task.error_detail or "")
    assert shop.log(task_id) == [task.error_detail]


def test_a_group_that_nobody_knows_fails_its_task_and_not_the_runner(shop: Shop) -> None:
    shop.runner(Step(lambda _: None))
    assert shop.end(shop.order(group="from a newer release")).success is False
    assert shop.end(shop.order()).success is True


def test_what_a_step_completes_with_appears_with_its_success(shop: Shop) -> None:
    """The line is undone together with the success, since the step fails before its transaction ends."""

    def step(work: Work) -> None:
        with work.complete() as session:
            queries.add_line(session, work.task.id, at=work.clock(), level="info", message="half")
            raise TaskFailed("Late", "Late.")

    shop.runner(Step(step))
    task_id = shop.order()
    assert shop.end(task_id).success is False
    assert shop.log(task_id) == ["Late."]


# --- Subjects ---


def test_only_one_living_task_works_on_a_subject(shop: Shop) -> None:
    first = shop.order("Doom")
    with pytest.raises(TaskAlreadyRunning) as refused:
        shop.order("Doom")
    assert refused.value.task_id == first


def test_a_subject_is_free_again_when_its_task_has_ended(shop: Shop) -> None:
    shop.runner(Step(fail(TaskFailed("No", "No."))))
    first = shop.order("Doom")
    shop.end(first)
    assert shop.order("Doom") != first


# --- Trying again ---


def waits(retries: int, task: Task) -> bool:
    return task.owner is None and task.retries == retries


def test_a_fault_that_passes_is_tried_again_with_growing_pauses_and_then_fails(shop: Shop) -> None:
    runs: list[int] = []

    def step(_work: Work) -> None:
        runs.append(1)
        raise PassingFault("Away", "The disk is away.")

    shop.runner(Step(step))
    task_id = shop.order()
    for retries in range(MOST_RETRIES):
        waiting = shop.wait(task_id, partial(waits, retries + 1))
        pause = pause_before_retry(retries)
        assert timedelta() < waiting.due - shop.clock() <= pause
        assert waiting.due - shop.clock() > pause - timedelta(seconds=PATIENCE)
        shop.clock.advance(seconds=pause.total_seconds())
        shop.notifier.notify()

    task = shop.end(task_id)

    assert (len(runs), task.error_title, task.error_detail) == (MOST_RETRIES + 1, "Away", "The disk is away.")
    assert shop.log(task_id)[0] == "The disk is away. Trying again in 2 seconds."


def test_a_task_is_not_carried_before_its_time(shop: Shop) -> None:
    shop.clock.advance(hours=1)
    early = shop.order("early")
    shop.clock.advance(hours=-1)
    shop.runner(Step(lambda _: None))
    shop.end(shop.order("late"))
    assert shop.look(early).claims == 0


def test_a_fault_that_has_passed_lets_the_task_succeed(shop: Shop) -> None:
    faults = [PassingFault("Away", "The disk is away.")]

    def step(_work: Work) -> None:
        if faults:
            raise faults.pop()

    shop.runner(Step(step))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.retries)
    shop.clock.advance(seconds=3)
    shop.notifier.notify()
    assert shop.end(task_id).success


def test_progress_never_falls(shop: Shop) -> None:
    seen = threading.Event()

    def step(work: Work) -> None:
        if not work.task.retries:
            work.advance(50, 100)
            assert seen.wait(PATIENCE)
            raise PassingFault("Away", "Away.")
        work.advance(10, 100)
        until_cancelled(work)

    shop.runner(Step(step))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.progress == 50)
    seen.set()
    shop.wait(task_id, lambda task: task.retries)
    shop.clock.advance(seconds=3)
    shop.notifier.notify()
    shop.wait(task_id, lambda task: task.owner and task.claims == 2)
    time.sleep(1.0)  # longer than the pulse that writes progress down
    assert shop.look(task_id).progress == 50


# --- Cancelling ---


def test_a_queued_task_is_cancelled_at_once_and_never_runs(shop: Shop) -> None:
    runs: list[int] = []
    task_id = shop.order()
    assert shop.cancel(task_id)
    shop.runner(Step(lambda _: runs.append(1)))
    shop.end(shop.order("another"))
    assert (shop.look(task_id).error_title, runs) == ("Cancelled", [1])


def test_a_running_task_stops_soon_after_it_is_cancelled(shop: Shop) -> None:
    shop.runner(Step(until_cancelled))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.owner)
    assert shop.cancel(task_id)
    task = shop.end(task_id)
    assert (task.success, task.error_title) == (False, "Cancelled")


def test_a_task_that_waits_for_its_next_try_can_be_cancelled(shop: Shop) -> None:
    shop.runner(Step(fail(PassingFault("Away", "Away."))))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.retries)
    assert shop.cancel(task_id)
    assert shop.look(task_id).ended


def test_an_ended_task_cannot_be_cancelled(shop: Shop) -> None:
    shop.runner(Step(lambda _: None))
    task_id = shop.order()
    shop.end(task_id)
    assert not shop.cancel(task_id)
    assert shop.look(task_id).success


# --- Stopping ---


def test_a_stopped_runner_gives_its_task_back_and_the_next_goes_on_at_once(shop: Shop) -> None:
    runner = shop.runner(Step(until_cancelled))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.owner)

    began = time.monotonic()
    runner.stop()

    given_back = shop.look(task_id)
    assert time.monotonic() - began < 5
    assert (given_back.owner, given_back.retries, given_back.crashes, given_back.ended) == (None, 0, 0, None)
    shop.runner(Step(lambda _: None))
    assert shop.end(task_id).success


def test_a_step_that_does_not_look_up_keeps_no_runner_from_stopping(shop: Shop) -> None:
    release = threading.Event()
    runner = shop.runner(Step(lambda _: release.wait(PATIENCE)))
    shop.wait(shop.order(), lambda task: task.owner)

    began = time.monotonic()
    runner.stop()

    assert time.monotonic() - began < 5
    release.set()


# --- Lanes ---


def test_a_host_carries_one_heavy_task_at_a_time_however_many_runners_it_has(shop: Shop) -> None:
    carried: list[str] = []
    most: list[int] = []

    def step(work: Work) -> None:
        carried.append(work.task.id)
        most.append(len(carried))
        time.sleep(0.05)
        carried.remove(work.task.id)

    ordered = [shop.order(f"thing {number}", lane=Lane.HEAVY) for number in range(6)]
    for _ in range(3):
        shop.runner(Step(step))
    for task_id in ordered:
        assert shop.end(task_id).success

    assert most == [1] * len(ordered)


def test_of_runners_of_one_host_that_claim_at_once_one_gets_a_heavy_task(shop: Shop) -> None:
    for number in range(8):
        shop.order(f"thing {number}", lane=Lane.HEAVY)

    claims = [partial(shop.try_to_claim, owner=f"here:{number}", lane=Lane.HEAVY) for number in range(8)]
    claimed = [task for task in at_once(claims) if task]

    assert len(claimed) == 1


def test_each_host_carries_a_heavy_task_of_its_own(shop: Shop) -> None:
    ordered = [shop.order(f"thing {number}", lane=Lane.HEAVY) for number in range(3)]
    owners = ("there:1", "there:2", "there2:1", "there_:1")

    claimed = [shop.try_to_claim(owner=owner, lane=Lane.HEAVY) for owner in owners]

    assert [task and task.id for task in claimed] == [ordered[0], None, ordered[1], ordered[2]]


def test_a_heavy_task_is_waited_for_only_as_long_as_its_lease_lasts(shop: Shop) -> None:
    ordered = [shop.order(f"thing {number}", lane=Lane.HEAVY) for number in range(2)]
    for number in range(2):
        assert shop.try_to_claim(owner=f"there:{number}", lane=Lane.HEAVY) or number
    shop.clock.advance(seconds=LEASE.total_seconds() + 1)

    taken = shop.try_to_claim(owner="there:3", lane=Lane.HEAVY)

    assert taken is not None
    assert (taken.id, taken.crashes) == (ordered[0], 1)


def test_a_heavy_task_keeps_no_light_one_waiting(shop: Shop) -> None:
    shop.runner(Step(until_cancelled, "heavy"), Step(lambda _: None, "light"))
    heavy = shop.order("Doom", group="heavy", lane=Lane.HEAVY)
    shop.wait(heavy, lambda task: task.owner)

    assert shop.end(shop.order("Quake", group="light")).success

    assert shop.look(heavy).ended is None


def test_tasks_of_a_lane_run_one_after_the_other_the_oldest_first(shop: Shop) -> None:
    carried: list[str] = []
    ordered = [shop.order(f"thing {number}") for number in range(5)]
    shop.runner(Step(lambda work: carried.append(work.task.id)))
    shop.end(ordered[-1])
    assert carried == ordered


# --- Lanes ---


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has priorities of threads.")
def test_what_can_wait_lets_others_have_the_processor(shop: Shop) -> None:
    niceness: dict[str, int] = {}

    def step(work: Work) -> None:
        niceness[work.task.lane] = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    shop.runner(Step(step))
    shop.end(shop.order("at once", lane=Lane.LIGHT))
    shop.end(shop.order("some day", lane=Lane.SPARE))

    assert niceness["spare"] > niceness["light"]


def test_what_can_wait_keeps_nothing_waiting(shop: Shop) -> None:
    shop.runner(Step(until_cancelled), Step(lambda _: None, group="quick"))
    slow = shop.order("slow", lane=Lane.SPARE)
    shop.wait(slow, lambda task: task.owner)

    assert all(shop.end(shop.order(lane, group="quick", lane=lane)).success for lane in (Lane.LIGHT, Lane.HEAVY))

    shop.cancel(slow)
    assert shop.end(slow).error_title == "Cancelled"
