"""Errors about versions that were imported because of a rule."""

from playdock.kit.errors import Conflict, NotFound


class AutomaticImportUnknown(NotFound):
    """No version with this id was imported because of a rule."""

    def __init__(self) -> None:
        super().__init__("There is no automatic import with this id. Its folder may have been removed.")


class AutomaticImportUndone(Conflict):
    """The import was undone before."""

    def __init__(self) -> None:
        super().__init__("This import has already been undone.")
