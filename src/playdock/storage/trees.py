"""Choosing how a version in a library is read, by what it is."""

from pathlib import Path

from playdock.content.errors import UnusableVersion
from playdock.storage.entries import Entry, Listed, Reader, Source, Tree
from playdock.storage.folder_tree import FolderTree
from playdock.storage.zip_tree import ZipTree

__all__ = ["Entry", "Listed", "Reader", "Source", "Tree", "open_tree"]


def is_archive(path: Path) -> bool:
    """Tell by its name whether a version is an archive."""
    return path.suffix.lower() == ".zip"


def open_tree(path: Path) -> Tree:
    """Give the tree of a folder or of a `.zip`; a link to one of them will do.

    Raises UnusableVersion for anything else and for an archive whose directory cannot be read, OSError where there is
    nothing.
    """
    if path.is_dir():
        return FolderTree(path)
    if is_archive(path) and path.is_file():
        return ZipTree.open(path)
    path.lstat()
    raise UnusableVersion("The version is neither a folder nor a .zip archive. Unpack it, or pack it as .zip.")
