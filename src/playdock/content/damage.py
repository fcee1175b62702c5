"""What can be wrong with a file of a version after its import."""

from enum import StrEnum


class FileFault(StrEnum):
    """How a file in the library differs from what was imported.

    A file of the same size and time whose bytes are others has rotted; one of another size or time was changed.
    """

    MISSING = "missing"
    CHANGED = "changed"
    ROT = "rot"
    UNREADABLE = "unreadable"
