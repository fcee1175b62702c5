"""What can be wrong with an object."""

from playdock.kit.errors import NotFound


class ObjectUnknown(NotFound):
    """No object with this id, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("There is no object with this id, or you may not see it.")
