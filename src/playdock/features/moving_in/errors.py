"""Errors about moving in."""

from playdock.kit.errors import Conflict, Invalid


class MappingInvalid(Invalid):
    """An option that maps a folder is not one."""

    def __init__(self, given: str) -> None:
        super().__init__(f"--map {given} is not of the form OLD=NEW, where NEW is an absolute path.")


class MoveRunning(Conflict):
    """Another process has moved the same row."""

    def __init__(self) -> None:
        super().__init__("Another process is moving the same server. Wait until it has ended, and run this again.")


class NothingMoved(Conflict):
    """There is nothing to undo."""

    def __init__(self) -> None:
        super().__init__("Nothing was moved from such a server, or it was undone before.")


class AdminNeeded(Conflict):
    """No administrator would remain."""

    def __init__(self) -> None:
        super().__init__(
            "Undoing this would leave users without an administrator. Create one first: playdock invite --admin."
        )
