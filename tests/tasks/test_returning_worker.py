"""A worker that was stopped and returns can neither end nor change a task that another one has taken over.

This is the property for which tasks are rows with leases (docs/decisions/0061): queue libraries lack it.
"""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from databases import PostgresqlDatabases
from playdock.db.database import Database
from playdock.settings import Settings
from waiting import wait_until

from .shop import TaskHarness

WORKER = Path(__file__).with_name("returning_worker.py")


@pytest.fixture
def shop(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[TaskHarness]:
    url = postgresql_databases.fresh(tmp_path)
    shop = TaskHarness(Database(Settings(data_dir=tmp_path, database_url=url).database))
    yield shop
    shop.db.close()
    postgresql_databases.release(url)


@pytest.fixture
def worker(shop: TaskHarness, tmp_path: Path) -> Iterator[Callable[[str, str], subprocess.Popen[bytes]]]:
    """Starts workers as processes of their own."""
    processes: list[subprocess.Popen[bytes]] = []

    def started(name: str, where: str) -> subprocess.Popen[bytes]:
        url = shop.db.url.render_as_string(hide_password=False)
        processes.append(subprocess.Popen([sys.executable, WORKER, url, name, tmp_path, where]))
        return processes[-1]

    yield started
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize("where", ["outside", pytest.param("in a transaction", marks=pytest.mark.heavy)])
def test_a_stopped_worker_that_returns_cannot_write_for_a_task_that_another_has_taken_over(
    shop: TaskHarness, worker: Callable[[str, str], subprocess.Popen[bytes]], tmp_path: Path, where: str
) -> None:
    task_id = shop.order()
    first = worker("first", where)
    wait_until((tmp_path / "first.waits").exists)
    first.send_signal(signal.SIGSTOP)

    worker("second", "outside")  # takes over when the lease has expired
    wait_until((tmp_path / "second.waits").exists)
    first.send_signal(signal.SIGCONT)
    (tmp_path / "first.goes").touch()
    wait_until((tmp_path / "first.failed").exists)

    task = shop.look(task_id)
    assert (task.attempt, task.ended, task.cancelled) == (2, None, False)
    assert task.progress < 99
    assert shop.log(task_id) == ["first begins", "second begins"]

    (tmp_path / "second.goes").touch()
    task = shop.end(task_id)
    assert (task.success, task.attempt) == (True, 2)
    assert shop.log(task_id) == ["first begins", "second begins", "second ends"]
