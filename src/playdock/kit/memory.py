"""Returning freed memory to the system.

The C library keeps what is freed between what is in use, separately for the threads of each of its arenas (glibc's
malloc). After large steps of several threads, that is hundreds of MiB which nobody uses.
"""

import ctypes


def return_freed_memory() -> None:
    """Return it, in some milliseconds. C libraries other than glibc have no function for that."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
