"""A copy of a version image, or of a part of it, on another server, which is not trusted."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playdock_client.errors import BadResponse, NotSignedIn, RequestRefused, ServerUnavailable
from playdock_client.ranges import check_range
from playdock_client.transport import Body, OnReceived, Transport

# What a mirror can fail with. None of it ends the operation.
MIRROR_ERRORS = (ServerUnavailable, NotSignedIn, RequestRefused, BadResponse)
_EXPECTED = frozenset({200, 206})


@dataclass(frozen=True, slots=True)
class Mirror:
    """A copy of a version image from the byte `begin` on. A link to a file needs no ticket."""

    transport: Transport
    target: str
    ticket: str = ""
    begin: int = 0

    @contextmanager
    def range(self, start: int, end: int, *, on_received: OnReceived) -> Iterator[Body]:
        """Request the bytes `start` to `end` (exclusive) of the image once.

        Raises one of `MIRROR_ERRORS`, or VersionChanged.
        """
        first, last = start - self.begin, end - self.begin
        headers = {"Range": f"bytes={first}-{last - 1}"}
        if self.ticket:
            headers["Authorization"] = f"Bearer {self.ticket}"
        opened = self.transport.opened("GET", self.target, headers=headers, on_received=on_received, expect=_EXPECTED)
        with opened as body:
            check_range(body, start=first, end=last)
            yield body
