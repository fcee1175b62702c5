"""Computing the SHA-256 of bytes while they are stored, which takes about as long."""

from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256


class BackgroundHash:
    """A SHA-256 that is computed in a thread of its own. Used by one thread at a time; `close` ends its own."""

    def __init__(self) -> None:
        self._hash = sha256()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hash")
        self._running: Future[None] | None = None

    def update(self, data: bytes | memoryview) -> None:
        """Add the next bytes, which must not change before `wait` returns, after waiting for those before them."""
        self.wait()
        self._running = self._thread.submit(self._hash.update, data)

    def digest(self) -> bytes:
        self.wait()
        return self._hash.digest()

    def close(self) -> None:
        self._thread.shutdown()

    def wait(self) -> None:
        """Wait until all bytes are added."""
        if self._running:
            self._running.result()
