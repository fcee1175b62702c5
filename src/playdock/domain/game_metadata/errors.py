"""Reasons why metadata cannot be applied to a game."""

from playdock.kit.messages import Message
from playdock.tasks.errors import TaskFailed


class NoMetadata(TaskFailed):
    """The selected provider has no metadata, with the reason."""

    def __init__(self, reason: Message) -> None:
        super().__init__("No metadata", Message("no-metadata", reason=reason))


class GameDeleted(TaskFailed):
    """The game was deleted."""

    def __init__(self) -> None:
        super().__init__("Game deleted", Message("game-deleted"))


class MetadataTaken(TaskFailed):
    """Another game already uses this metadata."""

    def __init__(self) -> None:
        super().__init__("Metadata taken", Message("metadata-taken"))


class LibraryRemoved(TaskFailed):
    """The game's library was removed."""

    def __init__(self) -> None:
        super().__init__("Library removed", Message("library-removed"))


class AlreadyImported(TaskFailed):
    """The folder belongs to an existing game."""

    def __init__(self) -> None:
        super().__init__("Already imported", Message("folder-imported-before"))
