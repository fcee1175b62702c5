"""Errors about release notes from providers."""

from playdock.kit.errors import Conflict


class NoReleaseNotes(Conflict):
    """No provider can have release notes of the version."""

    def __init__(self) -> None:
        super().__init__(
            "No provider can have release notes: the game is not from Steam, or the name of the version has no "
            "number such as 1.4."
        )
