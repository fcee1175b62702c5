"""The threads of handlers that read the object storage, which may be another server that has stalled."""

from playdock.kit.limited_threads import LimitedThreads
from playdock.kit.messages import Message
from playdock.kit.storage_failures import StorageUnusable

# As many images as a page of a browser requests at the same time, for a few players.
_THREADS = 16


class ObjectThreads(LimitedThreads):
    """Runs calls that read the object storage, or raises `StorageUnusable`."""

    def __init__(self) -> None:
        super().__init__(_THREADS, refusal=lambda: StorageUnusable(Message("object-storage-failed")))
