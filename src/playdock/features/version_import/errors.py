"""What stands in the way of the import of a version."""

from playdock.kit.errors import Conflict, Invalid, NotFound


class VersionNotListed(NotFound):
    """The game has no such version on disk."""

    def __init__(self) -> None:
        super().__init__("The game's folder has no version of this name. Choose one of the unimported versions.")


class VersionAlreadyImported(Conflict):
    """The version has been imported."""

    def __init__(self) -> None:
        super().__init__("This version has been imported already.")


class NoBaseVersion(Conflict):
    """There is nothing to layer a delta over."""

    def __init__(self, platform: str) -> None:
        super().__init__(f"A delta needs an earlier full version for {platform}. Import that one first.")


class VersionUnusable(Invalid):
    """The version as it lies on disk cannot be imported."""
