"""Errors about importing games."""

from collections.abc import Iterable

from playdock.kit.errors import BadGateway, Conflict, NotFound, Unavailable
from playdock.kit.messages import Message, join


class GameNotListed(NotFound):
    """The library does not list a game with this name."""

    def __init__(self) -> None:
        super().__init__("The library has no game with this name. Choose one of the unimported games.")


class GameAlreadyImported(Conflict):
    """The folder has already been imported."""

    def __init__(self) -> None:
        super().__init__("This folder has already been imported.")


class MetadataAlreadyUsed(Conflict):
    """Another game already uses this metadata."""

    def __init__(self) -> None:
        super().__init__("Another game already uses this metadata. Choose another search result, or none.")


class LibraryUnavailable(Unavailable):
    """The library's folder cannot be read."""

    def __init__(self, reason: Message) -> None:
        super().__init__(f"The library cannot be read. {reason}", parameters={"reason": reason})


class GameFolderUnreadable(Unavailable):
    """The game's folder cannot be read, although the library can."""

    def __init__(self, reason: Message) -> None:
        super().__init__(f"The game's folder cannot be read. {reason}", parameters={"reason": reason})


class ProvidersUnavailable(BadGateway):
    """All metadata providers failed."""

    def __init__(self, reasons: Iterable[Message]) -> None:
        joined = join(reasons) or ""
        super().__init__(
            f"No metadata provider responded. {joined} Try again, or import without metadata.",
            parameters={"reasons": joined},
        )
