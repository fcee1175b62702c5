"""Errors about patches."""

from playdock.kit.errors import Conflict, NotFound, Unavailable


class PatchSetUnknown(NotFound):
    """No set of patches has this id, or it has been deleted."""

    def __init__(self) -> None:
        super().__init__("This set of patches does not exist any longer. Request the patches of the version again.")


class NoPatches(NotFound):
    """Patches between these versions are not supported."""

    def __init__(self) -> None:
        super().__init__(
            "Patches exist only to later versions for the same platform and to the previous one. Download without them."
        )


class PatchesNotMade(NotFound):
    """These patches have not been created yet, and no task is creating them."""

    def __init__(self) -> None:
        super().__init__("These patches have not been made yet. POST to the same address to have them made.")


class PatchesFailed(Conflict):
    """Creating these patches failed recently."""

    def __init__(self) -> None:
        super().__init__(
            "There are no patches between these versions: they could not be made, or were cancelled, within the last "
            "hour. Download without them. An admin finds the reason among the tasks."
        )


# Large patches take minutes to make, so an earlier request would most likely be refused again.
_RETRY_AFTER_SECONDS = 60


class TooManyPatches(Unavailable):
    """Too many patches are waiting to be created; no more are accepted now."""

    def __init__(self) -> None:
        super().__init__("Too many patches are waiting to be made. Download without patches, or try again later.")

    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(_RETRY_AFTER_SECONDS)}
