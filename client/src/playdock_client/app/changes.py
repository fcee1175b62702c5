"""Tells waiting threads that something has changed."""

import threading


class Changes:
    """A number that grows with every change."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._number = 0
        self._closed = False

    @property
    def number(self) -> int:
        return self._number

    @property
    def closed(self) -> bool:
        return self._closed

    def announce(self) -> None:
        """Wake all waiting threads."""
        with self._condition:
            self._number += 1
            self._condition.notify_all()

    def wait(self, after: int, *, seconds: float) -> int:
        """Wait until the number is greater than ``after``, for at most ``seconds``, and return it."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or self._number > after, seconds)
            return self._number

    def close(self) -> None:
        """Let nobody wait any more."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
