"""A signal that a task was enqueued, so that the runner of this process checks for it at once."""

import threading

from playdock.tasks.new_task import Queue


class TaskSignal:
    """One signal for all queues of a process."""

    def __init__(self) -> None:
        self._events = {queue: threading.Event() for queue in Queue}

    def notify(self) -> None:
        for event in self._events.values():
            event.set()

    def wait(self, queue: Queue, *, seconds: float) -> None:
        """Wait for a signal or until the time is over."""
        self._events[queue].wait(seconds)
        self._events[queue].clear()
