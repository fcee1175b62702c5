"""Errors about event streams."""

from playdock.kit.errors import Gone, TooManyAtOnce


class EventsGone(Gone):
    """Events after this id are no longer kept, or the id is not one of this server."""

    def __init__(self) -> None:
        super().__init__(
            "Some events after this id are no longer kept, or the server was restored from a backup. "
            "Connect again without Last-Event-ID, and read the current state from the API."
        )


class TooManyEventStreams(TooManyAtOnce):
    """You or all users together have too many streams open."""

    def __init__(self) -> None:
        super().__init__("There are too many open event streams. Close one, and connect again.")
