"""Errors about moving out."""

from playdock.kit.errors import Conflict, Unavailable


class ExportFolderUsed(Conflict):
    """The folder for an export has something in it."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"The folder {folder} is not empty. Name a new one, or delete its content.")


class ExportFolderUnwritable(Unavailable):
    """The export cannot be written."""

    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(f"The export cannot be written to {folder}: {reason}. Name another folder.")
