"""The state of a version on disk, from which follows whether its files are changing."""

from msgspec import Struct


class FolderState(Struct, frozen=True):
    """The number and size of files, and their newest time, as text; and when the file system last recorded a change.

    The last three fields of the ``fingerprint`` are about regular files only: they are the same after these were copied
    to another disk with their modification times. ``changed`` is in seconds since 1970, by the clock of the file
    system, which cannot be set by those who copy files.
    """

    fingerprint: str
    changed: float
