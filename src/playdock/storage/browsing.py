"""Browsing folders in which libraries may be."""

import os
from heapq import nsmallest
from itertools import islice
from pathlib import Path

from msgspec import Struct

from playdock.kit.messages import Message
from playdock.storage.backends import is_text
from playdock.storage.library_policy import LibraryPolicy, LocationForbidden, LocationUnusable, identity_of, unusable
from playdock.storage.locations import FOLDER, open_beneath

# Twice as many as a folder of a large collection has; reading them takes about 0.2 s.
_MAX_ENTRIES = 200_000


class FolderPage(Struct, frozen=True):
    """The folders in a folder by name; ``more`` is whether there are others.

    ``parent`` is the folder around it, empty for a root. For the list of roots, ``path`` is empty and ``parent`` None.
    """

    path: str
    parent: str | None
    folders: list[Path]
    more: bool = False


class FolderBrowser(Struct, frozen=True):
    """Lists folders in which libraries may be, according to a policy. Links are not listed, and not followed."""

    policy: LibraryPolicy

    def roots(self) -> FolderPage:
        """Return the folders where browsing begins, as far as they exist."""
        return FolderPage("", None, [each for each in self._roots() if each.is_dir()])

    def folders_in(self, path: Path, *, text: str, most: int) -> FolderPage:
        """Return the first folders in a folder whose names contain a text, ignoring case.

        Raises:
            LocationForbidden: it is outside of the roots, or contains the service's own data.
            LocationUnusable: it cannot be read.
        """
        try:
            folder = path.resolve()
        # Up to Python 3.12, pathlib raises RuntimeError for circular links.
        except (OSError, RuntimeError, ValueError):
            raise LocationUnusable(Message("no-such-folder")) from None
        roots = self._roots()
        root = next((each for each in roots if folder.is_relative_to(each)), None)
        if root is None:
            raise LocationForbidden(Message("library-outside-roots"))
        try:
            names = self._names(root, folder, text.casefold(), most=most + 1)
        except OSError as error:
            raise unusable(error) from None
        parent = "" if folder in roots else str(folder.parent)
        return FolderPage(str(folder), parent, [folder / name for name in names[:most]], more=len(names) > most)

    def _roots(self) -> list[Path]:
        return [each.resolve() for each in self.policy.roots] or [Path("/")]

    def _names(self, root: Path, folder: Path, text: str, *, most: int) -> list[str]:
        private = self.policy.private_entries()
        descriptor = _open(root, folder)
        try:
            self.policy.require_public(folder, descriptor)
            with os.scandir(descriptor) as entries:
                shown = (entry.name for entry in islice(entries, _MAX_ENTRIES) if _is_shown(entry, text))
                first = nsmallest(most + len(private), shown, key=lambda name: (name.casefold(), name))
            return [name for name in first if _identity(name, descriptor) not in private][:most]
        finally:
            os.close(descriptor)


def _open(root: Path, folder: Path) -> int:
    if folder == root:
        return os.open(root, FOLDER)
    base = os.open(root, FOLDER)
    try:
        return open_beneath(base, str(folder.relative_to(root)), FOLDER)
    finally:
        os.close(base)


def _is_shown(entry: os.DirEntry[str], text: str) -> bool:
    name = entry.name
    if name.startswith(".") or text not in name.casefold() or not is_text(name):
        return False
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _identity(name: str, folder: int) -> tuple[int, int] | None:
    try:
        return identity_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except OSError:
        return None
