"""Errors of versions. The messages are shown to the administrator who imports a version."""

from playdock.kit.messages import Message


class UnusableVersion(Exception):
    """The version on disk cannot be imported, and retrying without changing it would fail again."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class VersionChanged(Exception):
    """A file changed or disappeared while it was read; a retry may succeed."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class UnreadableRecord(Exception):
    """Stored records are damaged or have a format that this release does not support."""
