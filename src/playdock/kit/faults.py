"""Faults of disks and of the machine that may pass, each with a sentence that tells what to do."""

import errno

from playdock.kit.errors import Unavailable

_PASSING = {
    errno.EIO: "The storage reported a read or write error. Check the disk or the network share.",
    errno.ENOSPC: "The disk is full. Free some space.",
    errno.EDQUOT: "The disk quota is used up. Free some space.",
    errno.ESTALE: "The network share lost the file. Check that it is mounted.",
    errno.ENOTCONN: "The network share is not connected. Check that it is mounted.",
    errno.EHOSTDOWN: "The network share's host does not answer.",
    errno.ETIMEDOUT: "The storage did not answer in time.",
    errno.EMFILE: "The service has too many files open. Raise its limit of open files.",
    errno.ENFILE: "The system has too many files open.",
    errno.ENOMEM: "The machine is out of memory.",
}


class StorageUnusable(Unavailable):
    """The disk or the machine cannot do what was asked of it now."""


def passing_fault(error: Exception) -> str | None:
    """Give the sentence for a fault that may pass, None for any other."""
    return _PASSING.get(error.errno or 0) if isinstance(error, OSError) else None
