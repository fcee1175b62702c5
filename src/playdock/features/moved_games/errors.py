"""Errors about moving games."""

from collections.abc import Iterable

from playdock.kit.errors import Conflict


class ContentDiffers(Conflict):
    """The folder does not have the game's content."""

    def __init__(self, differences: Iterable[str]) -> None:
        details = " ".join(differences)
        super().__init__(f"This folder does not have the game's content. {details} Choose another, or fix its files.")
