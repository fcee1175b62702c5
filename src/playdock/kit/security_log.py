"""The security log: sign-ins, failures, refused requests, and changes of credentials and permissions.

It is separate from the service's log, so that it can be kept, forwarded and protected separately: one file for each day
(UTC) with one JSON object per line. `docs/security.md` lists the events and the personal data in them.

The middleware sets the origin of each request, so that a service records an event where it happens without knowing the
request. Commands record their events within `recorded_in`; these have no network, and those of one command share an id.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from enum import StrEnum
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeAlias

import msgspec
import structlog
from msgspec import Struct

from playdock.kit.clock import Clock
from playdock.kit.day_files import DayFiles
from playdock.kit.identifiers import new_id
from playdock.kit.throttled_log import ThrottledLog

_log = structlog.get_logger()

# Some 250,000 events. Requests that are refused all day do not fill the disk.
MAX_FILE_BYTES = 64 * 1024 * 1024
# A few megabytes: what a busy service records in minutes, while its disk is slow.
MAX_WAITING_EVENTS = 10_000
# Longer than every name and nearly every path of the API, so that a request cannot fill the file with its own path.
_MAX_DETAIL_CHARACTERS = 200
_CLEANING_SECONDS = 24 * 60 * 60.0
# A part of the time in which the service stops. A disk that takes longer has probably failed.
_MAX_CLOSE_SECONDS = 1.0
# Bounds what somebody can write to the service's log from outside.
_LOG_SECONDS = 60.0


class SecurityEvent(StrEnum):
    """The events of the security log, with the names that its lines contain."""

    SIGNED_IN = "signed-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGNED_OUT = "signed-out"
    SESSION_ENDED = "session-ended"
    SESSIONS_ENDED = "sessions-ended"
    LOCKED_OUT = "locked-out"
    REFUSED = "refused"
    SIGNED_UP = "signed-up"
    INVITATION_CREATED = "invitation-created"
    INVITATION_REVOKED = "invitation-revoked"
    EMAIL_CHANGED = "email-changed"
    PASSWORD_CHANGED = "password-changed"  # noqa: S105 - the name of an event
    RESET_CREATED = "reset-created"
    RESET_USED = "reset-used"
    SIGN_IN_METHOD_ADDED = "sign-in-method-added"
    SIGN_IN_METHOD_REMOVED = "sign-in-method-removed"
    TOKEN_CREATED = "token-created"  # noqa: S105 - the name of an event
    TOKEN_REVOKED = "token-revoked"  # noqa: S105 - the name of an event
    TOKENS_REVOKED = "tokens-revoked"
    DEVICE_AUTHORIZED = "device-authorized"
    DEVICE_REVOKED = "device-revoked"
    DEVICES_REVOKED = "devices-revoked"
    ROLE_CHANGED = "role-changed"
    ACCOUNT_DISABLED = "account-disabled"
    ACCOUNT_ENABLED = "account-enabled"
    ACCOUNT_DELETED = "account-deleted"
    STARTED = "started"


# Events that callers can cause as often as they like are recorded only as long as the file and the queue are not filled
# to this part, so that they cannot keep the others out: the less an event says, the smaller its part.
_PARTS = {SecurityEvent.SIGN_IN_FAILED: 1 / 4, SecurityEvent.LOCKED_OUT: 3 / 8, SecurityEvent.REFUSED: 1 / 2}
# Of refused requests without a credential, such as those that pages of other sites cause.
_ANONYMOUS_PART = 1 / 8


class _Line(Struct, frozen=True):
    """A line for the file of a day, unless the file has this size."""

    event: SecurityEvent
    day: date
    content: bytes
    max_bytes: int


# `flush` waits for an `Event`; None ends the thread.
_Queued: TypeAlias = _Line | threading.Event | None


class SecurityLog:
    """Writes events to files, and deletes expired files, in a thread of its own: a disk may be slow or hang.

    An event has already happened when it is recorded, so a failure, such as a full disk, is only reported in the
    service's log. If the files are not kept, nothing is recorded.
    """

    def __init__(
        self, files: DayFiles, clock: Clock, *, max_bytes: int = MAX_FILE_BYTES, max_waiting: int = MAX_WAITING_EVENTS
    ) -> None:
        self._files = files
        self._clock = clock
        self._max_bytes = max_bytes
        self._max_waiting = max_waiting
        self._queue: SimpleQueue[_Queued] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._failures = ThrottledLog("a security event could not be recorded", _LOG_SECONDS)
        # The day for which a warning was logged that files end at this size.
        self._full: dict[int, date] = {}

    def start(self) -> None:
        """Start the thread, which deletes expired files now and daily. Recording an event starts it, too."""
        with self._lock:
            self._start()

    def append(self, event: SecurityEvent, **members: object) -> None:
        """Record an event without waiting for the disk. If too many are waiting, it is dropped."""
        if not self._files.days:
            return
        now = self._clock()
        content = msgspec.json.encode({"time": now, "event": event, **members}) + b"\n"
        part = _part_of(event, members)
        line = _Line(event, now.date(), content, int(self._max_bytes * part))
        with self._lock:
            if self._is_closed:
                self._failures.warn(security_event=event, reason="the service is stopping")
            elif self._queue.qsize() >= self._max_waiting * part:
                self._failures.warn(security_event=event, reason="the disk is too slow")
            else:
                self._start()
                self._queue.put(line)

    def flush(self, *, seconds: float) -> bool:
        """Wait until everything recorded so far is written. Return False if that takes too long."""
        if self._thread is None:
            return True
        written = threading.Event()
        self._queue.put(written)
        return written.wait(seconds)

    def close(self) -> None:
        """Write what is waiting, and end the thread. What a failed disk does not take in time is lost."""
        with self._lock:
            self._is_closed = True
        if self._thread is None:
            return
        self._queue.put(None)
        self._thread.join(_MAX_CLOSE_SECONDS)
        if self._thread.is_alive():
            _log.warning("stopped before all security events were recorded", waiting=self._queue.qsize())

    def _start(self) -> None:
        if self._thread is None and not self._is_closed:
            # Python does not wait for a daemon at the end, so that a disk that hangs does not keep the process.
            self._thread = threading.Thread(target=self._run, name="security-log", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        next_cleaning = 0.0
        while True:
            if monotonic() >= next_cleaning:
                next_cleaning = monotonic() + _CLEANING_SECONDS
                self._delete_expired()
            try:
                queued = self._queue.get(timeout=max(0.0, next_cleaning - monotonic()))
            except Empty:
                continue
            if queued is None:
                return
            if isinstance(queued, threading.Event):
                queued.set()
            else:
                self._write(queued)

    def _write(self, line: _Line) -> None:
        try:
            written = self._files.append(line.content, day=line.day, max_bytes=line.max_bytes)
        except OSError as error:
            self._failures.warn(security_event=line.event, reason=str(error))
            return
        if not written and self._full.get(line.max_bytes) != line.day:
            self._full[line.max_bytes] = line.day
            _log.warning(
                "the file of the security log is full until the next day (UTC)",
                security_event=line.event,
                only_for_refusals=line.max_bytes < self._max_bytes,
            )

    def _delete_expired(self) -> None:
        try:
            self._files.delete_expired(today=self._clock().date())
        except OSError as error:
            _log.error("old days of the security log could not be deleted", reason=str(error))


def _part_of(event: SecurityEvent, members: Mapping[str, object]) -> float:
    if event is SecurityEvent.REFUSED and not members.get("caller"):
        return _ANONYMOUS_PART
    return _PARTS.get(event, 1.0)


class RequestOrigin:
    """Where a request or command comes from, and the id under which its errors and security events can be found.

    `caller` is the id of the user who makes the request, empty until it is known.
    """

    __slots__ = ("_request_id", "caller", "log", "network")

    def __init__(self, log: SecurityLog, network: str, request_id: str = "") -> None:
        self.log = log
        self.network = network
        self.caller = ""
        self._request_id = request_id

    @property
    def request_id(self) -> str:
        """The id of the request. That of a command is created when it is first needed."""
        if not self._request_id:
            self._request_id = new_id()
        return self._request_id


_origin: ContextVar[RequestOrigin | None] = ContextVar("origin", default=None)


def set_origin(origin: RequestOrigin) -> None:
    """Set the origin of the current request, which runs in a context of its own."""
    _origin.set(origin)


def request_id() -> str:
    """Return the id of the current request, or a new one outside of requests."""
    origin = _origin.get()
    return origin.request_id if origin else new_id()


@contextmanager
def recorded_in(log: SecurityLog) -> Iterator[None]:
    """Record the events of a command."""
    previous = _origin.set(RequestOrigin(log, ""))
    try:
        yield
    finally:
        _origin.reset(previous)


def record(event: SecurityEvent, *, user: str = "", **details: str | bool | list[str]) -> None:
    """Record an event of the current request. `user` is the id of the user whom it concerns; empty: the caller.

    Details may not contain secrets, or what somebody typed as a user name, which may be a password. Long text is cut.
    """
    if origin := _origin.get():
        origin.log.append(
            event,
            user=user or origin.caller,
            caller=origin.caller,
            network=origin.network,
            request=origin.request_id,
            **{name: _shortened(value) if isinstance(value, str) else value for name, value in details.items()},
        )


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_DETAIL_CHARACTERS else f"{text[:_MAX_DETAIL_CHARACTERS]}…"
