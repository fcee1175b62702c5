"""Connections that are not taken in by the head of an answer that comes late, or not to its end.

Python's library takes a connection that is closed among the headers for the end of the headers.
"""

import http.client
import socket
import threading
from contextlib import suppress
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection

LONGEST = 60.0


class _Lines:
    """A file that remembers the last line that was read."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.last = b""

    def readline(self, limit: int = -1) -> bytes:
        self.last = self.file.readline(limit)
        return self.last

    def close(self) -> None:
        self.file.close()


class _Answer(http.client.HTTPResponse):
    """An answer whose head must end with an empty line."""

    fp: Any

    def begin(self) -> None:
        lines = _Lines(self.fp)
        self.fp = lines
        try:
            super().begin()
        finally:
            # Where there is no body, the library has closed it and put it away.
            if self.fp is lines:
                self.fp = lines.file
        if not lines.last:
            raise ConnectionResetError("The head of the answer has no end.")


class _Punctual:
    """Cuts the connection if a head does not come in time, however it trickles."""

    sock: Any

    def getresponse(self) -> Any:
        late = threading.Timer(LONGEST, self._cut)
        late.daemon = True
        late.start()
        try:
            return super().getresponse()  # type: ignore[misc]
        finally:
            late.cancel()

    def _cut(self) -> None:
        with suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)


class PlainConnection(_Punctual, HTTPConnection):
    """By plain http."""

    response_class = _Answer


class SecureConnection(_Punctual, HTTPSConnection):
    """By https."""

    response_class = _Answer
