"""Keeping less memory that was freed.

glibc's malloc keeps what is freed between what is in use. By default it does so in eight arenas for each processor, and
for blocks of up to 32 MiB, so that after large steps of several threads, hundreds of MiB are used by nobody.
"""

import ctypes

# The numbers of the parameters of mallopt(3).
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
# Threads hold the interpreter's lock while they allocate most of their memory, so that few arenas suffice.
_ARENAS = 2
# Larger blocks are returned to the system at once, which costs more time for each.
_LARGE_BYTES = 1024 * 1024


def keep_less_memory() -> None:
    """Let this process keep less. C libraries other than glibc have no such parameters."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, _ARENAS)
        mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
