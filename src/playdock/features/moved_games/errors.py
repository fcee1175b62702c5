"""Errors about moving games."""

from collections.abc import Iterable

from playdock.kit.errors import Conflict
from playdock.kit.messages import Message, join


class ContentDiffers(Conflict):
    """The folder does not have the game's content."""

    def __init__(self, differences: Iterable[Message]) -> None:
        details = join(differences) or ""
        super().__init__(
            f"This folder does not have the game's content. {details} Choose another folder, or restore its files.",
            parameters={"differences": details},
        )
