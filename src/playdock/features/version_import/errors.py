"""Errors about importing versions."""

from playdock.kit.errors import Conflict, Invalid, NotFound
from playdock.kit.messages import Message


class VersionNotListed(NotFound):
    """Nothing with this name is a version."""

    def __init__(self) -> None:
        super().__init__("No version with this name was found on disk. Choose one of the unimported versions.")


class VersionAlreadyImported(Conflict):
    """The version, or the folder or archive, has already been imported."""

    def __init__(self) -> None:
        super().__init__("This version has already been imported, or its folder belongs to another game.")


class NoBaseVersion(Conflict):
    """There is no version on which a delta can be based."""

    def __init__(self, platform: str) -> None:
        super().__init__(f"A delta requires an earlier full version for {platform}. Import that version first.")


class BaseNotNewest(Conflict):
    """Another version than the one that a delta is based on is the newest one."""

    def __init__(self, base: str, *, newest: str) -> None:
        super().__init__(
            f"The version is a delta over {base}, but the newest version is {newest}. "
            f"Make {base} the newest version on the page of the game."
        )


class UnlikeNewest(Exception):
    """A rule does not import a version, which differs from the newest one."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self._reason = reason

    def message(self) -> Message:
        return self._reason


class VersionUnusable(Invalid):
    """The version's files on disk cannot be imported."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason, parameters={"reason": reason})
