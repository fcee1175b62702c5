"""Opening the files of versions where they lie, to be sent.

A file is opened only if it is as it was imported: the same size and time, in the same place. Nothing of a version that
was changed since is ever given.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playdock.content.damage import FileFault
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.file_table import ServedFile
from playdock.sending.files import ContentGone, OpenedFile, PlaceAway
from playdock.storage.archives import Archives, ArchiveShelf
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.folder_tree import FolderReader


@dataclass(frozen=True, slots=True)
class Place:
    """Where a version lies: the folder or archive, and the base folder of its library."""

    base: Path
    path: Path


@dataclass(frozen=True, slots=True)
class BlobOpener:
    """Opens a blob, which never changes; the file's path is the blob's key."""

    blobs: Blobs

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a blob.

        Raises:
            ContentGone: it is not there any more.
        """
        try:
            descriptor = self.blobs.descriptor(file.path)
        except NoSuchBlob:
            raise ContentGone(file, FileFault.MISSING) from None
        status = os.fstat(descriptor)
        return OpenedFile(file, descriptor, 0, status.st_size, status.st_mtime_ns)

    def check(self, file: ServedFile) -> None:
        """Look whether a blob is there. Raises as `open` does."""
        self.open(file).close()

    def rest(self) -> None: ...


class FolderShelf:
    """The files of a version that is a folder."""

    def __init__(self, path: Path) -> None:
        self._reader = FolderReader(path)

    def open(self, file: ServedFile) -> OpenedFile:
        opened = OpenedFile(file, self._reader.descriptor(file.path), 0, file.size, file.mtime_ns)
        try:
            opened.check()
        except BaseException:
            opened.close()
            raise
        return opened

    def check(self, file: ServedFile) -> None:
        """Look whether a file is as it was imported. Raises as `open` does."""
        self.open(file).close()

    def close(self) -> None:
        self._reader.close()


@dataclass(slots=True)
class VersionOpener:
    """Opens the files of an installation, whose layers lie at ``places``, base first."""

    places: Sequence[Place]
    archives: Archives
    _shelves: dict[int, FolderShelf | ArchiveShelf] = field(default_factory=dict)

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a file that is as it was imported.

        Raises:
            ContentGone: it is not, or cannot be read.
            PlaceAway: its library is not there.
            OSError: the disk failed.
        """
        with self._explained(file):
            return self._shelf(file.image).open(file)

    def check(self, file: ServedFile) -> None:
        """Look whether a file is as it was imported, with as little work as that takes. Raises as `open` does."""
        with self._explained(file):
            self._shelf(file.image).check(file)

    def rest(self) -> None:
        for shelf in self._shelves.values():
            shelf.close()
        self._shelves.clear()

    def _shelf(self, image: int) -> FolderShelf | ArchiveShelf:
        if image not in self._shelves:
            path = self.places[image].path
            self._shelves[image] = ArchiveShelf(path, self.archives) if path.is_file() else FolderShelf(path)
        return self._shelves[image]

    @contextmanager
    def _explained(self, file: ServedFile) -> Iterator[None]:
        try:
            yield
        except VersionChanged:
            raise ContentGone(file, FileFault.CHANGED) from None
        except UnusableVersion:
            raise ContentGone(file, FileFault.UNREADABLE) from None
        except (FileNotFoundError, NotADirectoryError):
            if not _is_there(self.places[file.image].base):
                raise PlaceAway from None
            raise ContentGone(file, FileFault.MISSING) from None


def _is_there(base: Path) -> bool:
    """Tell whether a library's folder has anything in it: the folder of a disk that is not mounted has nothing."""
    try:
        with os.scandir(base) as found:
            return next(found, None) is not None
    except OSError:
        return False
