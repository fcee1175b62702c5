"""Errors of import runs."""

from playdock.kit.errors import Conflict, Invalid, NotFound
from playdock.kit.messages import Message
from playdock.tasks.errors import TaskFailed


class LibraryUnreachable(TaskFailed):
    """The library of a folder is currently unavailable."""

    def __init__(self) -> None:
        super().__init__("Library unavailable", Message("library-away-for-run"))


class FolderMissing(TaskFailed):
    """A folder was removed or renamed after the plan was computed."""

    def __init__(self) -> None:
        super().__init__("Folder gone", Message("folder-gone"))


class PlanRowUnknown(NotFound):
    """The plan has no row with this id."""

    def __init__(self) -> None:
        super().__init__("The plan has no row with this id. Its folder may have been imported; reload the plan.")


class NothingImportable(Invalid):
    """No folder can be imported without changes."""

    def __init__(self) -> None:
        super().__init__("None of these folders can be imported as proposed. Open them to see the reason.")


class NothingSelected(Invalid):
    """The selection has no row."""

    def __init__(self) -> None:
        super().__init__("No rows were selected. Select rows, or all that are certain.")


class NoFolderReaches(Invalid):
    """No folder of the plan reaches the confidence from which folders are to be imported."""

    def __init__(self, at_least: float) -> None:
        percent = round(at_least * 100)
        super().__init__(f"No folder reaches {percent} %. Choose a lower confidence.", parameters={"percent": percent})


class RunUnknown(NotFound):
    """There is no run with this id."""

    def __init__(self) -> None:
        super().__init__("There is no import run with this id.")


class RunUndone(Conflict):
    """The run was undone before."""

    def __init__(self) -> None:
        super().__init__("This run was already undone; its folders can be imported again.")
