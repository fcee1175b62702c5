"""Tasks on the wire (decisions 6)."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from playdock.features.tasks.maintenance import STARTABLE
from playdock.kit.bodies import Answer, Body
from playdock.kit.clock import timestamp
from playdock.models import Task, TaskLine


class TaskError(Answer):
    """What was wrong, and what to do."""

    title: str
    description: str


class LogLine(Answer):
    """One line of a log; in answers it is a JSON string with this content."""

    level: str
    timestamp: str
    message: str


class TaskAnswer(Answer):
    """A task: ``progress`` is 0 to 100 and never falls.

    ``cancelled`` tells whether somebody asked it to stop; one that was nearly done may have succeeded nevertheless.
    """

    id: str
    task_group: str
    name: str
    success: bool
    cancelled: bool
    progress: float
    error: TaskError | None
    log: list[str]
    started: str | None
    ended: str | None

    @classmethod
    def of(cls, task: Task, lines: Sequence[TaskLine] = ()) -> "TaskAnswer":
        return cls(
            id=task.id,
            task_group=task.task_group,
            name=task.name,
            success=task.success,
            cancelled=task.cancelled,
            progress=round(task.progress, 2),
            error=error_of(task),
            log=[written(line) for line in lines],
            started=timestamp(task.started) if task.started else None,
            ended=timestamp(task.ended) if task.ended else None,
        )


class TaskMessage(Answer):
    """What the web socket sends: the state of a task, and the log from the beginning or what is new of it."""

    id: str
    name: str
    success: bool
    progress: float
    error: TaskError | None
    log: list[str]
    reset: bool


class TaskLists(Answer):
    """All tasks at one view, and the maintenance that runs by itself."""

    running_tasks: list[TaskAnswer]
    historical_tasks: list[TaskAnswer]
    daily_tasks: list[str]
    weekly_tasks: list[str]


class GroupDraft(Body):
    """Which maintenance is to run."""

    task_group: Annotated[
        str,
        Meta(
            description="The maintenance to run.",
            examples=["cleanup:sessions"],
            extra_json_schema={"enum": list(STARTABLE)},
        ),
    ]


class TaskId(Answer):
    """The id of a task."""

    id: str


def error_of(task: Task) -> TaskError | None:
    if task.error_title is None:
        return None
    return TaskError(title=task.error_title, description=task.error_detail or "")


def written(line: TaskLine) -> str:
    shown = LogLine(level=line.level, timestamp=timestamp(line.at), message=line.message)
    return msgspec.json.encode(shown).decode()


def message_of(task: Task, lines: Sequence[TaskLine], *, reset: bool) -> TaskMessage:
    return TaskMessage(
        id=task.id,
        name=task.name,
        success=task.success,
        progress=round(task.progress, 2),
        error=error_of(task),
        log=[written(line) for line in lines],
        reset=reset,
    )
