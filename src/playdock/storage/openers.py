"""Openers of the files of versions, for sending.

A file is opened only if its path, size and modification time are those of the import. Changed files are never sent.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import structlog
from msgspec import Struct, field

from playdock.content.archive_names import is_installer
from playdock.content.damage import FileProblem
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.file_table import ServedFile
from playdock.kit.storage_failures import StorageFailure
from playdock.sending.files import ContentMismatch, LocationUnavailable, OpenedFile
from playdock.storage.archives import MAX_WAIT_SECONDS, ArchiveFiles, Archives, open_archive
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.descriptors import closed_on_error
from playdock.storage.folder_tree import FolderReader
from playdock.storage.installer_tree import folder_of
from playdock.storage.library_policy import LocationUnusable
from playdock.storage.locations import VersionLocation
from playdock.storage.s3_files import S3Files, S3Place

_log = structlog.get_logger()


class BlobOpener(Struct, frozen=True):
    """Opens blobs, which never change. The path of a file is the key of the blob."""

    blobs: Blobs

    def open(self, file: ServedFile, offset: int = 0) -> OpenedFile:  # noqa: ARG002 - a whole blob is opened
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

    def open(self, file: ServedFile, offset: int = 0) -> OpenedFile:  # noqa: ARG002 - a whole file is opened
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
    _open_layers: dict[int, FolderFiles | ArchiveFiles | S3Files] = field(default_factory=dict)

    def open(self, file: ServedFile, offset: int = 0) -> OpenedFile:
        """Open a file that is unchanged since the import, or the part of it with the byte at ``offset``.

        Raises:
            ContentMismatch: the file has changed or cannot be read.
            LocationUnavailable: the folder of its library is not available.
            Unpacking: the archive is still being unpacked.
            OSError: the disk failed.
        """
        with self._translating_errors(file):
            layer = self._layer(file.image)
            return layer.open(file, offset) if isinstance(layer, S3Files) else layer.open(file)

    def check(self, file: ServedFile) -> None:
        """Check that a file is unchanged since the import, without decompressing it. Raises the same as `open`."""
        with self._translating_errors(file):
            self._layer(file.image).check(file)

    def link(self, file: ServedFile) -> str | None:
        """Return a short-lived link to a file in S3, None if there is none. Raises the same as `open`."""
        place = self.locations[file.image]
        with self._translating_errors(file):
            if isinstance(place, S3Place) and not place.is_archive:
                return S3Files(place).link(file)
        return None

    def release(self) -> None:
        for files in self._open_layers.values():
            files.close()
        self._open_layers.clear()

    def _layer(self, image: int) -> FolderFiles | ArchiveFiles | S3Files:
        if image not in self._open_layers:
            self._open_layers[image] = self._open_layer(self.locations[image])
        return self._open_layers[image]

    def _open_layer(self, location: VersionLocation) -> FolderFiles | ArchiveFiles | S3Files:
        if isinstance(location, S3Place) and not location.is_archive:
            return S3Files(location)
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
        except StorageFailure as failure:
            _log.warning("a library cannot be read", reason=failure.reason)
            raise LocationUnavailable from None
        except (FileNotFoundError, NotADirectoryError):
            if not self.locations[file.image].library_is_present():
                raise LocationUnavailable from None
            raise ContentMismatch(file, FileProblem.MISSING) from None
