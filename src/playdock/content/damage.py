"""How files of imported versions differ from their imports."""

from enum import StrEnum


class FileProblem(StrEnum):
    """The difference between a file in the library and its import.

    A file with another size or modification time has changed; one with the same size and time but other content has
    rotted. One that was added is no damage: the version can be installed as it was imported.
    """

    MISSING = "missing"
    CHANGED = "changed"
    ROT = "rot"
    UNREADABLE = "unreadable"
    ADDED = "added"
