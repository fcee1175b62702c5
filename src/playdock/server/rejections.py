"""Responses to requests that the server does not pass to the application, and to connections that are too many."""

from collections.abc import Iterable
from http import HTTPStatus

from msgspec import Struct

from playdock.server.security_headers import DEFAULT_POLICY

# The longest path of a file (4,096 bytes, each percent-encoded) fits.
MAX_TARGET_BYTES = 16 * 1024
# Four times what web servers commonly allow: cookies of other services on the same host can be long.
MAX_HEADER_BYTES = 64 * 1024
# Browsers and proxies send twenty or thirty.
MAX_HEADER_LINES = 100


class Rejection(Struct, frozen=True):
    """A status and a sentence. The connection is closed after it."""

    status: HTTPStatus
    detail: str

    def response(self, server_headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        """Return the complete response; ``server_headers`` are those that the server adds to every response."""
        body = self.detail.encode()
        fields = [
            *server_headers,
            DEFAULT_POLICY,
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        lines = b"".join(b"%b: %b\r\n" % field for field in fields)
        return b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (self.status, self.status.phrase.encode(), lines, body)


class RequestRejected(Exception):
    """Raised by the callbacks of the parser. Without a rejection the connection is closed without a response."""

    def __init__(self, rejection: Rejection | None) -> None:
        super().__init__()
        self.rejection = rejection


MALFORMED = Rejection(HTTPStatus.BAD_REQUEST, "The request is malformed.")
NOT_ONE_HOST = Rejection(HTTPStatus.BAD_REQUEST, "A request must have exactly one Host header.")
INVALID_HOST = Rejection(HTTPStatus.BAD_REQUEST, "The Host header is no valid host name with or without a port.")
UNKNOWN_VERSION = Rejection(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "Only HTTP/1.1 and HTTP/1.0 are supported.")
UNKNOWN_CODING = Rejection(HTTPStatus.NOT_IMPLEMENTED, "The only supported Transfer-Encoding is chunked.")
UPGRADE_WITH_BODY = Rejection(HTTPStatus.BAD_REQUEST, "A request with a body cannot change the protocol.")
UPGRADE_TOO_EARLY = Rejection(HTTPStatus.BAD_REQUEST, "The protocol cannot change before all requests are answered.")
TARGET_TOO_LONG = Rejection(
    HTTPStatus.REQUEST_URI_TOO_LONG, f"The URL is longer than {MAX_TARGET_BYTES:,} bytes. Shorten it."
)
HEADER_TOO_LARGE = Rejection(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    f"The header has more than {MAX_HEADER_LINES} lines or {MAX_HEADER_BYTES:,} bytes. Send fewer or shorter fields.",
)
TOO_SLOW = Rejection(HTTPStatus.REQUEST_TIMEOUT, "The request was not received in time. Send it again.")
TOO_MANY_CONNECTIONS = Rejection(
    HTTPStatus.SERVICE_UNAVAILABLE, "There are too many connections. Close some, or try again later."
)
