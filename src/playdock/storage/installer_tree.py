"""Versions that are installers beside the folders of a library: `setup_….exe` with its `.bin` parts."""

import os
from collections.abc import Iterator
from typing import Self

from msgspec import Struct

from playdock.content.archive_names import installer_files
from playdock.content.names import check_names
from playdock.storage.entries import Check, ListedFile, Tree, TreeEntry, changed
from playdock.storage.folder_tree import FolderReader, FolderTree
from playdock.storage.locations import VersionLocation
from playdock.storage.version_resource import version_strings

INNO_SETUP_ARGUMENTS = r'/VERYSILENT /SUPPRESSMSGBOXES /NORESTART /SP- /DIR="expand:{src}\Installed"'
"""Arguments of Inno Setup's installers (its manual, Setup Command Line Parameters).

The game is installed below the folder with the installer, which is where the client has put it.
"""


class InstallerTree(Struct, frozen=True):
    """The tree of an installer: some files of the folder that it is in."""

    folder: FolderTree
    installer: str

    @classmethod
    def beside(cls, location: VersionLocation) -> Self:
        """Return the tree of an installer at a location."""
        return cls(FolderTree(folder_of(location)), location.path.name)

    def entries(self) -> list[TreeEntry]:
        names = self._names()
        check_names(names)
        return [self.folder.entry(name) for name in names]

    def names(self) -> Iterator[ListedFile]:
        return (ListedFile(name, 0o644) for name in self._names())

    def has(self, path: str) -> bool:
        return path in self._names()

    def head(self, path: str, *, length: int) -> bytes:
        return self.folder.head(self._require(path), length=length)

    def entry(self, path: str) -> TreeEntry:
        return self.folder.entry(self._require(path))

    def prepare(self, check: Check, *, again: bool = False) -> int:
        return self.folder.prepare(check, again=again)

    def reader(self) -> FolderReader:
        return self.folder.reader()

    def _names(self) -> list[str]:
        descriptor = self.folder.location.open()
        try:
            with os.scandir(descriptor) as found:
                return installer_files(self.installer, [entry.name for entry in found if entry.is_file()])
        finally:
            os.close(descriptor)

    def _require(self, path: str) -> str:
        if not self.has(path):
            raise changed(path)
        return path


def silent_arguments(tree: Tree, installer: str) -> str:
    """Return the arguments with which an installer asks nothing, empty if it is of no known kind.

    Raises OSError, UnusableVersion and VersionChanged if it cannot be read.
    """
    strings = version_strings(tree, installer)
    return INNO_SETUP_ARGUMENTS if any("Inno Setup" in text for text in strings.values()) else ""


def folder_of(location: VersionLocation) -> VersionLocation:
    """Return the location of the folder with an installer."""
    return VersionLocation(location.base, location.name.rpartition("/")[0], location.policy)
