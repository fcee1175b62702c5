"""Tasks under a runner: carried once, tried again, cancelled, given back."""

import os
import sys
import threading
import time
from datetime import timedelta
from functools import partial

import pytest

from playdock.kit.messages import Message
from playdock.models import Task
from playdock.tasks import queries
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import RetryableFailure, TaskAlreadyRunning, TaskFailed
from playdock.tasks.new_task import Queue
from playdock.tasks.rules import MAX_RETRIES, delay_before_retry
from waiting import wait_until
from world import at_once

from .shop import PATIENCE, Step, TaskHarness, fail, until_cancelled

pytestmark = pytest.mark.both_databases

# --- Ends ---


def test_a_step_that_returns_succeeds(shop: TaskHarness) -> None:
    shop.runner(Step(lambda context: context.log(Message.worded("done", "done"))))
    task_id = shop.order()
    task = shop.end(task_id)
    assert (task.success, task.progress, task.error_title, task.worker_id) == (True, 100, None, None)
    assert shop.log(task_id) == ["done"]


@pytest.mark.parametrize(
    ("error", "title", "detail"),
    [
        (TaskFailed("Too bad", Message("library-empty")), "Too bad", Message("library-empty")),
        (ValueError("/srv/secret"), "Unexpected fault", "ValueError"),
    ],
)
def test_a_failure_ends_the_task_with_a_message(shop: TaskHarness, error: Exception, title: str, detail: str) -> None:
    shop.runner(Step(fail(error)))
    task_id = shop.order()
    task = shop.end(task_id)
    assert (task.success, task.error_title) == (False, title)
    assert detail in (task.error_detail or "")
    assert shop.log(task_id) == [task.error_detail]


def test_a_task_of_an_unknown_type_waits_for_a_runner_of_a_newer_release(shop: TaskHarness) -> None:
    """The older runner claims tasks in their order, so it has skipped the first one when the second has ended."""
    shop.runner(Step(lambda _: None))
    newer = shop.order("newer", task_type="from a newer release")
    assert shop.end(shop.order()).success is True
    waiting = shop.look(newer)
    assert (waiting.ended, waiting.attempt, waiting.worker_id) == (None, 0, None)
    shop.runner(Step(lambda _: None, task_type="from a newer release"))
    assert shop.end(newer).success is True


def test_a_task_that_no_release_knows_can_be_cancelled(shop: TaskHarness) -> None:
    shop.runner(Step(lambda _: None))
    task_id = shop.order(task_type="from a newer release")
    assert shop.cancel(task_id)
    assert shop.look(task_id).error_title == "Cancelled"


def test_changes_made_on_completion_are_rolled_back_if_the_step_fails(shop: TaskHarness) -> None:
    """The line is undone together with the success, since the step fails before its transaction ends."""

    def step(context: TaskContext) -> None:
        with context.complete() as session:
            queries.add_line(session, context.task.id, at=context.clock(), level="info", message=Message("no-answer"))
            raise TaskFailed("Late", Message.worded("late", "Late."))

    shop.runner(Step(step))
    task_id = shop.order()
    assert shop.end(task_id).success is False
    assert shop.log(task_id) == ["Late."]


# --- Subjects ---


def test_only_one_active_task_works_on_a_subject(shop: TaskHarness) -> None:
    first = shop.order("Doom")
    with pytest.raises(TaskAlreadyRunning) as refused:
        shop.order("Doom")
    assert refused.value.task_id == first


def test_a_subject_is_available_again_when_its_task_has_ended(shop: TaskHarness) -> None:
    shop.runner(Step(fail(TaskFailed("No", Message.worded("no", "No.")))))
    first = shop.order("Doom")
    shop.end(first)
    assert shop.order("Doom") != first


# --- Trying again ---


def waits(retries: int, task: Task) -> bool:
    return task.worker_id is None and task.retries == retries


