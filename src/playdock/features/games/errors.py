"""What can be wrong with a game."""

from playdock.kit.errors import NotFound


class GameUnknown(NotFound):
    """No game with this id."""

    def __init__(self) -> None:
        super().__init__("There is no game with this id.")


class VersionUnknown(NotFound):
    """No version with this id."""

    def __init__(self) -> None:
        super().__init__("There is no version with this id.")


class FileUnknown(NotFound):
    """The version has no file of this path."""

    def __init__(self) -> None:
        super().__init__("The version has no file of this path. Its manifest lists what it has.")
