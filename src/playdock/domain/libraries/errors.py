"""Errors about libraries."""

from playdock.kit.errors import NotFound


class LibraryUnknown(NotFound):
    """No library has this id."""

    def __init__(self) -> None:
        super().__init__("There is no library with this id.")
