"""The threads of handlers that process images, and the slots of their requests.

Uploads are large, and images are processed one at a time. Therefore a request takes a slot before its body is read, so
that only a few bodies are in memory, however many are sent. A client may send its body slowly; so that no user can take
all slots, each has only a few of them.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, Semaphore, fail_after

from playdock.kit.errors import Unavailable

# An upload takes at most about 40 MB: the body, its text and the decoded image file.
_SLOTS = 8
# One slow upload does not delay the user's next one.
_SLOTS_PER_USER = 2
# Together with the time for the upload, less than the minute after which proxies usually give up.
_MAX_WAIT_SECONDS = 20.0


class ImageQueueFull(Unavailable):
    """Too many requests with images are waiting, from the caller or in total."""

    def __init__(self) -> None:
        super().__init__("Too many images are being uploaded at the moment. Wait a few seconds and try again.")

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "5"}


class ImageThreads:
    """The slots of requests with images, and as many ``threads``."""

    def __init__(
        self, *, slots: int = _SLOTS, slots_per_user: int = _SLOTS_PER_USER, max_wait: float = _MAX_WAIT_SECONDS
    ) -> None:
        self.threads = CapacityLimiter(slots)
        self._slots = Semaphore(slots)
        self._slots_per_user, self._max_wait = slots_per_user, max_wait
        # Those of users without requests are dropped.
        self._of_users: WeakValueDictionary[str, Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def slot(self, user_id: str) -> AsyncIterator[None]:
        """Hold a slot for a request of a user.

        Raises:
            ImageQueueFull: none was free in time.
        """
        own = self._of_users.setdefault(user_id, Semaphore(self._slots_per_user))
        async with AsyncExitStack() as held:
            try:
                with fail_after(self._max_wait):
                    # The user's own first, so that a user who waits for it takes none of the others.
                    await held.enter_async_context(own)
                    await held.enter_async_context(self._slots)
            except TimeoutError:
                raise ImageQueueFull from None
            yield
