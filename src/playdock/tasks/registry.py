"""Task handlers, by the type of task that they run."""

from collections.abc import Collection, Iterable
from typing import Protocol

from playdock.tasks.context import TaskContext


class TaskHandler(Protocol):
    """Runs the tasks of one type. After an interruption ``run`` is called again and continues from its last commit."""

    @property
    def task_type(self) -> str:
        """The type, such as ``import:version``."""

    def run(self, context: TaskContext) -> None:
        """Run a task.

        Raises:
            TaskFailed: It cannot succeed.
            RetryableFailure: It may succeed later.
        """


class TaskRegistry:
    """All task handlers by type."""

    def __init__(self, handlers: Iterable[TaskHandler]) -> None:
        self._handlers = {handler.task_type: handler for handler in handlers}

    def __getitem__(self, task_type: str) -> TaskHandler:
        return self._handlers[task_type]

    @property
    def task_types(self) -> Collection[str]:
        """The types that this release knows. A newer release may enqueue others, which are left to its runners."""
        return self._handlers.keys()

    def __contains__(self, task_type: object) -> bool:
        return task_type in self._handlers
