"""Opening versions beneath the folder of their library.

A user who can write to a library must not be able to make the service read anything outside of it, not even by
replacing a folder with a link between two calls. Therefore the library's folder is opened first, and then each
component of the path relative to the one before, without following links. A game or version may be a link to another
folder of its library: the link is resolved, and the result is opened in the same way.
"""

import errno
import os
import stat
from pathlib import Path

from msgspec import Struct

from playdock.kit.messages import Message
from playdock.storage.descriptors import closed_on_error
from playdock.storage.library_policy import UNRESTRICTED, LibraryPolicy, LocationForbidden, identity_of

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# A folder may be passed without being readable. Linux can open it only for that.
_PASSED = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe would block the thread forever.
FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
# What opening a link fails with if links are not followed.
_LINK = (errno.ELOOP, errno.ENOTDIR)


class VersionLocation(Struct, frozen=True):
    """A folder or archive in a library: the library's folder, and the path below it; empty for the folder itself."""

    base: Path
    name: str
    policy: LibraryPolicy = UNRESTRICTED

    @property
    def path(self) -> Path:
        """The path for messages and keys. Another folder may be there when it is opened."""
        return self.base / self.name

    def open(self) -> int:
        """Open the folder or archive and return its descriptor, which the caller must close.

        Raises:
            LocationForbidden: the library must not be where it is, or this is a folder of the service.
            FileNotFoundError: it does not exist, or is a link that leaves the library.
            OSError: it cannot be opened.
        """
        base = os.open(self.base, _PASSED if self.name else FOLDER)
        try:
            self.policy.require_allowed(self.base, base)
            descriptor = self._open_below(base) if self.name else os.dup(base)
        finally:
            os.close(base)
        with closed_on_error(descriptor):
            private = self.policy.private_entries()
            if private and identity_of(os.fstat(descriptor)) in private:
                raise LocationForbidden(Message("library-private"))
        return descriptor

    def _open_below(self, base: int) -> int:
        try:
            return open_beneath(base, self.name, FILE)
        except OSError as error:
            if error.errno not in _LINK:
                raise
        try:
            return open_beneath(base, self.resolved_name(), FILE)
        except OSError as error:
            if error.errno in _LINK:
                raise _missing(self.name) from error
            raise

    def is_folder(self) -> bool:
        """Return whether this is a folder that can be opened."""
        try:
            descriptor = self.open()
        except OSError:
            return False
        try:
            return stat.S_ISDIR(os.fstat(descriptor).st_mode)
        finally:
            os.close(descriptor)

    def library_is_present(self) -> bool:
        """Return whether the library's folder is not empty. The mount point of a disk that is not mounted is empty."""
        try:
            with os.scandir(self.base) as found:
                return next(found, None) is not None
        except OSError:
            return False

    def resolved_name(self) -> str:
        """Return the path below the library's folder without links. Raises FileNotFoundError if it is not below it."""
        try:
            return str(self.path.resolve().relative_to(self.base.resolve()))
        # Up to Python 3.12, pathlib raises RuntimeError for circular links.
        except (ValueError, RuntimeError) as error:
            raise _missing(self.name) from error
        except OSError as error:
            # A link has become a folder before it was read.
            if error.errno == errno.EINVAL:
                raise _missing(self.name) from error
            raise


def open_beneath(folder: int, path: str, flags: int) -> int:
    """Open what is at a path below an open folder, without following links, and return its descriptor."""
    *parents, name = path.split("/")
    if ".." in (*parents, name):
        raise _missing(path)
    descriptor = folder
    try:
        for each in parents:
            parent, descriptor = descriptor, os.open(each, _PASSED | os.O_NOFOLLOW, dir_fd=descriptor)
            if parent != folder:
                os.close(parent)
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=descriptor)
    finally:
        if descriptor != folder:
            os.close(descriptor)


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
