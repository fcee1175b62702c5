"""Errors about changing games and versions."""

from collections.abc import Sequence

from playdock.kit.errors import Conflict, NotFound


class PictureUnknown(NotFound):
    """The game has no picture with this id."""

    def __init__(self) -> None:
        super().__init__("The game has no picture with this id.")


class VersionIsBase(Conflict):
    """Other versions are layered on the version."""

    def __init__(self, deltas: Sequence[str]) -> None:
        versions, them = ("versions", "them") if len(deltas) > 1 else ("version", "it")
        super().__init__(
            f"The delta {versions} {', '.join(deltas)} cannot be installed without this version. Delete {them} first."
        )


class VersionReimported(Conflict):
    """The version was re-imported during the change."""

    def __init__(self) -> None:
        super().__init__("The version was re-imported at the same time. Reload it, and try again.")
