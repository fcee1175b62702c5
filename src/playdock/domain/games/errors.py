"""Errors about games and their versions."""

from playdock.kit.errors import NotFound


class GameUnknown(NotFound):
    """No game has this id."""

    def __init__(self) -> None:
        super().__init__("There is no game with this id.")


class VersionUnknown(NotFound):
    """No version has this id."""

    def __init__(self) -> None:
        super().__init__("There is no version with this id.")


class FileUnknown(NotFound):
    """The version has no file with this path."""

    def __init__(self) -> None:
        super().__init__("The version has no file with this path. Its files are listed in its manifest.")
