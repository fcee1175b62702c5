"""Errors about tags."""

from playdock.kit.errors import Conflict, NotFound


class TagUnknown(NotFound):
    """No tag has this id."""

    def __init__(self) -> None:
        super().__init__("There is no tag with this id.")


class TagTaken(Conflict):
    """Another tag has this kind and name, ignoring case."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"A tag of kind {kind} named {name} already exists. Choose another name, or merge them.")
