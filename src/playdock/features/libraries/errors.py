"""Errors about libraries."""

from playdock.kit.errors import Conflict, NotFound


class LibraryInUse(Conflict):
    """Games have been imported from the library."""

    def __init__(self) -> None:
        super().__init__(
            "Games have been imported from this library. Delete these games first, or remove it together with them."
        )


class UploadsUnfinished(Conflict):
    """Uploads into the library are not complete."""

    def __init__(self) -> None:
        super().__init__("Games are being uploaded to this game folder. Complete or cancel these uploads first.")


class LibraryFilesChanging(Conflict):
    """Files in the library are being renamed, moved or deleted."""

    def __init__(self) -> None:
        super().__init__(
            "Files in this game folder are being renamed, moved or deleted. Try again when that has ended; the task "
            "is on the page “Tasks”."
        )


class TrashNotEmpty(Conflict):
    """There are deleted games in the trash of the library."""

    def __init__(self) -> None:
        super().__init__(
            "There are deleted games in the trash of this library. Restore them, or erase them from the trash first."
        )


class RemovalUnknown(NotFound):
    """The library is not about to be removed."""

    def __init__(self) -> None:
        super().__init__("This library is not about to be removed.")


class RemovalStarted(Conflict):
    """The games of the library are being removed."""

    def __init__(self) -> None:
        super().__init__(
            "The games of this library are being removed already. Cancel the task to keep those that are left."
        )
