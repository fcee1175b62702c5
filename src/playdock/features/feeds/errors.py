"""Errors about the library feed."""

from playdock.kit.errors import NotFound


class NoVersionForLutris(NotFound):
    """The game has no version that Lutris can run."""

    def __init__(self) -> None:
        super().__init__("The game has no version for Linux or Windows, so Lutris cannot install it.")
