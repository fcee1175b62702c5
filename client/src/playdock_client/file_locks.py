"""Locks of files between processes. The system releases a lock when the last process that has the file open ends."""

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Windows locks ranges of bytes; this one is far beyond the content of the file, which can still be read.
_LOCKED_BYTE = 2**30


def try_lock(descriptor: int) -> bool:
    """Lock an open file, and return whether that succeeded.

    Processes that inherit the file share the lock, except on Windows.
    """
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.lseek(descriptor, 0, os.SEEK_SET)
        return False
    return True


def share_lock(file: Path) -> None:
    """Lock a file together with others until this process and the one that replaces it end. Raises OSError.

    On Windows this does nothing, as files of a running program cannot be removed there anyway.
    """
    if sys.platform != "win32":
        descriptor = os.open(file, os.O_RDONLY)
        os.set_inheritable(descriptor, True)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def remove_unlocked(file: Path) -> bool:
    """Remove a lock file unless it is locked, and return whether it is gone."""
    try:
        if sys.platform != "win32":
            descriptor = os.open(file, os.O_RDONLY)
            try:
                # Shared, so that two processes that ask at the same time do not take each other for the owner.
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            finally:
                os.close(descriptor)
        # Windows does not remove a file that is open.
        file.unlink()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
