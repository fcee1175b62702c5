"""What keeps a game where it is."""

from collections.abc import Iterable

from playdock.kit.errors import Conflict


class ContentDiffers(Conflict):
    """A folder does not have what a game consists of."""

    def __init__(self, differences: Iterable[str]) -> None:
        told = " ".join(differences)
        super().__init__(f"This folder does not have the game's content. {told} Choose another, or put that right.")
