"""The notifier: told when a task has been enqueued, so that this process's runner looks at once."""

import threading

from playdock.jobs.drafts import Lane


class Notifier:
    """One notifier for all lanes of a process."""

    def __init__(self) -> None:
        self._news = {lane: threading.Event() for lane in Lane}

    def notify(self) -> None:
        for news in self._news.values():
            news.set()

    def wait(self, lane: Lane, *, seconds: float) -> None:
        """Wait for a notification, at most for some seconds."""
        self._news[lane].wait(seconds)
        self._news[lane].clear()
