"""Failures of disks and of the machine that may be temporary, each with a message that says what to do."""

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from playdock.kit.errors import Unavailable
from playdock.kit.messages import Message

DISK_FULL = Message("disk-full")
READ_ONLY = Message("storage-read-only")

_RETRYABLE: Mapping[int, Message] = {
    errno.EIO: Message("storage-error"),
    errno.ENOSPC: DISK_FULL,
    errno.EROFS: READ_ONLY,
    errno.EDQUOT: Message("quota-exceeded"),
    errno.ESTALE: Message("share-lost-file"),
    errno.ENOTCONN: Message("share-not-connected"),
    errno.EHOSTDOWN: Message("share-host-down"),
    errno.ETIMEDOUT: Message("storage-timeout"),
    errno.EMFILE: Message("files-of-service"),
    errno.ENFILE: Message("files-of-system"),
    errno.ENOMEM: Message("out-of-memory"),
}
_SYSTEM_ERRORS: Mapping[int, Message] = {
    errno.EACCES: Message("system-access"),
    errno.EPERM: Message("system-not-permitted"),
    errno.ENOENT: Message("system-no-entry"),
    errno.ENOTDIR: Message("system-not-a-directory"),
    errno.EROFS: Message("system-read-only"),
    errno.EIO: Message("system-io"),
    errno.ELOOP: Message("system-loop"),
    errno.ENAMETOOLONG: Message("system-name-too-long"),
    errno.ENXIO: Message("system-no-device"),
}


class StorageFailure(OSError):
    """A failure of storage that is not a disk. ``message`` is for everybody, ``reason`` for the log.

    It may be temporary, and is never a missing file.
    """

    def __init__(self, message: Message, reason: str) -> None:
        super().__init__(errno.EIO, reason)
        self.message = message
        self.reason = reason


class StorageUnusable(Unavailable):
    """A disk or the machine has failed, possibly temporarily."""


@contextmanager
def writing() -> Iterator[None]:
    """Report a missing permission like a read-only file system, so that it differs from one to read a game's file."""
    try:
        yield
    except PermissionError as error:
        raise OSError(errno.EROFS, error.strerror, error.filename) from error


def retryable_storage_failure(error: Exception) -> Message | None:
    """Return the message for a failure that may be temporary, None for any other error."""
    if isinstance(error, StorageFailure):
        return error.message
    return _RETRYABLE.get(error.errno or 0) if isinstance(error, OSError) else None


def system_error(error: OSError) -> str:
    """Return the operating system's words for an error, which can be translated if it is a common one."""
    return _SYSTEM_ERRORS.get(error.errno or 0) or error.strerror or str(error)
