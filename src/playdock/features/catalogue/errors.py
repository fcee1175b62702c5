"""Why nothing can be told of a game."""

from playdock.jobs.errors import TaskFailed


class NothingKnown(TaskFailed):
    """The chosen provider cannot tell anything, with the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__("No metadata", f"{reason} Choose another search result, or import without metadata.")


class LibraryGone(TaskFailed):
    """The library that the game lies in was removed."""

    def __init__(self) -> None:
        super().__init__("Library gone", "The game's library was removed. Add it again, then import the game.")


class AlreadyImported(TaskFailed):
    """Somebody else was quicker."""

    def __init__(self) -> None:
        super().__init__("Already imported", "This folder or this metadata belongs to another game already.")
