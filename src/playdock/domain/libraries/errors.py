"""Errors about libraries."""

from playdock.kit.errors import Conflict, NotFound


class LibraryUnknown(NotFound):
    """No library has this id."""

    def __init__(self) -> None:
        super().__init__("There is no library with this id.")


class LibraryNotManaged(Conflict):
    """The service must not write to the library."""

    def __init__(self) -> None:
        super().__init__(
            "Playdock only reads this game folder. Edit the game folder first, and let Playdock manage its files."
        )
