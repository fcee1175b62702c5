"""What can be wrong with what is kept of versions."""

from playdock.kit.errors import Unavailable


class LayerLost(Unavailable):
    """The stored records of a version are gone or damaged."""

    def __init__(self) -> None:
        super().__init__(
            "What was stored of an earlier version is gone or damaged, so nothing can be layered over it. "
            "Restore the folder of OBJECTS_URL from a backup, or import the whole game as a full version."
        )
