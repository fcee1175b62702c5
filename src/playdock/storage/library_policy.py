"""Where libraries may be, and how large archives in them.

Members download what is imported from a library. A library must therefore not contain the service's own data, such as
the database with the password hashes. Folders are compared by device and inode, so that links and bind mounts make no
difference.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple, TypeAlias

from playdock.content.errors import UnusableVersion
from playdock.kit.messages import Message
from playdock.kit.storage_failures import system_error
from playdock.storage.file_cache import FileCache

# The device and inode of a file or folder.
Identity: TypeAlias = tuple[int, int]

# Comparing takes 0.1 ms, too long for every request; folders are hardly ever moved or mounted elsewhere.
_SECONDS_BETWEEN_CHECKS = 10.0


class LocationUnusable(Exception):
    """The library's folder is missing or not readable; the message says which, without the path."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def unusable(error: OSError) -> LocationUnusable:
    """Return the error for a library's folder that cannot be opened or listed."""
    if isinstance(error, PermissionError):
        return LocationUnusable(Message("folder-unreadable"))
    if isinstance(error, FileNotFoundError):
        return LocationUnusable(Message("no-such-folder"))
    if isinstance(error, NotADirectoryError):
        return LocationUnusable(Message("path-of-file"))
    return LocationUnusable(Message("folder-failed", reason=system_error(error)))


class LocationForbidden(LocationUnusable):
    """The folder must not be a library, or must not be read as a part of one."""


class ArchiveLimits(NamedTuple):
    """How many files an archive may have, and how large they may be in total; 0 for any."""

    files: int = 0
    bytes: int = 0


UNLIMITED = ArchiveLimits()


def require_within(limits: ArchiveLimits, *, files: int, size: int) -> None:
    """Raise UnusableVersion if an archive has more files or bytes than the limits allow."""
    if limits.files and files > limits.files:
        raise UnusableVersion(Message("archive-files", files=files, most=limits.files))
    if limits.bytes and size > limits.bytes:
        raise UnusableVersion(Message("archive-size", size=size, most=limits.bytes))


class _Checked(NamedTuple):
    """An allowed folder, and until when it need not be checked again."""

    identity: Identity
    until: float


class LibraryPolicy:
    """Allows libraries inside of ``roots``, or anywhere if there are none, and apart from what is ``private``.

    ``private`` are the folders and files that the service writes. Some of them may not exist yet. ``archives`` limits
    the versions that are archives, and ``unpacked`` is the cache for what is unpacked from them. ``own`` is a folder in
    the first private one for nothing but libraries. Libraries that the service writes to are inside of it or of
    ``roots``.
    """

    def __init__(
        self,
        private: Sequence[Path] = (),
        roots: Sequence[Path] = (),
        archives: ArchiveLimits = UNLIMITED,
        unpacked: FileCache | None = None,
        own: Path | None = None,
    ) -> None:
        self.archives, self.unpacked, self.own = archives, unpacked, own
        self._private, self.roots = tuple(private), tuple(roots)
        self._checked: dict[Path, _Checked] = {}
        self._found: tuple[frozenset[Identity], float] = frozenset(), 0.0

    def require_allowed(self, base: Path, descriptor: int) -> None:
        """Check an open folder of a library.

        Raises:
            LocationForbidden: the folder must not be a library.
        """
        if self.is_known_as_allowed(base, descriptor):
            return
        identity = identity_of(os.fstat(descriptor))
        if reason := self._objection(base, identity):
            raise LocationForbidden(Message(reason))
        self._checked[base] = _Checked(identity, monotonic() + _SECONDS_BETWEEN_CHECKS)

    def is_known_as_allowed(self, base: Path, descriptor: int) -> bool:
        """Return whether an open folder of a library has been checked shortly before, without checking it."""
        if not self._private and not self.roots:
            return True
        checked = self._checked.get(base)
        if checked is None or monotonic() >= checked.until:
            return False
        return identity_of(os.fstat(descriptor)) == checked.identity

    def private_entries(self) -> frozenset[Identity]:
        """Return the identities of the private folders, of what is directly in them, and of the private files."""
        entries, until = self._found
        if self._private and monotonic() >= until:
            entries = frozenset(_entries(self._private))
            self._found = entries, monotonic() + _SECONDS_BETWEEN_CHECKS
        return entries

    def require_public(self, folder: Path, descriptor: int) -> None:
        """Check that an open folder is not one of the private ones, nor inside of one.

        Raises:
            LocationForbidden: it is.
        """
        if not {identity_of(os.fstat(descriptor)), *_lineage(folder)}.isdisjoint(self.private_entries()):
            raise LocationForbidden(Message("library-private"))

    def require_writable_place(self, folder: Path) -> None:
        """Check where a library is, or would be, that the service writes to.

        Raises:
            LocationForbidden: it is neither in ``roots`` nor in ``own``.
        """
        if not self._is_own(folder) and set(_lineage(folder)).isdisjoint(_identities(self.roots)):
            raise LocationForbidden(Message("library-not-writable-here"))

    def _is_own(self, folder: Path) -> bool:
        return self.own is not None and self.own.resolve() in folder.resolve().parents

    def _objection(self, base: Path, identity: Identity) -> str | None:
        """Return the code of the reason why a folder must not be a library."""
        around = {identity, *_lineage(base)}
        is_own = self._is_own(base)
        if not around.isdisjoint(_entries(self._private[1:] if is_own else self._private)):
            return "library-private"
        if any(identity in _lineage(path) for path in self._private):
            return "library-private"
        if self.roots and not is_own and around.isdisjoint(_identities(self.roots)):
            return "library-outside-roots"
        return None


UNRESTRICTED = LibraryPolicy()


def identity_of(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def place_of(folder: str) -> Identity | str:
    """Return what identifies a folder, whatever the path that leads to it; the path if it cannot be found."""
    try:
        return identity_of(Path(folder).stat())
    except OSError:
        return folder.rstrip("/")


def _lineage(path: Path) -> Iterator[Identity]:
    """Yield the identities of a folder and of the folders that contain it, as far as they exist."""
    real = path.resolve()
    return _identities((real, *real.parents))


def _entries(paths: Iterable[Path]) -> Iterator[Identity]:
    """Yield the identities of files and folders, and of what is directly in the folders."""
    for path in paths:
        yield from _identities((path, *_children(path)))


def _children(folder: Path) -> Sequence[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return ()


def _identities(paths: Iterable[Path]) -> Iterator[Identity]:
    for path in paths:
        try:
            yield identity_of(path.stat())
        except OSError:
            continue
