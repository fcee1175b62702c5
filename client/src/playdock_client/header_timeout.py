"""HTTP connections that reject late or incomplete response headers.

Python's http.client treats a connection closed within the headers as the end of the headers.
"""

import http.client
import socket
import threading
from contextlib import suppress
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection

# Twice the read timeout: longer than any correct server needs for its headers.
MAX_HEADER_SECONDS = 60.0


class _HeaderReader:
    """A file wrapper that stores the last line read."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.last_line = b""

    def readline(self, limit: int = -1) -> bytes:
        self.last_line = self.file.readline(limit)
        return self.last_line

    def close(self) -> None:
        self.file.close()


class _HttpResponse(http.client.HTTPResponse):
    """A response whose headers must end with an empty line."""

    fp: Any

    def begin(self) -> None:
        reader = _HeaderReader(self.fp)
        self.fp = reader
        try:
            super().begin()
        finally:
            # For a response without a body, http.client has already closed and replaced it.
            if self.fp is reader:
                self.fp = reader.file
        if not reader.last_line:
            raise ConnectionResetError("The response headers are incomplete.")


class _HeaderTimeout:
    """Closes the connection if the headers are not complete in time, even if some bytes keep arriving."""

    sock: Any

    def getresponse(self) -> Any:
        timer = threading.Timer(MAX_HEADER_SECONDS, self._cut)
        timer.daemon = True
        timer.start()
        try:
            return super().getresponse()  # type: ignore[misc]
        finally:
            timer.cancel()

    def _cut(self) -> None:
        with suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)


class HttpConnection(_HeaderTimeout, HTTPConnection):
    """A plain HTTP connection."""

    response_class = _HttpResponse


class HttpsConnection(_HeaderTimeout, HTTPSConnection):
    """An HTTPS connection."""

    response_class = _HttpResponse
