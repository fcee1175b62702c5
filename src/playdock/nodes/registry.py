"""The registry of this process in the table of nodes."""

import threading
import time
from datetime import datetime
from math import inf

import structlog

from playdock import __version__
from playdock.db.database import Database
from playdock.db.heartbeats import heartbeat_period
from playdock.kit.clock import Clock
from playdock.kit.workers import node_of
from playdock.nodes import queries

_log = structlog.get_logger()

# The row of a process that does not end in an orderly way is removed later.
_MAX_REMOVAL_SECONDS = 0.5


class NodeRegistry:
    """Writes the row of this process: once at the start, then periodically, in a thread of its own."""

    def __init__(self, db: Database, clock: Clock, worker_id: str) -> None:
        self._db = db
        self._clock = clock
        self.worker_id = worker_id
        self._serves = False
        self._registered = inf
        self._started: datetime | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._renew_all, name="node-heartbeat", daemon=True)

    def start(self, *, serves: bool) -> None:
        """Register this process, which serves downloads or only runs tasks, and remove the rows of those that ended."""
        self._serves = serves
        self._started = self._clock()
        self._renew()
        self._registered = time.monotonic()
        self._thread.start()

    @property
    def age_seconds(self) -> float:
        """For how long this process has been registered."""
        return time.monotonic() - self._registered

    def close(self) -> None:
        """Remove the row of this process."""
        self._stopping.set()
        if self._started is None:
            return
        self._thread.join(_MAX_REMOVAL_SECONDS)
        try:
            with self._db.write(max_wait=_MAX_REMOVAL_SECONDS) as session:
                queries.remove(session, [self.worker_id])
        except Exception as error:  # noqa: BLE001 - whatever it is, the service ends
            _log.warning("this process could not be removed from the nodes", error=type(error).__name__)

    def _renew_all(self) -> None:
        period = heartbeat_period(embedded=self._db.embedded).total_seconds()
        while not self._stopping.wait(period):
            self._renew()

    def _renew(self) -> None:
        """Write a heartbeat. A failure is logged: the next one comes soon, and tasks report a database that is away."""
        try:
            now = self._clock()
            with self._db.write() as session:
                queries.renew(
                    session,
                    self.worker_id,
                    name=node_of(self.worker_id),
                    release=__version__,
                    serves=self._serves,
                    started=self._started or now,
                    at=now,
                )
                if gone := queries.gone(session, at=now):
                    queries.remove(session, gone)
        except Exception as error:  # noqa: BLE001 - the reason just given
            _log.warning("the heartbeat of this process could not be written", error=type(error).__name__)
