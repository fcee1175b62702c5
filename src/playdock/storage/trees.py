"""Opening a version in a library as a tree, whether it is a folder or an archive."""

from pathlib import Path

from playdock.content.errors import UnusableVersion
from playdock.kit.messages import Message
from playdock.storage.entries import ListedFile, Reader, Source, Tree, TreeEntry
from playdock.storage.folder_tree import FolderTree
from playdock.storage.zip_tree import ZipTree

__all__ = ["ListedFile", "Reader", "Source", "Tree", "TreeEntry", "open_tree"]


def is_archive(path: Path) -> bool:
    """Return whether the name of a version is that of an archive."""
    return path.suffix.lower() == ".zip"


def open_tree(path: Path) -> Tree:
    """Return the tree of a folder or a `.zip`, or of a link to one of them.

    Raises UnusableVersion for anything else and for an archive whose directory cannot be read, OSError if nothing
    exists at the path.
    """
    if path.is_dir():
        return FolderTree(path)
    if is_archive(path) and path.is_file():
        return ZipTree.open(path)
    path.lstat()
    raise UnusableVersion(Message("not-a-version"))
