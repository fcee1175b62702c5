"""One poller per process reads the tasks that web sockets watch."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio
import pytest
from msgspec import field

from playdock.auth.resolver import CredentialResolver
from playdock.features.tasks.maintenance import DAILY
from playdock.features.tasks.poller import TaskPoller, Watcher
from playdock.features.tasks.service import Tasks
from playdock.models import Task, TaskLogEntry
from world import Caller, World

PATIENCE = 60.0


class CountingTasks(Tasks, frozen=True):
    """The service, which also records what was read."""

    reads: list[dict[str, int]] = field(default_factory=list)

    def read_watched(self, positions: Mapping[str, int]) -> tuple[Mapping[str, Task], Sequence[TaskLogEntry]]:
        self.reads.append(dict(positions))
        return super().read_watched(positions)


@dataclass
class Polling:
    """A poller, and tasks that have ended."""

    tasks: CountingTasks
    poller: TaskPoller
    token: str
    ended: list[str]


def runs() -> list[asyncio.Task[None]]:
    """The poller's runs of this event loop that have not ended."""
    return [task for task in asyncio.all_tasks() if task.get_name() == "task-poller"]


async def until_stopped() -> None:
    with anyio.fail_after(PATIENCE):
        await asyncio.gather(*runs())


@pytest.fixture
def polling(world: World) -> Polling:
    admin = world.admin()
    ended = [maintenance(world, admin, task_type) for task_type in DAILY[:3]]
    services = world.services
    parts = (services.tasks.clock, services.settings, services.import_runs, services.tasks.notify_runner)
    tasks = CountingTasks(services.db, *parts)
    # The world's server has an event loop of its own, and the resolver's cache belongs to one loop.
    credentials = CredentialResolver(services.tasks.db, services.tasks.clock, services.secret_key)
    return Polling(tasks, TaskPoller(tasks, credentials), admin.token, ended)


def maintenance(world: World, admin: Caller, task_type: str) -> str:
    task: str = admin.post("/api/v1/admin/task", {"taskGroup": task_type}).json()["id"]
    world.finish(admin, task)
    return task


def test_fifty_watchers_share_one_query(polling: Polling) -> None:
    async def watch() -> None:
        watchers = [Watcher(polling.token) for _ in range(50)]
        for watcher in watchers:
            for task_id in polling.ended:
                polling.poller.watch(watcher, task_id)
        with anyio.fail_after(PATIENCE):
            snapshots = [await watcher.next_snapshot() for watcher in watchers]
        assert polling.tasks.reads == [dict.fromkeys(polling.ended, 0)]
        assert len({id(snapshot) for snapshot in snapshots}) == 1
        assert set(snapshots[0].tasks) == set(polling.ended)
        for watcher in watchers:
            polling.poller.remove(watcher)
        await until_stopped()

    anyio.run(watch)


def test_the_poller_runs_only_while_something_is_watched(polling: Polling) -> None:
    async def watch() -> None:
        watcher, task_id = Watcher(polling.token), polling.ended[0]
        assert runs() == []
        for _ in range(2):
            polling.poller.watch(watcher, task_id)
            assert len(runs()) == 1
            with anyio.fail_after(PATIENCE):
                await watcher.next_snapshot()
            watcher.positions.clear()
            await until_stopped()
        assert runs() == []

    anyio.run(watch)


def test_each_watcher_gets_the_log_lines_it_has_not_sent_yet(polling: Polling) -> None:
    async def watch() -> None:
        task_id = polling.ended[DAILY.index("cleanup:objects")]
        behind, ahead = Watcher(polling.token), Watcher(polling.token)
        polling.poller.watch(behind, task_id)
        polling.poller.watch(ahead, task_id)
        with anyio.fail_after(PATIENCE):
            first = await behind.next_snapshot()
        actor = first.actors[polling.token]
        assert actor is not None
        whole = first.task(actor, task_id, after=0).lines
        assert len(whole) == 1
        assert first.task(actor, task_id, after=whole[-1].id).lines == []
        assert not first.covers("another", after=0)

        ahead.positions[task_id] = whole[-1].id
        polling.poller.remove(behind)
        with anyio.fail_after(PATIENCE):
            while {task_id: whole[-1].id} not in polling.tasks.reads:
                later = await ahead.next_snapshot()
            later = await ahead.next_snapshot()
        assert later.lines == []
        assert not later.covers(task_id, after=0)
        polling.poller.remove(ahead)
        await until_stopped()

    anyio.run(watch)


def test_a_failed_poll_fails_its_watchers_and_the_next_watcher_restarts_it(polling: Polling) -> None:
    async def watch() -> None:
        watcher, task_id = Watcher(polling.token), polling.ended[0]
        polling.poller.tasks = None  # type: ignore[assignment]  # any read raises
        polling.poller.watch(watcher, task_id)
        with anyio.fail_after(PATIENCE), pytest.raises(AttributeError):
            await watcher.next_snapshot()
        await until_stopped()

        polling.poller.tasks, again = polling.tasks, Watcher(polling.token)
        polling.poller.remove(watcher)
        polling.poller.watch(again, task_id)
        with anyio.fail_after(PATIENCE):
            assert task_id in (await again.next_snapshot()).tasks
        polling.poller.remove(again)
        await until_stopped()

    anyio.run(watch)
