"""Requests and responses about tasks."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from playdock.features.tasks.maintenance import OPTIONAL, STARTABLE
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, MessageCode, MessageParameters, Timestamp
from playdock.models import Task, TaskLogEntry


class TaskError(ResponseBody):
    """What went wrong, and what to do."""

    title: Annotated[str, Meta(examples=["Version unusable"])]
    description: Annotated[str, Meta(examples=["saves\\slot1 has a backslash in its name. Rename it."])]
    code: MessageCode | None = None
    parameters: MessageParameters = msgspec.field(default_factory=dict)


class LogLine(ResponseBody):
    """One line of a log; responses contain it as a string of JSON."""

    level: Annotated[str, Meta(examples=["info"])]
    timestamp: Timestamp
    message: Annotated[str, Meta(examples=["Files read: 5,269 (743,006,930 bytes)."])]
    code: MessageCode | None = None
    parameters: MessageParameters = msgspec.field(default_factory=dict)


class TaskResponse(ResponseBody):
    """A task: ``progress`` is 0 to 100 and never decreases.

    ``cancelled`` is true if its cancellation was requested; it may have succeeded before that took effect.
    """

    id: Id
    task_group: Annotated[str, Meta(examples=["import:version"])]
    name: Annotated[str, Meta(examples=["Import SuperTuxKart 1.4"])]
    name_code: MessageCode | None
    name_parameters: MessageParameters
    success: bool
    cancelled: bool
    progress: Annotated[float, Meta(examples=[42.5])]
    error: Annotated[TaskError | None, Meta(examples=[None])]
    log: Annotated[
        list[str],
        Meta(
            examples=[['{"level":"info","timestamp":"2026-11-20T05:38:00.000Z","message":"Files read: 1 (7 bytes)."}']]
        ),
    ]
    started: Timestamp | None
    ended: str | None

    @classmethod
    def of(cls, task: Task, lines: Sequence[TaskLogEntry] = ()) -> "TaskResponse":
        return cls(
            id=task.id,
            task_group=task.task_type,
            name=task.name,
            name_code=task.name_code,
            name_parameters=task.name_parameters or {},
            success=task.success,
            cancelled=task.cancelled,
            progress=round(task.progress, 2),
            error=error_of(task),
            log=[written(line) for line in lines],
            started=timestamp(task.started) if task.started else None,
            ended=timestamp(task.ended) if task.ended else None,
        )


class TaskMessage(ResponseBody):
    """A message of the web socket: the state of a task, and its whole log or the new lines."""

    id: Id
    name: Annotated[str, Meta(examples=["Import SuperTuxKart 1.4"])]
    name_code: MessageCode | None
    name_parameters: MessageParameters
    success: bool
    progress: Annotated[float, Meta(examples=[42.5])]
    error: Annotated[TaskError | None, Meta(examples=[None])]
    log: Annotated[list[str], Meta(examples=[[]])]
    reset: bool


class TaskLists(ResponseBody):
    """The oldest 200 active tasks, the newest 200 ended ones, and the scheduled maintenance.

    The counts are of all tasks. ``lastRuns`` has the task of each scheduled type that ended last.
    """

    running_tasks: list[TaskResponse]
    running_count: Annotated[int, Meta(examples=[1])]
    historical_tasks: list[TaskResponse]
    historical_count: Annotated[int, Meta(examples=[1])]
    daily_tasks: Annotated[list[str], Meta(examples=[["cleanup:sessions"]])]
    weekly_tasks: Annotated[list[str], Meta(examples=[["verify:content"]])]
    last_runs: list[TaskResponse]


class NodeResponse(ResponseBody):
    """A node: a machine or container on which processes of one release run."""

    name: Annotated[str, Meta(description="The setting NODE, or the name of the host.", examples=["games-1"])]
    release: Annotated[str, Meta(examples=["0.2.0"])]
    processes: Annotated[int, Meta(description="How many processes serve or run tasks.", examples=[2])]
    started: Annotated[Timestamp, Meta(description="When the oldest of them was started.")]
    last_seen: Annotated[Timestamp, Meta(description="When one of them was last known to run.")]


class TaskStart(RequestBody):
    """The maintenance task to start."""

    task_group: Annotated[
        str,
        Meta(
            description="The maintenance to run.",
            examples=["cleanup:sessions"],
            extra_json_schema={"enum": [*STARTABLE, *OPTIONAL]},
        ),
    ]


class TaskId(ResponseBody):
    """The id of a task."""

    id: Id


def error_of(task: Task) -> TaskError | None:
    if task.error_title is None:
        return None
    return TaskError(
        title=task.error_title,
        description=task.error_detail or "",
        code=task.error_code,
        parameters=task.error_parameters or {},
    )


def written(line: TaskLogEntry) -> str:
    shown = LogLine(
        level=line.level,
        timestamp=timestamp(line.at),
        message=line.message,
        code=line.code,
        parameters=line.parameters or {},
    )
    return msgspec.json.encode(shown).decode()


def message_of(task: Task, lines: Sequence[TaskLogEntry], *, reset: bool) -> TaskMessage:
    return TaskMessage(
        id=task.id,
        name=task.name,
        name_code=task.name_code,
        name_parameters=task.name_parameters or {},
        success=task.success,
        progress=round(task.progress, 2),
        error=error_of(task),
        log=[written(line) for line in lines],
        reset=reset,
    )
