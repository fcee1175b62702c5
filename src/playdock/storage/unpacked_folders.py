"""Unpacking a version of a managed library: the files of an archive or an installer become a folder.

The folder is complete before it appears beside the archive: until then it is in the service's own folder of the
library, by the id of the change.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

from msgspec import Struct

from playdock.content.errors import UnusableVersion
from playdock.kit.messages import Message
from playdock.storage.entries import Check, Reader, Tree, TreeEntry, damaged
from playdock.storage.folder_operations import folder_in, make_folders, rename, sync_file_system
from playdock.storage.folder_tree import FolderTree
from playdock.storage.installer_content import APP_FOLDER, content_of, extract
from playdock.storage.installer_tree import InstallerTree
from playdock.storage.library_files import MOVING, LibraryFolder
from playdock.storage.sequential_tree import SequentialTree

_PART, _WHOLE = ".part", ".unpacked"
# Large enough that system calls cost little.
_BUFFER_BYTES = 1024 * 1024
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PERMISSIONS, _OWNER = 0o777, 0o600


class UnpackedSize(Struct, frozen=True):
    """How many files there are after unpacking, and how many bytes they have. ``work`` are all bytes to be written."""

    files: int
    size: int
    work: int


def unpacked_path(change_id: str) -> str:
    """Return the path of what a change has unpacked completely, in the folder of the library."""
    return f"{MOVING}/{change_id}{_WHOLE}"


def unpacked_size(tree: Tree) -> UnpackedSize:
    """Return how large a version is after unpacking. Raises UnusableVersion if it is no archive or cannot be read."""
    if isinstance(tree, InstallerTree):
        content = content_of(tree)
        return UnpackedSize(content.files, content.size, content.total)
    if isinstance(tree, FolderTree):
        raise UnusableVersion(Message("not-packed"))
    sizes = [entry.size for entry in tree.entries()]
    passes = 2 if isinstance(tree, SequentialTree) else 1
    return UnpackedSize(len(sizes), sum(sizes), passes * sum(sizes))


def unpack_version(tree: Tree, folder: LibraryFolder, change_id: str, *, check: Check) -> None:
    """Unpack a version to `unpacked_path`. What an interrupted call has left is replaced.

    ``check`` is called often with the number of bytes that have been written; if it raises, this ends.

    Raises:
        UnusableVersion, VersionChanged: the archive or installer cannot be read, or is being changed.
        OSError: the disk fails or is full.
    """
    part = f"{change_id}{_PART}"
    with folder.opened() as base:
        make_folders(base, MOVING)
        with folder_in(base, MOVING) as moving:
            shutil.rmtree(part, ignore_errors=True, dir_fd=moving)
            os.mkdir(part, dir_fd=moving)
            try:
                with folder_in(moving, part) as target:
                    _fill(tree, target, check=check)
                    sync_file_system(target)
                    rename(target, APP_FOLDER, moving, f"{change_id}{_WHOLE}")
                os.fsync(moving)
            finally:
                # A full disk is a problem for others too.
                shutil.rmtree(part, ignore_errors=True, dir_fd=moving)


def _fill(tree: Tree, target: int, *, check: Check) -> None:
    if isinstance(tree, InstallerTree):
        extract(tree, content_of(tree), target, check=check)
        return
    os.mkdir(APP_FOLDER, dir_fd=target)
    entries = tree.entries()
    done = tree.prepare(check)
    with folder_in(target, APP_FOLDER) as folder, tree.reader() as reader:
        for entry in entries:
            with _parent_of(entry.path, folder) as (parent, name):
                if entry.target is not None:
                    os.symlink(entry.target, name, dir_fd=parent)
                    continue
                for count in _copy(entry, reader, parent, name):
                    done += count
                    check(done)


@contextmanager
def _parent_of(path: str, folder: int) -> Iterator[tuple[int, str]]:
    """Open the folder of a file in a folder, which is made if necessary."""
    parent, _, name = path.rpartition("/")
    if not parent:
        yield folder, name
        return
    make_folders(folder, parent)
    with folder_in(folder, parent) as opened:
        yield opened, name


def _copy(entry: TreeEntry, reader: Reader, folder: int, name: str) -> Iterator[int]:
    """Write a file, and yield the numbers of bytes written. Raises UnusableVersion if it is damaged."""
    buffer = memoryview(bytearray(max(1, min(entry.size, _BUFFER_BYTES))))
    checksum = 0
    output = os.open(name, _NEW_FILE, 0o666, dir_fd=folder)
    with os.fdopen(output, "wb", buffering=0) as file, reader.open(entry) as source:
        while count := source.readinto(buffer):
            checksum = crc32(buffer[:count], checksum)
            written = 0
            while written < count:
                written += file.write(buffer[written:count])
            yield count
        if entry.crc32 is not None and entry.crc32 != checksum:
            raise damaged(entry.path)
        os.fchmod(output, entry.mode & _PERMISSIONS | _OWNER)
