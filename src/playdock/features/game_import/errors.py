"""What stands in the way of an import."""

from collections.abc import Iterable

from playdock.kit.errors import BadGateway, Conflict, NotFound, Unavailable


class GameNotListed(NotFound):
    """The library's listing shows no such game."""

    def __init__(self) -> None:
        super().__init__("The library lists no game of this name. Choose one of the unimported games.")


class GameAlreadyImported(Conflict):
    """The folder has been imported."""

    def __init__(self) -> None:
        super().__init__("This folder has been imported already.")


class MetadataAlreadyUsed(Conflict):
    """Another game has this metadata."""

    def __init__(self) -> None:
        super().__init__("Another game was imported with this metadata. Choose another search result, or none.")


class LibraryOffline(Unavailable):
    """The library's place cannot be read now."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The library cannot be read. {reason}")


class GameFolderUnreadable(Unavailable):
    """The library can be read, but not this game's folder in it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The game's folder cannot be read. {reason}")


class ProvidersAway(BadGateway):
    """Not one metadata provider answered."""

    def __init__(self, reasons: Iterable[str]) -> None:
        super().__init__(f"No metadata provider answered. {' '.join(reasons)} Try again, or import without metadata.")
