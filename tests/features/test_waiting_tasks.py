"""Administrators are notified of a task that nobody starts, and only of those."""

from datetime import timedelta

import pytest

from playdock.features.notifications.service import ANNOUNCE
from playdock.kit.messages import Message
from playdock.models import Task
from playdock.stored import TaskArguments
from playdock.tasks import queries as task_queries
from playdock.tasks.new_task import NewTask, Queue
from world import Caller, World

PATH = "/api/v1/notifications"


def wait(world: World, admin: Caller, *, minutes: int, gap: int = 1) -> Caller:
    """Let time pass while the runner looks each minute, and announce what it records; sessions are renewed."""
    for _ in range(minutes // gap):
        world.clock.advance(minutes=gap)
        world.services.announcements.start_due()
    renewed = world.with_token(world.sign_in("ada").json()["accessToken"])
    with world.services.db.read() as session:
        newest = session.query(Task).filter_by(task_type=ANNOUNCE).order_by(Task.created.desc()).first()
    assert newest is None or world.finish(renewed, newest.id)["success"]
    return renewed


def add_task(world: World, *, queue: Queue = Queue.DEFAULT, name: str = "Scan") -> str:
    """Enqueue a task that no process here runs, such as one of a newer release."""
    new = NewTask(
        "newer:task", Message("names", names=name), f"newer:{name}:{queue}", queue, acls=(), arguments=TaskArguments()
    )
    with world.services.db.write() as session:
        added = task_queries.add(session, new, at=world.clock())
    assert added
    return added


def start_elsewhere(world: World, task_id: str) -> None:
    """Let another node have started a task that it still runs."""
    with world.services.db.write() as session:
        task = session.get_one(Task, task_id)
        task.worker_id, task.started = "elsewhere:1:2:3", world.clock()
        task.leased_until = world.clock() + timedelta(days=30)


def shown(admin: Caller) -> list[tuple[str, str, bool]]:
    found = [each for each in admin.get(PATH).json() if each["kind"] == "task.waiting"]
    return [(each["title"], each["description"], each["read"]) for each in found]


@pytest.mark.both_databases
def test_a_short_task_that_waits_is_reported_once_until_it_is_started(world: World) -> None:
    admin = world.admin()
    wait(world, admin, minutes=15)
    start_elsewhere(world, add_task(world, name="Scan"))
    waiting = add_task(world, name="Tidy")

    admin = wait(world, admin, minutes=14)
    assert shown(admin) == []
    admin = wait(world, admin, minutes=5)
    assert shown(admin) == [("Waiting for a long time: Tidy", "It is waiting for this task to finish: Scan", False)]
    [notification] = [each for each in admin.get(PATH).json() if each["kind"] == "task.waiting"]
    assert "/admin/tasks" in str(notification["actions"])

    start_elsewhere(world, waiting)
    admin = wait(world, admin, minutes=2)
    assert [read for _, _, read in shown(admin)] == [True]


@pytest.mark.parametrize(("minutes", "expected"), [(10, []), (20, [True])])
def test_a_queue_with_much_to_do_is_reported_once_if_a_task_takes_long(
    world: World, minutes: int, expected: list[bool]
) -> None:
    admin = world.admin()
    wait(world, admin, minutes=15)
    tasks = [add_task(world, name=f"Scan {number}") for number in range(5)]
    for task in tasks:
        start_elsewhere(world, task)
        admin = wait(world, admin, minutes=minutes)
    assert [read for _, _, read in shown(admin)] == expected


def test_long_tasks_wait_for_six_hours(world: World) -> None:
    admin = world.admin()
    add_task(world, queue=Queue.CPU)
    admin = wait(world, admin, minutes=5 * 60, gap=4)
    assert shown(admin) == []
    admin = wait(world, admin, minutes=2 * 60, gap=4)
    assert [description for _, description, _ in shown(admin)] == [
        "No process has started it. Check that a server or playdock worker is running."
    ]


def test_what_was_due_while_the_machine_slept_is_not_reported_at_once(world: World) -> None:
    admin = world.admin()
    wait(world, admin, minutes=15)
    add_task(world)
    admin = wait(world, admin, minutes=60, gap=60)
    assert shown(admin) == []
    admin = wait(world, admin, minutes=14)
    assert shown(admin) == []
    admin = wait(world, admin, minutes=2)
    assert len(shown(admin)) == 1


def test_a_task_that_starts_after_a_restart_is_settled(world: World) -> None:
    admin = world.admin()
    wait(world, admin, minutes=15)
    task = add_task(world)
    admin = wait(world, admin, minutes=17)
    assert [read for _, _, read in shown(admin)] == [False]
    world.services.announcements.uptime.since = world.clock()
    start_elsewhere(world, task)
    admin = wait(world, admin, minutes=1)
    assert [read for _, _, read in shown(admin)] == [True]