def test_a_retryable_failure_is_retried_with_increasing_delays_and_then_fails(shop: TaskHarness) -> None:
    runs: list[int] = []

    def step(_work: TaskContext) -> None:
        runs.append(1)
        raise RetryableFailure("Away", Message.worded("away", "The disk is away."))

    shop.runner(Step(step))
    task_id = shop.order()
    for retries in range(MAX_RETRIES):
        waiting = shop.wait(task_id, partial(waits, retries + 1))
        pause = delay_before_retry(retries)
        assert timedelta() < waiting.due - shop.clock() <= pause
        assert waiting.due - shop.clock() > pause - timedelta(seconds=PATIENCE)
        shop.clock.advance(seconds=pause.total_seconds())
        shop.signal.notify()

    task = shop.end(task_id)

    assert (len(runs), task.error_title, task.error_detail) == (MAX_RETRIES + 1, "Away", "The disk is away.")
    assert shop.log(task_id)[0] == "The disk is away. Trying again in 2 seconds."


def test_a_task_is_not_run_before_it_is_due(shop: TaskHarness) -> None:
    early = shop.order("early", delay=timedelta(minutes=9))
    shop.runner(Step(lambda _: None))
    shop.end(shop.order("late"))
    assert shop.look(early).attempt == 0


def test_a_task_succeeds_once_the_failure_is_resolved(shop: TaskHarness) -> None:
    faults = [RetryableFailure("Away", Message.worded("away", "The disk is away."))]

    def step(_work: TaskContext) -> None:
        if faults:
            raise faults.pop()

    shop.runner(Step(step))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.retries)
    shop.clock.advance(seconds=3)
    shop.signal.notify()
    assert shop.end(task_id).success


def test_progress_never_decreases(shop: TaskHarness) -> None:
    seen, contexts = threading.Event(), list[TaskContext]()

    def step(context: TaskContext) -> None:
        contexts.append(context)
        if not context.task.retries:
            context.advance(50, 100)
            assert seen.wait(PATIENCE)
            raise RetryableFailure("Away", Message.worded("away", "Away."))
        context.advance(10, 100)
        until_cancelled(context)

    shop.runner(Step(step))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.progress == 50)
    seen.set()
    shop.wait(task_id, lambda task: task.retries)
    shop.clock.advance(seconds=3)
    shop.signal.notify()
    shop.wait(task_id, lambda task: task.worker_id and task.attempt == 2)
    wait_until(lambda: len(contexts) == 2)
    wait_until(lambda: contexts[1]._saved == contexts[1].progress)  # the pulse has written it down
    assert shop.look(task_id).progress == 50


# --- Cancelling ---


def test_a_queued_task_is_cancelled_immediately_and_never_runs(shop: TaskHarness) -> None:
    runs: list[int] = []
    task_id = shop.order()
    assert shop.cancel(task_id)
    shop.runner(Step(lambda _: runs.append(1)))
    shop.end(shop.order("another"))
    assert (shop.look(task_id).error_title, runs) == ("Cancelled", [1])


def test_a_running_task_stops_soon_after_it_is_cancelled(shop: TaskHarness) -> None:
    shop.runner(Step(until_cancelled))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.worker_id)
    assert shop.cancel(task_id)
    task = shop.end(task_id)
    assert (task.success, task.error_title) == (False, "Cancelled")


def test_a_task_waiting_for_a_retry_can_be_cancelled(shop: TaskHarness) -> None:
    shop.runner(Step(fail(RetryableFailure("Away", Message.worded("away", "Away.")))))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.retries)
    assert shop.cancel(task_id)
    assert shop.look(task_id).ended


def test_an_ended_task_cannot_be_cancelled(shop: TaskHarness) -> None:
    shop.runner(Step(lambda _: None))
    task_id = shop.order()
    shop.end(task_id)
    assert not shop.cancel(task_id)
    assert shop.look(task_id).success


# --- Stopping ---


def test_a_stopped_runner_releases_its_task_and_the_next_runner_resumes_it(shop: TaskHarness) -> None:
    runner = shop.runner(Step(until_cancelled))
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.worker_id)

    began = time.monotonic()
    runner.stop()

    given_back = shop.look(task_id)
    assert time.monotonic() - began < PATIENCE
    assert (given_back.worker_id, given_back.retries, given_back.crashes, given_back.ended) == (None, 0, 0, None)
    shop.runner(Step(lambda _: None))
    assert shop.end(task_id).success


