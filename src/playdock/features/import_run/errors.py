"""What stands in the way of a run."""

from playdock.jobs.errors import TaskFailed
from playdock.kit.errors import Conflict, Invalid, NotFound


class LibraryAway(TaskFailed):
    """The library of a folder cannot be read."""

    def __init__(self) -> None:
        super().__init__("Library away", "The library cannot be read now. Apply the row again when it is back.")


class FolderGone(TaskFailed):
    """A folder has gone since it was planned."""

    def __init__(self) -> None:
        super().__init__("Folder gone", "The folder is not in the library any more. Look at the plan again.")


class PlanRowUnknown(NotFound):
    """The plan has no such row."""

    def __init__(self) -> None:
        super().__init__("The plan has no row with this id. Its folder may have been imported; look at the plan again.")


class NothingChosen(Invalid):
    """No row of the plan was chosen."""

    def __init__(self) -> None:
        super().__init__("No row was chosen. Name rows, or choose those that are certain.")


class RunUnknown(NotFound):
    """No run with this id."""

    def __init__(self) -> None:
        super().__init__("There is no import run with this id.")


class RunTakenBack(Conflict):
    """The run was taken back before."""

    def __init__(self) -> None:
        super().__init__("This run was taken back already; its folders can be imported again.")
