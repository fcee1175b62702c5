"""Passes on the output of a program, and keeps its last lines."""

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from playdock_client.wording import plain

# Enough for the message and the stack trace of a program that fails at once.
_MAX_LINES, _MAX_BYTES = 30, 8 * 1024
_READ_BYTES = 64 * 1024
# Programs outside the tree of a game may keep its output open.
_DRAIN_SECONDS = 1.0


class OutputTail:
    """The last output of a program, from pipes that are read in threads."""

    def __init__(self) -> None:
        self._tail = b""
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def follow(self, pipe: IO[bytes] | None, *, to: int) -> None:
        """Write what comes from a pipe to a descriptor. The pipe is read even if nobody reads that any more."""
        if pipe is not None:
            thread = threading.Thread(target=self._copy, args=(pipe, to), daemon=True)
            thread.start()
            self._threads.append(thread)

    def lines(self) -> Sequence[str]:
        """Return the last lines without control characters, after the pipes have been closed."""
        for thread in self._threads:
            thread.join(_DRAIN_SECONDS)
        with self._lock:
            lines = self._tail.decode(errors="replace").splitlines()[-_MAX_LINES:]
        return [plain(line.expandtabs()) for line in lines]

    def _copy(self, pipe: IO[bytes], to: int) -> None:
        while data := os.read(pipe.fileno(), _READ_BYTES):
            with self._lock:
                self._tail = (self._tail + data)[-_MAX_BYTES:]
            with suppress(OSError):
                _write_all(to, data)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
