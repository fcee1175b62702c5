"""Unpacking a version into a managed library: the files of an archive or an installer become a folder.

The folder is complete before it appears among the games: until then it is in the service's own folder of the library,
by the id of the change.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from zlib import crc32

from msgspec import Struct

from playdock.content.errors import UnusableVersion
from playdock.content.layouts import only_installer
from playdock.kit.messages import Message
from playdock.storage.backends import LibraryBackend, entries_in
from playdock.storage.entries import Check, Reader, Tree, TreeEntry, damaged
from playdock.storage.folder_operations import (
    PlaceTaken,
    exists,
    folder_in,
    make_folders,
    remove_tree,
    rename,
    sync_file_system,
)
from playdock.storage.folder_tree import FolderTree
from playdock.storage.installer_content import APP_FOLDER, content_of, extract
from playdock.storage.installer_tree import InstallerTree
from playdock.storage.library_files import MOVING, LibraryFolder
from playdock.storage.locations import FOLDER, VersionLocation, open_beneath
from playdock.storage.sequential_tree import SequentialTree
from playdock.storage.trees import open_tree

# What is being unpacked, what has been, and a mark that is there while that is moved to its place.
_PART, _WHOLE, _PLACING = ".part", ".unpacked", ".placing"
# In the mark, if the folder of the game was made for it.
_NEW_GAME = "new-game"
# Large enough that system calls cost little.
_BUFFER_BYTES = 1024 * 1024
# Deeper than games have it, and little enough for everything that walks through folders.
_MAX_DEPTH = 100
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PERMISSIONS, _OWNER = 0o777, 0o600


class UnpackedSize(Struct, frozen=True):
    """How many files there are after unpacking, and how many bytes they have.

    ``work`` are all bytes to be written, ``needed`` those of them that are on the disk of the folder for a while.
    """

    files: int
    size: int
    work: int
    needed: int


def unpacked_path(change_id: str) -> str:
    """Return the path of what a change has unpacked completely, in the folder of the library."""
    return f"{MOVING}/{change_id}{_WHOLE}"


def packed_version(backend: LibraryBackend, game: str, version: str) -> tuple[Tree, VersionLocation]:
    """Return a version of a library on disk and where it is; for a folder with an installer alone those of the latter.

    Raises as `LibraryBackend.open`.
    """
    tree, location = backend.open(game, version), backend.location(game, version)
    if isinstance(tree, FolderTree) and (installer := only_installer(entries_in(location))):
        location = VersionLocation(location.base, f"{location.name}/{installer}", location.policy)
        tree = open_tree(location)
    return tree, location


def begin_placing(folder: LibraryFolder, change_id: str, game: str) -> None:
    """Record that what a change has unpacked completely is moved now, and make the folder of its game if necessary.

    From now on, what is in its place has been moved there. Raises PlaceTaken if a file has the name of the game.
    """
    placing = placing_path(change_id)
    with folder.opened() as base:
        make_folders(base, placing)
        if game and not exists(base, game):
            make_folders(base, f"{placing}/{_NEW_GAME}")
            make_folders(base, game)
        with folder_in(base, MOVING) as moving:
            os.fsync(moving)
    if game and not folder.has_folder(game):
        raise PlaceTaken


def undo_placing(folder: LibraryFolder, change_id: str, game: str) -> None:
    """Remove what `begin_placing` has made, unless others have put something into the folder of the game."""
    placing = placing_path(change_id)
    if game and folder.has(f"{placing}/{_NEW_GAME}"):
        with folder.opened() as base, suppress(OSError):
            os.rmdir(game, dir_fd=base)
    folder.discard([placing], change_id)


def placing_path(change_id: str) -> str:
    """Return the path of what `begin_placing` makes, in the folder of the library."""
    return f"{MOVING}/{change_id}{_PLACING}"


def unpacked_size(tree: Tree, folder: LibraryFolder) -> UnpackedSize:
    """Return how large a version is after unpacking it in the folder of a library.

    Raises:
        UnusableVersion: it is no archive or cannot be read.
    """
    if isinstance(tree, InstallerTree):
        content = content_of(tree)
        _check_depth(content.paths)
        return UnpackedSize(len(content.paths), content.size, content.total, content.total)
    if isinstance(tree, FolderTree):
        raise UnusableVersion(Message("not-packed"))
    entries = tree.entries()
    if not entries:
        raise UnusableVersion(Message("archive-empty"))
    _check_depth(entry.path for entry in entries)
    size = sum(entry.size for entry in entries)
    image = tree.image_size if isinstance(tree, SequentialTree) else 0
    shared = image if isinstance(tree, SequentialTree) and tree.is_unpacked_beside(folder.base) else 0
    return UnpackedSize(len(entries), size, image + size, shared + size)


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
            remove_tree(moving, part)
            os.mkdir(part, dir_fd=moving)
            try:
                with folder_in(moving, part) as target:
                    _fill(tree, target, check=check)
                    sync_file_system(target)
                    rename(target, APP_FOLDER, moving, f"{change_id}{_WHOLE}")
                os.fsync(moving)
            finally:
                # A full disk is a problem for others too.
                remove_tree(moving, part)


def _fill(tree: Tree, target: int, *, check: Check) -> None:
    if isinstance(tree, InstallerTree):
        extract(tree, content_of(tree), target, check=check)
        return
    os.mkdir(APP_FOLDER, dir_fd=target)
    entries = tree.entries()
    done = tree.prepare(check) or _unpacked_before(tree)
    with folder_in(target, APP_FOLDER) as folder, tree.reader() as reader, closing(_Parents(folder)) as parents:
        for entry in entries:
            check(done)
            parent, name = parents.open(entry.path)
            if entry.target is not None:
                os.symlink(entry.target, name, dir_fd=parent)
                continue
            for count in _copy(entry, reader, parent, name):
                done += count
                check(done)


def _unpacked_before(tree: Tree) -> int:
    """Return how many bytes of the work an earlier import or download has done."""
    return tree.image_size if isinstance(tree, SequentialTree) else 0


def _check_depth(paths: Iterable[str]) -> None:
    """Raise UnusableVersion if folders are so deep that they could not be deleted again."""
    if any(path.count("/") > _MAX_DEPTH for path in paths):
        raise UnusableVersion(Message("archive-deep", most=_MAX_DEPTH))


class _Parents:
    """The folders of files in a folder, which are made if necessary. The last one stays open for the next file."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._path, self._descriptor = "", os.dup(folder)

    def open(self, path: str) -> tuple[int, str]:
        """Return a descriptor of the folder of a file until the next call, and the name in it."""
        parent, _, name = path.rpartition("/")
        if parent != self._path:
            opened = self._made(parent) if parent else os.dup(self._folder)
            os.close(self._descriptor)
            self._path, self._descriptor = parent, opened
        return self._descriptor, name

    def close(self) -> None:
        os.close(self._descriptor)

    def _made(self, parent: str) -> int:
        make_folders(self._folder, parent)
        return open_beneath(self._folder, parent, FOLDER)


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
