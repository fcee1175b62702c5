"""What can be wrong with a library."""

from playdock.kit.errors import Conflict, NotFound


class LibraryUnknown(NotFound):
    """No library with this id."""

    def __init__(self) -> None:
        super().__init__("There is no library with this id.")


class LibraryInUse(Conflict):
    """Games have been imported from the library."""

    def __init__(self) -> None:
        super().__init__("Games have been imported from this library. Delete these games first.")