def test_an_unresponsive_step_does_not_prevent_the_runner_from_stopping(shop: TaskHarness) -> None:
    release = threading.Event()
    runner = shop.runner(Step(lambda _: release.wait(PATIENCE)))
    shop.wait(shop.order(), lambda task: task.worker_id)

    began = time.monotonic()
    runner.stop()

    assert time.monotonic() - began < PATIENCE
    release.set()


# --- Lanes ---


def test_a_host_runs_one_cpu_task_at_a_time(shop: TaskHarness) -> None:
    running: list[str] = []
    most: list[int] = []

    def step(context: TaskContext) -> None:
        running.append(context.task.id)
        most.append(len(running))
        time.sleep(0.05)
        running.remove(context.task.id)

    ordered = [shop.order(f"thing {number}", queue=Queue.CPU) for number in range(6)]
    for _ in range(3):
        shop.runner(Step(step))
    for task_id in ordered:
        assert shop.end(task_id).success

    assert most == [1] * len(ordered)


def test_concurrent_runners_on_one_host_claim_only_one_cpu_task(shop: TaskHarness) -> None:
    for number in range(8):
        shop.order(f"thing {number}", queue=Queue.CPU)

    attempt = [partial(shop.try_to_claim, worker_id=f"here:{number}", queue=Queue.CPU) for number in range(8)]
    claimed = [task for task in at_once(attempt) if task]

    assert len(claimed) == 1


def test_each_host_runs_its_own_cpu_task(shop: TaskHarness) -> None:
    ordered = [shop.order(f"thing {number}", queue=Queue.CPU) for number in range(3)]
    worker_ids = ("there:1", "there:2", "there2:1", "there_:1")

    claimed = [shop.try_to_claim(worker_id=worker_id, queue=Queue.CPU) for worker_id in worker_ids]

    assert [task and task.id for task in claimed] == [ordered[0], None, ordered[1], ordered[2]]


def test_the_next_cpu_task_can_be_claimed_when_the_lease_has_expired(shop: TaskHarness) -> None:
    ordered = [shop.order(f"thing {number}", queue=Queue.CPU) for number in range(2)]
    for number in range(2):
        assert shop.try_to_claim(worker_id=f"there:{number}", queue=Queue.CPU) or number
    shop.let_leases_expire()

    taken = shop.try_to_claim(worker_id="there:3", queue=Queue.CPU)

    assert taken is not None
    assert (taken.id, taken.crashes) == (ordered[0], 1)


def test_a_cpu_task_does_not_delay_tasks_of_other_queues(shop: TaskHarness) -> None:
    shop.runner(Step(until_cancelled, "heavy"), Step(lambda _: None, "light"))
    heavy = shop.order("Doom", task_type="heavy", queue=Queue.CPU)
    shop.wait(heavy, lambda task: task.worker_id)

    assert shop.end(shop.order("Quake", task_type="light")).success

    assert shop.look(heavy).ended is None


def test_tasks_of_one_queue_run_in_order(shop: TaskHarness) -> None:
    running: list[str] = []
    ordered = [shop.order(f"thing {number}") for number in range(5)]
    shop.runner(Step(lambda context: running.append(context.task.id)))
    shop.end(ordered[-1])
    assert running == ordered


# --- Lanes ---


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has priorities of threads.")
def test_low_priority_tasks_run_with_a_higher_niceness(shop: TaskHarness) -> None:
    niceness: dict[str, int] = {}

    def step(context: TaskContext) -> None:
        niceness[context.task.queue] = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    shop.runner(Step(step))
    shop.end(shop.order("at once", queue=Queue.DEFAULT))
    shop.end(shop.order("some day", queue=Queue.LOW))

    assert niceness["low"] > niceness["default"]


def test_low_priority_tasks_do_not_delay_other_queues(shop: TaskHarness) -> None:
    shop.runner(Step(until_cancelled), Step(lambda _: None, task_type="quick"))
    slow = shop.order("slow", queue=Queue.LOW)
    shop.wait(slow, lambda task: task.worker_id)

    assert all(
        shop.end(shop.order(queue, task_type="quick", queue=queue)).success for queue in (Queue.DEFAULT, Queue.CPU)
    )

    shop.cancel(slow)
    assert shop.end(slow).error_title == "Cancelled"
