"""Failures of disks and of the machine that may be temporary, each with a message that says what to do."""

import errno

from playdock.kit.errors import Unavailable

DISK_FULL = "The disk is full. Free some space."

_RETRYABLE = {
    errno.EIO: "The storage reported a read or write error. Check the disk or the network share.",
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: "The disk quota is used up. Free some space.",
    errno.ESTALE: "The network share lost the file. Check that it is mounted.",
    errno.ENOTCONN: "The network share is not connected. Check that it is mounted.",
    errno.EHOSTDOWN: "The network share's host is not responding. Check that it is running.",
    errno.ETIMEDOUT: "The storage did not respond in time. Check the disk or the network share.",
    errno.EMFILE: "The service has too many files open. Raise its limit of open files.",
    errno.ENFILE: "The system has too many files open. Close other programs, or raise its limit.",
    errno.ENOMEM: "The machine is out of memory. Close other programs, or add memory.",
}


class StorageUnusable(Unavailable):
    """A disk or the machine has failed, possibly temporarily."""


def retryable_storage_failure(error: Exception) -> str | None:
    """Return the message for a failure that may be temporary, None for any other error."""
    return _RETRYABLE.get(error.errno or 0) if isinstance(error, OSError) else None
