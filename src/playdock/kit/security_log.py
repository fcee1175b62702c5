"""The security log: sign-ins, failures, refused requests, and changes of credentials and permissions.

It is separate from the service's log, so that it can be kept, forwarded and protected separately: one file for each day
(UTC) with one JSON object per line. `docs/security.md` lists the events and the personal data in them.

The middleware sets the origin of each request, so that a service records an event where it happens without knowing the
request. Events outside of requests, such as those of commands, have no network and no request id.
"""

import os
import re
from contextvars import ContextVar
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

import msgspec
import structlog
from msgspec import Struct

from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id

_log = structlog.get_logger()

_FILE_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})\.jsonl")
# Only the user of the service may read what others may not know of the users.
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700
# Some 250,000 events. Requests that are refused all day do not fill the disk.
MAX_FILE_BYTES = 64 * 1024 * 1024


class SecurityEvent(StrEnum):
    """The events of the security log, with the names that its lines contain."""

    SIGNED_IN = "signed-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGNED_OUT = "signed-out"
    SESSIONS_ENDED = "sessions-ended"
    LOCKED_OUT = "locked-out"
    REFUSED = "refused"
    SIGNED_UP = "signed-up"
    INVITATION_CREATED = "invitation-created"
    INVITATION_REVOKED = "invitation-revoked"
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


class SecurityLog(Struct, frozen=True):
    """The files of the security log in a folder, which is created with the first event, for a number of days.

    Without a folder, nothing is recorded.
    """

    folder: Path | None
    days: int
    clock: Clock

    def append(self, record: dict[str, object]) -> None:
        """Append a line to the file of the day.

        The event has already happened when it is recorded, so a failure, such as a full disk, is only reported in the
        service's log. One write of a short line to a file opened for appending is atomic, so that several processes can
        write to the same file. A full file ends the log of the day.
        """
        if self.folder is None:
            return
        now = self.clock()
        line = msgspec.json.encode({"time": now, **record}) + b"\n"
        try:
            self.folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            path = self.folder / f"{now.date().isoformat()}.jsonl"
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
            try:
                if os.fstat(descriptor).st_size < MAX_FILE_BYTES:
                    os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError as error:
            _log.error("a security event could not be recorded", security_event=record.get("event"), reason=str(error))

    def delete_expired(self) -> None:
        """Delete the files of days that need not be kept any longer."""
        first_kept = (self.clock().date() - timedelta(days=self.days)).isoformat()
        for path in self.folder.iterdir() if self.folder and self.folder.is_dir() else ():
            if (day := _FILE_NAME.fullmatch(path.name)) and day[1] < first_kept:
                path.unlink(missing_ok=True)


class RequestOrigin:
    """Where a request comes from, and the id under which its errors and security events can be found.

    `caller` is the id of the user who makes the request, empty until it is known.
    """

    __slots__ = ("_request_id", "caller", "log", "network")

    def __init__(self, log: SecurityLog, network: str) -> None:
        self.log = log
        self.network = network
        self.caller = ""
        self._request_id = ""

    @property
    def request_id(self) -> str:
        """The id of the request, which is created when it is first needed: few requests need one."""
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


def record(event: SecurityEvent, *, user: str = "", **details: str | bool | list[str]) -> None:
    """Record an event of the current request. `user` is the id of the user whom it concerns; empty: the caller.

    Details may not contain secrets, or what somebody typed as a user name, which may be a password.
    """
    if origin := _origin.get():
        origin.log.append(
            {
                "event": event,
                "user": user or origin.caller,
                "caller": origin.caller,
                "network": origin.network,
                "request": origin.request_id,
                **details,
            }
        )
