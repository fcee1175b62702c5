"""``/api/v1/task/{id}`` and ``/api/v1/admin/task``: the status of tasks, starting and cancelling them."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.backups.errors import BackupFolderUnset
from playdock.features.tasks.errors import GroupNotStartable
from playdock.features.tasks.schemas import NodeResponse, TaskId, TaskLists, TaskResponse, TaskStart
from playdock.features.tasks.service import Tasks
from playdock.kit.clock import timestamp
from playdock.server.routing import Caller, delete, get, post
from playdock.tasks.errors import TaskAlreadyRunning, TaskEnded, TaskUnknown


@get("/api/v1/task/{task_id:str}", requires=Caller.SIGNED_IN, raises=[TaskUnknown])
def show_task(task_id: str, actor: Actor, tasks: Tasks) -> TaskResponse:
    """Show a task with its progress and its log."""
    watched = tasks.show(actor, task_id)
    return TaskResponse.of(watched.task, watched.lines)


@get("/api/v1/admin/task", requires=Permission.TASK_READ)
def list_tasks(actor: Actor, tasks: Tasks) -> TaskLists:
    """List active and recently ended tasks without their logs, and the scheduled maintenance."""
    found = tasks.overview(actor)
    return TaskLists(
        running_tasks=[TaskResponse.of(task) for task in found.unfinished],
        running_count=found.unfinished_count,
        historical_tasks=[TaskResponse.of(task) for task in found.finished],
        historical_count=found.finished_count,
        daily_tasks=list(found.daily),
        weekly_tasks=list(found.weekly),
        last_runs=[TaskResponse.of(task) for task in found.last_runs],
    )


@get("/api/v1/admin/node", requires=Permission.TASK_READ)
def list_nodes(actor: Actor, tasks: Tasks) -> list[NodeResponse]:
    """List the nodes that are running: the machines or containers that share the database."""
    return [
        NodeResponse(
            name=node.name,
            release=node.release,
            processes=node.processes,
            started=timestamp(node.started),
            last_seen=timestamp(node.seen),
        )
        for node in tasks.nodes(actor)
    ]


@post(
    "/api/v1/admin/task",
    requires=Permission.TASK_START,
    status=202,
    raises=[GroupNotStartable, BackupFolderUnset, TaskAlreadyRunning],
)
def start_task(data: TaskStart, actor: Actor, tasks: Tasks) -> TaskId:
    """Start a maintenance task now."""
    return TaskId(id=tasks.start(actor, data.task_group))


@delete("/api/v1/admin/task/{task_id:str}", requires=Permission.TASK_CANCEL, raises=[TaskUnknown, TaskEnded])
def cancel_task(task_id: str, actor: Actor, tasks: Tasks) -> None:
    """Cancel a task."""
    tasks.cancel(actor, task_id)


ROUTES = (show_task, list_tasks, list_nodes, start_task, cancel_task)
