"""Tasks across processes on PostgreSQL: notified, claimed and cancelled; and how many use the cores of a node."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from playdock.db import listening
from playdock.db.database import Database
from playdock.db.notifying import Channel
from playdock.settings import Settings
from playdock.tasks import runner as module
from playdock.tasks.context import TaskContext
from playdock.tasks.new_task import Queue
from playdock.tasks.registry import TaskRegistry
from playdock.tasks.runner import Runner
from playdock.tasks.task_signal import TaskSignal
from waiting import MAX_WAIT_SECONDS, wait_until

from .shop import Step, TaskHarness, until_cancelled


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without notifications, nothing would be noticed until the test has failed."""
    for name in ("_POLL_SECONDS", "_SAFETY_POLL_SECONDS", "_RENEW_SECONDS"):
        monkeypatch.setattr(module, name, 10 * MAX_WAIT_SECONDS)


@pytest.fixture
def node(shop: TaskHarness, tmp_path: Path) -> Iterator[Callable[..., Runner]]:
    """Starts runners as other processes do: with connections and a signal of their own."""
    if shop.db.embedded:
        pytest.skip("SQLite has no notifications.")
    databases = []

    def started(step: Callable[[TaskContext], object]) -> Runner:
        url = shop.db.url.render_as_string(hide_password=False)
        databases.append(Database(Settings(data_dir=tmp_path, database_url=url).database))
        runner = Runner(
            databases[-1], shop.clock, TaskRegistry([Step(step)]), signal=TaskSignal(), on_tick=lambda: None
        )
        runner.start()
        shop.runners.append(runner)
        wait_until(lambda: runner._notifications.connected)
        return runner

    yield started
    for runner in shop.runners:
        runner.stop()
    shop.runners.clear()
    for database in databases:
        database.close()


@pytest.mark.both_databases
@pytest.mark.usefixtures("seldom")
def test_another_process_starts_and_cancels_a_task_when_it_is_notified(
    shop: TaskHarness, node: Callable[..., Runner]
) -> None:
    node(until_cancelled)
    task_id = shop.order()
    shop.wait(task_id, lambda task: task.worker_id)
    assert shop.cancel(task_id)
    assert shop.end(task_id).error_title == "Cancelled"


@pytest.mark.both_databases
@pytest.mark.usefixtures("seldom")
def test_notifications_arrive_again_after_the_connection_was_lost(
    shop: TaskHarness, node: Callable[..., Runner]
) -> None:
    node(lambda _: None)
    shop.end(shop.order("before"))
    address = shop.db.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with closing(psycopg.connect(address, autocommit=True)) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
    assert shop.end(shop.order("after")).success


@pytest.mark.both_databases
def test_a_process_that_listens_stops_at_once(shop: TaskHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_WAIT_SECONDS", MAX_WAIT_SECONDS)
    if shop.db.embedded:
        pytest.skip("SQLite has no notifications.")
    listener = shop.db.listen(Channel.TASKS, lambda: None)
    listener.start()
    wait_until(lambda: listener.connected)
    stopping = threading.Thread(target=listener.stop)
    stopping.start()
    stopping.join(MAX_WAIT_SECONDS / 2)
    assert not stopping.is_alive()


@pytest.mark.parametrize(("allowed", "expected"), [(1, 1), (2, 2)])
def test_the_processes_of_a_node_run_no_more_cpu_tasks_than_allowed(
    shop: TaskHarness, allowed: int, expected: int
) -> None:
    begun, done = list[str](), threading.Event()

    def step(context: TaskContext) -> None:
        begun.append(context.task.id)
        assert done.wait(MAX_WAIT_SECONDS)

    ordered = [shop.order(str(number), queue=Queue.CPU) for number in range(4)]
    for number in range(2):
        runner = Runner(
            shop.db,
            shop.clock,
            TaskRegistry([Step(step)]),
            signal=shop.signal,
            on_tick=lambda: None,
            worker_id=f"alpha:machine:{number}:id",
            cpu_tasks=allowed,
        )
        shop.runners.append(runner)
        runner.start()
    wait_until(lambda: len(begun) == expected)
    assert not shop.try_to_claim(worker_id="alpha:machine:3:id", queue=Queue.CPU, cpu_tasks=allowed)
    other = shop.try_to_claim(worker_id="beta:machine:1:id", queue=Queue.CPU)
    assert other is not None
    done.set()
    for task_id in set(ordered) - {other.id}:
        assert shop.end(task_id).success
