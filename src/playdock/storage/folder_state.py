"""Compute the state of a version on disk.

Nothing is read but names and metadata. A version can change while this is computed; then its state differs the next
time.
"""

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from blake3 import blake3

from playdock.content.archive_names import installer_files, is_installer
from playdock.content.folder_state import FolderState
from playdock.storage.installer_tree import folder_of
from playdock.storage.locations import VersionLocation
from playdock.storage.s3_files import S3Place

_NS_PER_SECOND = 1_000_000_000


def state_of(location: VersionLocation, *, check: Callable[[], None]) -> FolderState:
    """Return the state of a folder or archive. ``check`` is called often, and may raise an error.

    Raises:
        OSError, LocationUnusable: it cannot be read.
    """
    if isinstance(location, S3Place):
        return _state_in_s3(location, check=check)
    descriptor = location.open()
    try:
        status = os.fstat(descriptor)
        seen = _Seen()
        if stat.S_ISDIR(status.st_mode):
            seen.add(status)
            _walk(descriptor, seen, check=check)
        elif is_installer(location.path.name):
            _look_at_parts(location, seen)
        else:
            seen.add(status)
    finally:
        os.close(descriptor)
    return FolderState(seen.fingerprint, seen.changed / _NS_PER_SECOND)


class _Seen:
    """The numbers, sizes and newest times of everything that was seen, and of regular files among that."""

    def __init__(self) -> None:
        self.count = self.size = self.newest = self.changed = 0
        self.files = self.file_size = self.newest_file = 0

    def add(self, status: os.stat_result) -> None:
        self.count += 1
        self.size += status.st_size
        self.newest = max(self.newest, status.st_mtime_ns)
        self.changed = max(self.changed, status.st_ctime_ns)
        if stat.S_ISREG(status.st_mode):
            self.files += 1
            self.file_size += status.st_size
            self.newest_file = max(self.newest_file, status.st_mtime_ns)

    @property
    def fingerprint(self) -> str:
        whole = f"{self.count} {self.size} {self.newest} {self.changed}"
        return f"{whole} {self.files} {self.file_size} {self.newest_file}"


def _walk(folder: int, seen: _Seen, *, check: Callable[[], None]) -> None:
    for _, folders, files, parent in os.fwalk(dir_fd=folder):
        check()
        for name in (*folders, *files):
            # It was removed after it had been listed.
            with suppress(FileNotFoundError):
                seen.add(os.stat(name, dir_fd=parent, follow_symlinks=False))


def _look_at_parts(installer: VersionLocation, seen: _Seen) -> None:
    """Look at an installer and its parts, which are beside it."""
    folder = folder_of(installer).open()
    try:
        for name in installer_files(installer.path.name, os.listdir(folder)):  # noqa: PTH208 - a descriptor
            with suppress(FileNotFoundError):
                seen.add(os.stat(name, dir_fd=folder, follow_symlinks=False))
    finally:
        os.close(folder)


def _state_in_s3(place: S3Place, *, check: Callable[[], None]) -> FolderState:
    """Return the state of what is listed. Times are those of the uploads, and ETags tell what has been replaced."""
    count, size, changed, etags = 0, 0, 0.0, blake3()
    for each in [place.source.find(place.name)] if place.is_archive else place.source.list(place.name):
        check()
        count, size, changed = count + 1, size + each.size, max(changed, each.modified.timestamp())
        etags.update(f"{each.key}\0{each.etag}\0".encode())
    return FolderState(f"{count} {size} {etags.hexdigest(length=16)}", changed)
