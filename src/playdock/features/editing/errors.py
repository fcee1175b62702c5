"""What can be wrong with a change of a game or a version."""

from collections.abc import Sequence

from playdock.kit.errors import Conflict, NotFound


class PictureUnknown(NotFound):
    """The game has no picture with this id."""

    def __init__(self) -> None:
        super().__init__("The game has no picture with this id.")


class VersionLayeredOver(Conflict):
    """Deltas lie over the version."""

    def __init__(self, deltas: Sequence[str]) -> None:
        several = len(deltas) > 1
        super().__init__(
            f"{', '.join(deltas)} {'lie' if several else 'lies'} over this version and cannot be installed without it. "
            f"Delete {'them' if several else 'it'} first."
        )


class VersionRenewed(Conflict):
    """The version was imported again while it was changed."""

    def __init__(self) -> None:
        super().__init__("The version was imported again in this moment. Look at it, and try again.")
