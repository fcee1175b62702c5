"""Errors of tasks, and what a task handler raises to fail, to be retried or to stop."""

from datetime import datetime

from playdock.kit.errors import Conflict, NotFound
from playdock.kit.messages import Message


class TaskAlreadyRunning(Conflict):
    """An active task works on the same subject."""

    def __init__(self, task_id: str) -> None:
        super().__init__("A task for this is already running. Wait for it, or cancel it first.")
        self.task_id = task_id

    def extras(self) -> dict[str, str]:
        return {"taskId": self.task_id}


class TaskUnknown(NotFound):
    """There is no task with this id, or the caller may not see it."""

    def __init__(self) -> None:
        super().__init__("There is no task with this id, or you may not see it.")


class TaskEnded(Conflict):
    """The task has ended and can no longer be cancelled."""

    def __init__(self) -> None:
        super().__init__("This task has already ended.")


class TaskFailed(Exception):
    """The task failed, and retrying does not help. Users see the title and the detail."""

    def __init__(self, title: str, detail: Message) -> None:
        super().__init__(detail)
        self.title = title
        self.detail = detail


class RetryableFailure(Exception):
    """The task failed temporarily and is retried."""

    def __init__(self, title: str, detail: Message) -> None:
        super().__init__(detail)
        self.title = title
        self.detail = detail


class Interrupted(Exception):
    """The task must stop now; the subclass says why. Task handlers do not catch this."""


class Stopping(Interrupted):
    """The service is stopping; the task continues at the next start."""


class Postponed(Interrupted):
    """The task continues at the time ``due``, which must be sooner than `queries.MAX_AHEAD`."""

    def __init__(self, due: datetime) -> None:
        super().__init__(due)
        self.due = due


class Cancelled(Interrupted):
    """The task was cancelled."""


class LeaseLost(Interrupted):
    """Another runner has the task, and this one may no longer write for it."""
