"""Errors of versions. The messages are shown to the administrator who imports a version."""


class UnusableVersion(Exception):
    """The version on disk cannot be imported, and retrying without changing it would fail again."""


class VersionChanged(Exception):
    """A file changed or disappeared while it was read; a retry may succeed."""


class UnreadableRecord(Exception):
    """Stored records are damaged or have a format that this release does not support."""
