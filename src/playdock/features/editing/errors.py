"""What can be wrong with a change of a game."""

from playdock.kit.errors import NotFound


class PictureUnknown(NotFound):
    """The game has no picture with this id."""

    def __init__(self) -> None:
        super().__init__("The game has no picture with this id.")
