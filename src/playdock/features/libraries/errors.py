"""Errors about libraries."""

from playdock.kit.errors import Conflict


class LibraryInUse(Conflict):
    """Games have been imported from the library."""

    def __init__(self) -> None:
        super().__init__("Games have been imported from this library. Delete these games first.")
