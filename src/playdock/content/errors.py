"""What can be wrong with a version, told in sentences for the person who imports it."""


class UnusableVersion(Exception):
    """The version as it lies on disk cannot be imported: reading it again would change nothing."""


class VersionChanged(Exception):
    """A file changed, vanished or grew while it was read: it may be whole the next time."""


class UnreadableRecord(Exception):
    """Stored records are damaged, or of a format that this release does not know."""
