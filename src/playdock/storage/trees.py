"""Opening a version in a library as a tree, whether it is a folder, an archive or an installer."""

import os
import stat
from pathlib import Path

from playdock.content.archive_names import ArchiveFormat, archive_format, is_installer
from playdock.content.errors import UnusableVersion
from playdock.kit.messages import Message
from playdock.storage.entries import ListedFile, Reader, Source, Tree, TreeEntry
from playdock.storage.folder_tree import FolderTree
from playdock.storage.installer_tree import InstallerTree
from playdock.storage.locations import VersionLocation
from playdock.storage.sequential_tree import SequentialTree
from playdock.storage.zip_tree import ZipTree

__all__ = ["ListedFile", "Reader", "Source", "Tree", "TreeEntry", "open_tree"]


def is_archive(path: Path) -> bool:
    """Return whether the name of a version is that of an archive."""
    return archive_format(path.name) is not None


def read_archive(location: VersionLocation, descriptor: int) -> ZipTree | SequentialTree:
    """Read the directory of an open archive. Raises UnusableVersion if it is none, or not the one its name says."""
    if archive_format(location.path.name) is ArchiveFormat.ZIP:
        return ZipTree.read(location, descriptor)
    return SequentialTree.read(location, descriptor)


def open_tree(location: VersionLocation) -> Tree:
    """Return the tree of a folder, an archive or an installer, or of a link to one of them in the same library.

    Raises as `VersionLocation.open`, and UnusableVersion for anything else and for an archive or folder that cannot be
    read.
    """
    try:
        descriptor = location.open()
    except PermissionError as error:
        unreadable = "archive-unreadable" if is_archive(location.path) else "version-folder-unreadable"
        raise UnusableVersion(Message(unreadable)) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            return FolderTree(location)
        if is_archive(location.path) and stat.S_ISREG(mode):
            return read_archive(location, descriptor)
        if is_installer(location.path.name) and stat.S_ISREG(mode):
            return InstallerTree.beside(location)
    finally:
        os.close(descriptor)
    raise UnusableVersion(Message("not-a-version"))
