"""Locks of files that end with their process."""

import os
import sys

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Windows locks ranges of bytes; this one is far beyond the content, which others can read while the file is locked.
_LOCKED_BYTE = 2**30


def try_lock(descriptor: int) -> bool:
    """Lock an open file, and return whether that succeeded. Closing the descriptor releases the lock."""
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
