"""The lists of tasks: counts of all of them, and the last run of each scheduled one."""

from datetime import datetime, timedelta

import pytest

from playdock import __version__
from playdock.auth.permissions import Permission
from playdock.kit.messages import Message
from playdock.kit.workers import default_node
from playdock.nodes import queries as node_queries
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


def test_the_nodes_that_run_are_listed(world: World) -> None:
    at = world.clock()
    with world.services.db.write() as session:
        for number, serves in enumerate((True, False)):
            node_queries.renew(
                session, f"beta:{number}", name="beta", release="0.0.9", serves=serves, started=at, at=at
            )

    world.clock.advance(seconds=30)
    nodes = {node["name"]: node for node in world.admin().get("/api/v1/admin/node").json()}

    since = datetime.fromisoformat(nodes["beta"]["lastSeen"]) - at
    assert (since > timedelta(seconds=20)) == world.services.db.embedded
    assert (nodes["beta"]["release"], nodes["beta"]["processes"]) == ("0.0.9", 2)
    assert (nodes[default_node()]["release"], nodes[default_node()]["processes"]) == (__version__, 1)
