"""Kinds of damage to the files of imported versions."""

from enum import StrEnum


class FileProblem(StrEnum):
    """The difference between a file in the library and its import.

    A file with another size or modification time has changed; one with the same size and time but other content has
    rotted.
    """

    MISSING = "missing"
    CHANGED = "changed"
    ROT = "rot"
    UNREADABLE = "unreadable"
