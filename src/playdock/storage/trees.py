"""Opening a version in a library as a tree, whether it is a folder or an archive."""

import os
import stat
from pathlib import Path

from playdock.content.errors import UnusableVersion
from playdock.kit.messages import Message
from playdock.storage.entries import ListedFile, Reader, Source, Tree, TreeEntry
from playdock.storage.folder_tree import FolderTree
from playdock.storage.locations import VersionLocation
from playdock.storage.zip_tree import ZipTree

__all__ = ["ListedFile", "Reader", "Source", "Tree", "TreeEntry", "open_tree"]


def is_archive(path: Path) -> bool:
    """Return whether the name of a version is that of an archive."""
    return path.suffix.lower() == ".zip"


def open_tree(location: VersionLocation) -> Tree:
    """Return the tree of a folder or a `.zip`, or of a link to one of them in the same library.

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
            return ZipTree.read(location, descriptor)
    finally:
        os.close(descriptor)
    raise UnusableVersion(Message("not-a-version"))
