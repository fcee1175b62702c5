"""What can be wrong with a tag."""

from playdock.kit.errors import Conflict, NotFound


class TagUnknown(NotFound):
    """No tag with this id."""

    def __init__(self) -> None:
        super().__init__("There is no tag with this id.")


class TagTaken(Conflict):
    """There is a tag of that kind and name, in whatever case."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"There is a tag of the kind {kind} named {name} already. Choose another name, or merge them.")
