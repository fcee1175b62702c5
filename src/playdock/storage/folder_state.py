"""Compute the state of a version on disk.

Nothing is read but names and metadata. A version can change while this is computed; then its state differs the next
time.
"""

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from blake3 import blake3

from playdock.content.folder_state import FolderState
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
        count, size, newest, changed = 1, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        if stat.S_ISDIR(status.st_mode):
            for _, folders, files, parent in os.fwalk(dir_fd=descriptor):
                check()
                for name in (*folders, *files):
                    # It was removed after it had been listed.
                    with suppress(FileNotFoundError):
                        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
                        count += 1
                        size += status.st_size
                        newest = max(newest, status.st_mtime_ns)
                        changed = max(changed, status.st_ctime_ns)
    finally:
        os.close(descriptor)
    return FolderState(f"{count} {size} {newest} {changed}", changed / _NS_PER_SECOND)


def _state_in_s3(place: S3Place, *, check: Callable[[], None]) -> FolderState:
    """Return the state of what is listed. Times are those of the uploads, and ETags tell what has been replaced."""
    count, size, changed, etags = 0, 0, 0.0, blake3()
    for each in [place.source.find(place.name)] if place.is_archive else place.source.list(place.name):
        check()
        count, size, changed = count + 1, size + each.size, max(changed, each.modified.timestamp())
        etags.update(f"{each.key}\0{each.etag}\0".encode())
    return FolderState(f"{count} {size} {etags.hexdigest(length=16)}", changed)
