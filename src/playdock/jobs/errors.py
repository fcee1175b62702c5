"""What can happen to a task, and what a step raises to say so."""

from playdock.kit.errors import Conflict, NotFound


class TaskAlreadyRunning(Conflict):
    """Something is working on this already."""

    def __init__(self, task_id: str) -> None:
        super().__init__("This is being worked on already. Watch the running task, or cancel it first.")
        self.task_id = task_id

    def extras(self) -> dict[str, str]:
        return {"taskId": self.task_id}


class TaskUnknown(NotFound):
    """No task with this id, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("There is no task with this id, or you may not see it.")


class TaskEnded(Conflict):
    """The task is over and cannot be cancelled any more."""

    def __init__(self) -> None:
        super().__init__("This task has ended already; there is nothing to cancel.")


class TaskFailed(Exception):
    """A step cannot succeed, however often it is tried. Title and detail are for a person."""

    def __init__(self, title: str, detail: str) -> None:
        super().__init__(detail)
        self.title = title
        self.detail = detail


class PassingFault(Exception):
    """A step failed in a way that may pass; it is tried again."""

    def __init__(self, title: str, detail: str) -> None:
        super().__init__(detail)
        self.title = title
        self.detail = detail


class Interrupted(Exception):
    """The step must stop now. It has been told why by the subclass and simply lets the exception through."""


class Stopping(Interrupted):
    """The service is stopping; the task goes on at the next start."""


class Cancelled(Interrupted):
    """Somebody cancelled the task."""


class LeaseLost(Interrupted):
    """Another runner has the task; nothing may be written for it here."""
