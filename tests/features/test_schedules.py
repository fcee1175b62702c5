"""When tasks are due that the service starts by itself."""

from collections.abc import Sequence

from msgspec.structs import replace
from sqlalchemy import select

from playdock.features.library_scans.service import SCAN
from playdock.features.tasks.maintenance import DAILY, WEEKLY, Schedule
from playdock.models import Task
from world import World

from .test_tasks import TASKS, later, run_maintenance


def test_each_maintenance_task_is_due_daily_or_weekly(world: World) -> None:
    world.admin()
    schedule = Schedule(world.services.db, world.clock, world.services.settings)

    for hours, days, weeks in ((0, 1, 1), (1, 1, 1), (22.9, 1, 1), (0.2, 2, 1), (24 * 6 - 0.2, 3, 1), (0.2, 3, 2)):
        admin = later(world, hours=hours)
        schedule.enqueue_due()
        schedule.enqueue_due()
        for task in admin.get(TASKS).json()["runningTasks"]:
            world.finish(admin, task["id"])
        ended = [task["taskGroup"] for task in admin.get(TASKS).json()["historicalTasks"]]
        groups = [group for group in ended if group != SCAN]
        assert sorted(groups) == sorted(DAILY * days + WEEKLY * weeks)


def test_scans_and_verifications_follow_the_settings(world: World) -> None:
    world.admin()

    def all_tasks() -> Sequence[Task]:
        with world.services.db.read() as session:
            return session.scalars(select(Task)).all()

    def due(**changed: int) -> set[str]:
        """Return what is due ten minutes later."""
        settings = replace(world.services.settings, **changed)
        admin = later(world, minutes=10)
        before = {task.id for task in all_tasks()}
        Schedule(world.services.db, world.clock, settings).enqueue_due()
        # Some of them may have ended already.
        new = [task for task in all_tasks() if task.id not in before]
        for task in new:
            world.finish(admin, task.id)
        return {task.task_type for task in new} & {SCAN, *WEEKLY}

    assert due() >= set(WEEKLY)
    assert due() == set()
    assert due(library_scan_minutes=10) == {SCAN}
    world.clock.advance(days=2)
    assert due(verify_days=0) == {SCAN}
    assert due(verify_days=3) == set()
    assert due(verify_days=2) == set(WEEKLY)
    # Tasks are deleted after a month, except the last verification.
    world.clock.advance(days=40)
    run_maintenance(world, later(world), "cleanup:tasks")
    assert not due(verify_days=60) & set(WEEKLY)
    assert due(verify_days=40) >= set(WEEKLY)
