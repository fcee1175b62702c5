"""What is said when the database is the matter."""

from playdock.kit.errors import Unavailable


class DatabaseUnusable(Unavailable):
    """The database does not answer, is full, or its folder cannot be written."""
