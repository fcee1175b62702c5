"""Openers of the files of versions, for sending.

A file is opened only if its path, size and modification time are those of the import. Changed files are never sent.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field

from playdock.content.archive_names import is_installer
from playdock.content.damage import FileProblem
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.file_table import ServedFile
from playdock.sending.files import ContentMismatch, LocationUnavailable, OpenedFile
from playdock.storage.archives import MAX_WAIT_SECONDS, ArchiveFiles, Archives, open_archive
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.descriptors import closed_on_error
from playdock.storage.folder_tree import FolderReader
from playdock.storage.installer_tree import folder_of
from playdock.storage.library_policy import LocationUnusable
from playdock.storage.locations import VersionLocation


class BlobOpener(Struct, frozen=True):
    """Opens blobs, which never change. The path of a file is the key of the blob."""

    blobs: Blobs

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a blob.

        Raises:
            ContentMismatch: the blob no longer exists.
        """
        try:
            descriptor = self.blobs.descriptor(file.path)
        except NoSuchBlob:
            raise ContentMismatch(file, FileProblem.MISSING) from None
        with closed_on_error(descriptor):
            status = os.fstat(descriptor)
        return OpenedFile(file, descriptor, 0, status.st_size, status.st_mtime_ns)

    def check(self, file: ServedFile) -> None:
        """Check that a blob exists. Raises the same as `open`."""
        self.open(file).close()

    def release(self) -> None: ...


class FolderOpener(Struct, frozen=True):
    """Opens files that are directly in a folder. The path of a file is its name."""

    folder: Path

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a file that is unchanged.

        Raises:
            ContentMismatch: the file has changed, or no longer exists.
            OSError: it cannot be read.
        """
        try:
            descriptor = os.open(self.folder / file.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            raise ContentMismatch(file, FileProblem.MISSING) from None
        opened = OpenedFile(file, descriptor, 0, file.size, file.mtime_ns)
        with closed_on_error(descriptor):
            opened.check()
        return opened

    def check(self, file: ServedFile) -> None:
        """Check that a file is unchanged. Raises the same as `open`."""
        self.open(file).close()

    def release(self) -> None: ...


class FolderFiles:
    """The files of a version that is a folder. Used by one thread."""

    def __init__(self, reader: FolderReader) -> None:
        self._reader = reader

    def open(self, file: ServedFile) -> OpenedFile:
        opened = OpenedFile(file, self._reader.descriptor(file.path), 0, file.size, file.mtime_ns)
        with closed_on_error(opened.descriptor):
            opened.check()
        return opened

    def check(self, file: ServedFile) -> None:
        """Check that a file is unchanged since the import. Raises the same as `open`."""
        self.open(file).close()

    def close(self) -> None:
        self._reader.close()


class VersionOpener(Struct):
    """Opens the files of an installation whose layers are at ``locations``, the base layer first.

    ``max_wait`` is how many seconds `open` waits for an archive that is being unpacked, None for any number.
    """

    locations: Sequence[VersionLocation]
    archives: Archives
    max_wait: float | None = MAX_WAIT_SECONDS
    _open_layers: dict[int, FolderFiles | ArchiveFiles] = field(default_factory=dict)

    def open(self, file: ServedFile) -> OpenedFile:
        """Open a file that is unchanged since the import.

        Raises:
            ContentMismatch: the file has changed or cannot be read.
            LocationUnavailable: the folder of its library is not available.
            Unpacking: the archive is still being unpacked.
            OSError: the disk failed.
        """
        with self._translating_errors(file):
            return self._layer(file.image).open(file)

    def check(self, file: ServedFile) -> None:
        """Check that a file is unchanged since the import, without decompressing it. Raises the same as `open`."""
        with self._translating_errors(file):
            self._layer(file.image).check(file)

    def release(self) -> None:
        for files in self._open_layers.values():
            files.close()
        self._open_layers.clear()

    def _layer(self, image: int) -> FolderFiles | ArchiveFiles:
        if image not in self._open_layers:
            self._open_layers[image] = self._open_layer(self.locations[image])
        return self._open_layers[image]

    def _open_layer(self, location: VersionLocation) -> FolderFiles | ArchiveFiles:
        descriptor = location.open()
        with closed_on_error(descriptor):
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                return FolderFiles(FolderReader(descriptor, location))
            if not is_installer(location.path.name):
                return open_archive(location, descriptor, self.archives, max_wait=self.max_wait)
        os.close(descriptor)
        return FolderFiles(FolderReader.opened(folder_of(location)))

    @contextmanager
    def _translating_errors(self, file: ServedFile) -> Iterator[None]:
        try:
            yield
        except VersionChanged:
            raise ContentMismatch(file, FileProblem.CHANGED) from None
        except (UnusableVersion, PermissionError):
            raise ContentMismatch(file, FileProblem.UNREADABLE) from None
        except LocationUnusable:
            raise LocationUnavailable from None
        except (FileNotFoundError, NotADirectoryError):
            if not _is_mounted(self.locations[file.image].base):
                raise LocationUnavailable from None
            raise ContentMismatch(file, FileProblem.MISSING) from None


def _is_mounted(base: Path) -> bool:
    """Return whether a library's folder is not empty. The mount point of a disk that is not mounted is empty."""
    try:
        with os.scandir(base) as found:
            return next(found, None) is not None
    except OSError:
        return False
