"""Errors about lost versions."""

from collections.abc import Iterable

from playdock.kit.errors import Conflict
from playdock.kit.messages import Message, join


class OtherVersion(Conflict):
    """The folder or archive does not have the version's content."""

    def __init__(self, differences: Iterable[Message]) -> None:
        details = join(differences) or ""
        super().__init__(
            f"This does not have the version's content. {details} Choose another folder or archive, or restore its "
            "files.",
            parameters={"differences": details},
        )


class VersionNotMissing(Conflict):
    """The version is where it was imported."""

    def __init__(self) -> None:
        super().__init__("The version is where it was imported. Reload the page.")
