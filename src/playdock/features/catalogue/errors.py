"""Why nothing can be told of a game."""

from playdock.jobs.errors import TaskFailed


class NothingKnown(TaskFailed):
    """The chosen provider cannot tell anything, with the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__("No metadata", f"{reason} Try again later, or choose another search result.")


class GameGone(TaskFailed):
    """The game was deleted."""

    def __init__(self) -> None:
        super().__init__("Game gone", "The game was deleted meanwhile.")


class MetadataTaken(TaskFailed):
    """Another game has the metadata."""

    def __init__(self) -> None:
        super().__init__("Metadata taken", "Another game has this metadata. Choose another search result.")


class LibraryGone(TaskFailed):
    """The library that the game lies in was removed."""

    def __init__(self) -> None:
        super().__init__("Library gone", "The game's library was removed. Add it again, then import the game.")


class AlreadyImported(TaskFailed):
    """The folder is a game's."""

    def __init__(self) -> None:
        super().__init__("Already imported", "This folder has been imported already.")
