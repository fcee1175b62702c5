"""The lists of tasks: counts of all of them, and the last run of each scheduled one."""

import pytest

from playdock.auth.permissions import Permission
from playdock.kit.messages import Message
from playdock.stored import TaskArguments
from playdock.tasks import queries
from playdock.tasks.new_task import NewTask, Queue
from world import World

pytestmark = pytest.mark.both_databases

TASKS = "/api/v1/admin/task"


def test_counts_are_of_all_tasks_and_schedules_show_their_last_run_whatever_ended_since(world: World) -> None:
    admin = world.admin()
    swept = world.finish(admin, admin.post(TASKS, {"taskGroup": "cleanup:sessions"}).json()["id"])
    with world.services.db.write() as session:
        for number in range(210):
            new = NewTask(
                task_type="refresh:game",
                name=Message("clean-sessions"),
                subject=f"refresh:{number}",
                queue=Queue.DEFAULT,
                acls=(Permission.TASK_READ,),
                arguments=TaskArguments(),
            )
            added = queries.add(session, new, at=world.clock())
            assert added is not None
            queries.cancel(session, added, at=world.clock())

    lists = admin.get(TASKS).json()

    assert len(lists["historicalTasks"]) == 200
    assert lists["historicalCount"] >= 211
    assert lists["runningCount"] == len(lists["runningTasks"])
    assert swept["id"] not in {task["id"] for task in lists["historicalTasks"]}
    assert swept["id"] in {task["id"] for task in lists["lastRuns"]}
    assert len(lists["lastRuns"]) == len({task["taskGroup"] for task in lists["lastRuns"]})
