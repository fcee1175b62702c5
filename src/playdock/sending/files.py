"""What a transfer needs of whoever opens files for it."""

import os
from dataclasses import dataclass
from typing import Protocol

from playdock.content.damage import FileFault
from playdock.content.file_table import ServedFile


class ContentGone(Exception):
    """A file is not in the library as it was imported."""

    def __init__(self, file: ServedFile, fault: FileFault) -> None:
        super().__init__(f"{file.path}: {fault}")
        self.file = file
        self.fault = fault


class PlaceAway(Exception):
    """The place of what is sent is not there now, so nothing can be said of its files."""


@dataclass(slots=True)
class OpenedFile:
    """A file that is open: its bytes begin at ``base`` of the descriptor, whose size and time must stay as they are."""

    file: ServedFile
    descriptor: int
    base: int
    size: int
    mtime_ns: int

    def check(self) -> None:
        """Raise ContentGone if the file has been written since it was imported."""
        status = os.fstat(self.descriptor)
        if (status.st_size, status.st_mtime_ns) != (self.size, self.mtime_ns):
            raise ContentGone(self.file, FileFault.CHANGED)

    def close(self) -> None:
        os.close(self.descriptor)


class Opener(Protocol):
    """Opens the files of one body, for one thread at a time."""

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a file that is as it was imported; closing it is the caller's.

        Raises:
            ContentGone: it is not.
            OSError: the disk cannot tell.
        """
        ...

    def check(self, file: ServedFile) -> None:
        """Look whether a file is as it was imported, with as little work as that takes. Raises as `open` does."""
        ...

    def rest(self) -> None:
        """Let go of what is only kept open for the next file."""
        ...
