"""Errors about objects."""

from playdock.kit.errors import NotFound


class ObjectUnknown(NotFound):
    """No object has this id, or the caller may not read it."""

    def __init__(self) -> None:
        super().__init__("There is no object with this id, or you do not have access to it.")
