"""What can keep a version from players."""

from playdock.content.damage import FileFault
from playdock.kit.errors import Conflict, Unavailable


class ManifestLost(Unavailable):
    """The version was imported, but its manifest is gone from the storage."""

    def __init__(self) -> None:
        super().__init__(
            "This version's manifest is gone from the service's storage. An admin can restore the folder of objects "
            "(OBJECTS_URL) from a backup."
        )


class ContentChanged(Conflict):
    """A file in the library is not what was imported, so it is not given out."""

    def __init__(self, path: str, fault: FileFault) -> None:
        super().__init__(
            f"{path} is not in the library as it was imported ({fault}), so it is not given out. "
            "An admin can put it back, or import the version again."
        )


class ContentAway(Unavailable):
    """The library is not reachable now."""

    def __init__(self) -> None:
        super().__init__("The library with this game cannot be reached now. Try again later.")
