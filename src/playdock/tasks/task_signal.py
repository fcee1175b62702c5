"""A signal that a task was enqueued or cancelled, so that the runner of this process looks at once."""

import threading


class TaskSignal:
    """One signal for all queues of a process."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def notify(self) -> None:
        self._event.set()

    def wait(self, *, seconds: float) -> None:
        """Wait for a signal or until the time is over."""
        self._event.wait(seconds)
        self._event.clear()
