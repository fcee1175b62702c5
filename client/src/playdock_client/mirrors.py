"""Mirrors: other servers with copies of version images, which are preferred to the origin.

If there are none, large files in S3 are downloaded with links (`file_links.py`). No other server is trusted: every
chunk is verified, and a mirror receives a ticket for one version instead of the token. One that sends wrong bytes, or
that fails several times in a row, is not used again during the operation.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from playdock_client.connection import Server
from playdock_client.errors import ClientError, ServerUnavailable
from playdock_client.file_links import FileLinks
from playdock_client.mirror import Mirror
from playdock_client.progress import Notice, NoticeKind, Progress
from playdock_client.ranges import path_segment
from playdock_client.responses import MirrorList
from playdock_client.transport import Broken, Transport, is_unencrypted

# The number that is used at most, whatever a server lists.
_MAX_MIRRORS = 8
# A mirror that is restarted closes one connection of each thread; one that is away fails for all of them at once.
_MAX_FAILURES = 5
# A ticket is renewed this long before it expires, so that it is still valid when a request arrives.
_MARGIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Access:
    """The path of a version image on all mirrors, and the ticket with the time until which it is used."""

    target: str
    ticket: str
    until: float


class Mirrors:
    """The mirrors that can be used during one operation, in the server's order of preference."""

    def __init__(self, server: Server, *, progress: Progress) -> None:
        self._server = server
        self._progress = progress
        self._lock = threading.Lock()
        self._access: dict[str, _Access] = {}
        # None until the server has listed them.
        self._usable: list[Transport] | None = None
        self._opened: list[Transport] = []
        # None if the server has none.
        self._links: FileLinks | None = None
        self._failures: Counter[Transport] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for transport in self._transports():
            transport.close()

    @property
    def received(self) -> int:
        """The number of bytes received from mirrors."""
        return sum(transport.received for transport in self._transports())

    def choose(self, version_id: str, start: int, end: int) -> Mirror | None:
        """Return the preferred mirror with the bytes `start` to `end` of an image, or None if there is none now."""
        with self._lock:
            access = self._find_access(version_id) if self._usable != [] else None
            if access and self._usable:
                return Mirror(self._usable[0], access.target, access.ticket)
            return self._links.find(version_id, start, end) if self._links else None

    def report_success(self, mirror: Mirror) -> None:
        """Forget the failures of a mirror that has sent what was requested."""
        with self._lock:
            self._failures[mirror.transport] = 0

    def report_failure(self, mirror: Mirror) -> None:
        """Count a failed request. After several in a row, the mirror is not used again."""
        with self._lock:
            self._failures[mirror.transport] += 1
            if self._failures[mirror.transport] >= _MAX_FAILURES:
                self._drop(mirror, "does not respond as expected")

    def report_wrong(self, mirror: Mirror) -> None:
        """Do not use a mirror again, because it has sent wrong bytes."""
        with self._lock:
            self._drop(mirror, "sent wrong data")

    def _transports(self) -> list[Transport]:
        return [*self._opened, *(self._links.transports.values() if self._links else ())]

    def _find_access(self, version_id: str) -> _Access | None:
        access = self._access.get(version_id)
        if access is None or access.until < time.monotonic():
            access = self._request_access(version_id)
            if access is not None:
                self._access[version_id] = access
        return access

    def _request_access(self, version_id: str) -> _Access | None:
        try:
            found = self._server.mirrors(version_id)
        except Broken:
            return None
        except ClientError:
            # Servers of earlier releases list no mirrors.
            found = MirrorList("")
        if self._usable is None:
            self._opened = list(self._open(found))
            self._usable = list(self._opened)
            self._links = FileLinks(self._server) if found.file_links else None
        if found.ticket is None:
            self._usable.clear()
            return None
        target = f"/api/v1/versions/{path_segment(version_id)}/content/{path_segment(found.etag)}"
        return _Access(target, found.ticket, time.monotonic() + (found.expires_in or 0) - _MARGIN_SECONDS)

    def _open(self, found: MirrorList) -> Iterator[Transport]:
        for address in found.mirrors[:_MAX_MIRRORS]:
            try:
                transport = Transport(address, None)
            except ServerUnavailable:
                # The address is invalid.
                continue
            if self._server.allow_http or not is_unencrypted(transport.address):
                yield transport

    def _drop(self, mirror: Mirror, reason: str) -> None:
        is_used = mirror.transport in (self._usable or [])
        if is_used and self._usable:
            self._usable.remove(mirror.transport)
        if is_used or (self._links and self._links.drop(mirror.transport)):
            text = f"The mirror {mirror.transport.address} {reason} and is no longer used."
            self._progress.notice(Notice(NoticeKind.MIRROR_DROPPED, text))
