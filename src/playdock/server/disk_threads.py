"""The threads of handlers that access the disk of a library.

A network share may hang for as long as it wants, with every thread that accesses it. Other handlers still work.
"""

from playdock.kit.errors import Unavailable
from playdock.kit.limited_threads import LimitedThreads

_THREADS = 8


class DiskBusy(Unavailable):
    """Too many requests are waiting for the disks of libraries, one of which probably does not respond."""

    def __init__(self) -> None:
        super().__init__("Too many requests are waiting for a disk that does not respond. Try again later.")

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "10"}


class DiskThreads(LimitedThreads):
    """Runs calls that access the disk of a library, or raises `DiskBusy`."""

    def __init__(self) -> None:
        super().__init__(_THREADS, refusal=DiskBusy)
