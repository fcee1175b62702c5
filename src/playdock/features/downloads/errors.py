"""What can keep a version from players."""

from playdock.kit.errors import Unavailable


class ManifestLost(Unavailable):
    """The version was imported, but its manifest is gone from the storage."""

    def __init__(self) -> None:
        super().__init__(
            "This version's manifest is gone from the service's storage. An admin can restore the folder of objects "
            "(OBJECTS_URL) from a backup."
        )
