"""The bell: rung when a task has been enqueued, so that runners of this process need not wait for their next look."""

import threading

from playdock.jobs.orders import Lane


class Bell:
    """One bell for all lanes of a process."""

    def __init__(self) -> None:
        self._rung = {lane: threading.Event() for lane in Lane}

    def ring(self) -> None:
        for rung in self._rung.values():
            rung.set()

    def wait(self, lane: Lane, *, seconds: float) -> None:
        """Wait until the bell rings, at most for some seconds."""
        self._rung[lane].wait(seconds)
        self._rung[lane].clear()
