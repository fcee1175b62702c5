"""Errors about stored layers."""

from playdock.kit.errors import Unavailable


class LayerMissing(Unavailable):
    """A stored layer is missing or damaged."""

    def __init__(self) -> None:
        super().__init__(
            "The stored layer of an earlier version is missing or damaged, so nothing can be layered on top of it. "
            "Restore the folder of OBJECTS_URL from a backup, or import the whole game as a full version."
        )
