"""Changing folders through descriptors, so that nothing is reached through a link."""

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from playdock.storage.locations import FOLDER, open_beneath

# RENAME_NOREPLACE of renameat2(2).
_NO_REPLACE = 1
# The kernel, the C library or the file system does not have renameat2 or this flag.
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


class PlaceTaken(Exception):
    """There is a file or folder already where something is to be moved."""


@contextmanager
def closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def folder_in(parent: int, path: str) -> Iterator[int]:
    with closing(open_beneath(parent, path, FOLDER)) as descriptor:
        yield descriptor


def make_folders(parent: int, path: str) -> None:
    """Make the folders of a path that do not exist yet."""
    parts = path.split("/")
    for depth, name in enumerate(parts):
        above = "/".join(parts[:depth])
        with suppress(FileExistsError):
            if above:
                with folder_in(parent, above) as folder:
                    os.mkdir(name, dir_fd=folder)
            else:
                os.mkdir(name, dir_fd=parent)


def remove_tree(folder: int, name: str) -> None:
    """Delete a folder with its content, as far as possible. What is left is for a later call."""
    with suppress(RecursionError):
        shutil.rmtree(name, ignore_errors=True, dir_fd=folder)


def exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def rename(source: int, name: str, target: int, new_name: str) -> None:
    """Rename an entry of a folder, without replacing anything.

    Raises:
        PlaceTaken: there is something with the new name.
        FileNotFoundError: there is nothing with the name.
        OSError: with EXDEV, the folders are on different disks.
    """
    if sys.platform == "linux" and hasattr(_LIBRARY, "renameat2"):
        if not _LIBRARY.renameat2(source, os.fsencode(name), target, os.fsencode(new_name), _NO_REPLACE):
            return
        error = ctypes.get_errno()
        if error in (errno.EEXIST, errno.ENOTEMPTY):
            raise PlaceTaken
        if error not in _UNSUPPORTED:
            raise OSError(error, os.strerror(error), name)
    if exists(target, new_name):
        raise PlaceTaken
    os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)


def sync_file_system(descriptor: int) -> None:
    """Wait until everything that was written to a file system survives a power failure."""
    if sys.platform != "linux":
        os.sync()
        return
    if _LIBRARY.syncfs(descriptor):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


_LIBRARY = ctypes.CDLL(None, use_errno=True)
