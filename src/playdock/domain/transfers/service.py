"""Recording transfers."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import structlog
from msgspec import Struct, field

from playdock.db.database import Database
from playdock.domain.transfers import queries
from playdock.domain.transfers.rules import UserDownload
from playdock.kit.clock import Clock

# Collects the many ranges of one download into one write; a crash loses at most the transfers of this time.
_WRITE_DELAY_SECONDS = 5.0

_log = structlog.get_logger()


def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="transfer-recorder")


class TransferRecorder(Struct):
    """Collects sent bytes in memory; its own thread writes them to the database every few seconds.

    If writing fails, the bytes are kept and written together with the next ones.
    """

    db: Database
    clock: Clock
    delay: float = _WRITE_DELAY_SECONDS
    _sent: Counter[UserDownload] = field(default_factory=Counter)
    _is_scheduled: bool = False
    _closing: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: ThreadPoolExecutor = field(default_factory=_one_thread)

    def add(self, user_id: str, version_id: str, sent: int) -> None:
        """Count bytes of a version sent to a user. Does not wait for the database."""
        if not sent:
            return
        with self._lock:
            self._sent[UserDownload(self.clock().date(), user_id, version_id)] += sent
            if not (self._is_scheduled or self._closing.is_set()):
                self._is_scheduled = True
                self._thread.submit(self._write_after_delay)

    def write(self) -> None:
        """Write everything collected so far."""
        with self._lock:
            sent, self._sent, self._is_scheduled = self._sent, Counter(), False
        if not sent:
            return
        try:
            with self.db.write() as session:
                users = queries.lock_users(session, {download.user_id for download in sent})
                queries.add(session, sent, users=users)
        except Exception as error:  # noqa: BLE001 - no caller waits for the result, so it is logged and retried
            _log.error("transfers could not be recorded", bytes=sent.total(), reason=str(error))
            with self._lock:
                self._sent.update(sent)

    def close(self) -> None:
        """Write everything that is left, and stop the thread."""
        with self._lock:
            self._closing.set()
        self._thread.shutdown()
        self.write()

    def _write_after_delay(self) -> None:
        self._closing.wait(self.delay)
        self.write()
