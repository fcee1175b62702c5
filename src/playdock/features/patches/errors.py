"""What can be wrong with patches."""

from playdock.kit.errors import NotFound


class PatchSetUnknown(NotFound):
    """No set of patches with this id, or none any more."""

    def __init__(self) -> None:
        super().__init__("There is no set of patches with this id any more. Ask for the patches of the version again.")


class NoPatches(NotFound):
    """There are no patches between these versions, and none will be made."""

    def __init__(self) -> None:
        super().__init__("There are patches to later versions of the same platform only. Download without them.")


class PatchesFailed(NotFound):
    """Patches could not be made a while ago."""

    def __init__(self) -> None:
        super().__init__(
            "There are no patches between these versions: they could not be made, or were cancelled, within the last "
            "hour. Download without them. An admin finds the reason among the tasks."
        )


class TooManyPatches(NotFound):
    """So many patches wait to be made that no more are begun."""

    def __init__(self) -> None:
        super().__init__(
            "There are no patches between these versions yet, and so many others wait to be made that these are not "
            "begun now. Download without them, or ask again later."
        )
