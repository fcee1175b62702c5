"""What can be wrong with patches."""

from playdock.kit.errors import NotFound


class PatchSetUnknown(NotFound):
    """No set of patches with this id, or none any more."""

    def __init__(self) -> None:
        super().__init__("There is no set of patches with this id any more. Ask for the patches of the version again.")


class PatchesFailed(NotFound):
    """Patches could not be made a while ago."""

    def __init__(self) -> None:
        super().__init__(
            "There are no patches between these versions: they could not be made, or were cancelled, within the last "
            "hour. Download without them. An admin finds the reason among the tasks."
        )
