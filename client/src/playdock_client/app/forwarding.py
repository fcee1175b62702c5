"""Passes requests of the pages on to their server, with this device's token.

Only listed headers are passed on, in both directions: the server gets no cookies of other programs on this machine and
sets none here.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

import msgspec

from playdock_client.app.offline_cache import MAX_RESPONSE_BYTES, OfflineCache, StoredResponse
from playdock_client.errors import ServerUnavailable
from playdock_client.transport import Body, Broken, Transport

_REQUEST_HEADERS = (
    "accept",
    "accept-language",
    "content-type",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "range",
)
_RESPONSE_HEADERS = (
    "Accept-Ranges",
    "Cache-Control",
    "Content-Disposition",
    "Content-Encoding",
    "Content-Language",
    "Content-Range",
    "Content-Security-Policy",
    "Content-Type",
    "ETag",
    "Last-Modified",
    "Link",
    "Referrer-Policy",
    "Retry-After",
    "Vary",
    "X-Content-Type-Options",
)
# What the store, games and the own library show. The server forbids browsers to store these answers, which others might
# read; here only the owner of this device can read them.
_OFFLINE_PATHS = ("/api/v1/store", "/api/v1/games/", "/api/v1/collection", "/api/v1/object/")
_OFFLINE_ACCOUNT = "/api/v1/user"
_OK = 200
_PIECE = 256 * 1024
# After a failed connection, further requests fail at once for this long, so that pages are quick without the server.
_UNREACHABLE_SECONDS = 5.0
_HEAD = b"<head>"
_MARK = b'<head><meta name="playdock-client" content="%s">'
# Whether a document is marked for big mode changes without the server, so browsers must not compare it with theirs.
_DOCUMENT_CONDITIONS = frozenset({"if-modified-since", "if-none-match", "ETag", "Last-Modified"})


class ForwardedResponse(msgspec.Struct, frozen=True):
    """A response for a page. ``length`` is the number of bytes of the body, None if it is unknown."""

    status: int
    headers: dict[str, str]
    length: int | None
    pieces: Iterator[bytes]


class Forwarder:
    """Passes requests on to one server, and answers from the cache while that cannot be reached."""

    def __init__(
        self,
        address: str,
        token: str,
        cache: OfflineCache,
        *,
        on_reached: Callable[[bool], None],
        is_big: Callable[[], bool],
    ) -> None:
        """``address`` has no path.

        ``on_reached`` is told whether the server could be reached; ``is_big`` is whether new windows are in big mode.
        """
        parts = urlsplit(address)
        self._transport = Transport(f"{parts.scheme}://{parts.netloc}", token)
        self._cache = cache
        self._on_reached = on_reached
        self._is_big = is_big
        self._lock = threading.Lock()
        self._unreachable_until = 0.0

    def close(self) -> None:
        self._transport.close()

    @contextmanager
    def response(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Iterator[ForwardedResponse]:
        """Yield the response to a request. ``headers`` has names in lower case. Raises ServerUnavailable."""
        is_document = headers.get("sec-fetch-dest") == "document" or headers.get("accept", "").startswith("text/html")
        passed = {name: headers[name] for name in _REQUEST_HEADERS if name in headers}
        if is_document:
            passed = _without_conditions(passed)
        elif "accept-encoding" in headers:
            passed["accept-encoding"] = headers["accept-encoding"]
        try:
            with self._opened(method, target, passed, body) as found:
                yield self._passed_on(method, target, found, is_document=is_document)
        except Broken as broken:
            self._note(reached=False)
            stored = self._cache.find(target) if method == "GET" else None
            if stored is None:
                raise ServerUnavailable(str(broken)) from broken
            body = self._marked(stored.body) if is_document else stored.body
            yield ForwardedResponse(_OK, stored.headers, len(body), iter([body]))

    @contextmanager
    def _opened(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Iterator[Body]:
        if time.monotonic() < self._unreachable_until:
            raise Broken("The server cannot be reached.")
        with self._transport.forwarded(method, target, headers=headers, body=body) as found:
            self._note(reached=True)
            yield found

    def _note(self, *, reached: bool) -> None:
        with self._lock:
            self._unreachable_until = 0.0 if reached else time.monotonic() + _UNREACHABLE_SECONDS
        self._on_reached(reached)

    def _passed_on(self, method: str, target: str, found: Body, *, is_document: bool) -> ForwardedResponse:
        headers = {name: value for name in _RESPONSE_HEADERS if (value := found.header(name))}
        length = found.header("Content-Length")
        size = int(length) if length.isascii() and length.isdigit() else None
        if is_document and headers.get("Content-Type", "").startswith("text/html"):
            return self._document(target, headers, found)
        if method != "GET" or not _is_cacheable(target, found.status, headers, size):
            return ForwardedResponse(found.status, headers, size, _pieces(found))
        body = found.read_all(MAX_RESPONSE_BYTES)
        self._cache.store(target, StoredResponse(headers, body))
        return ForwardedResponse(found.status, headers, len(body), iter([body]))

    def _document(self, target: str, headers: dict[str, str], found: Body) -> ForwardedResponse:
        headers = _without_conditions(headers)
        body = found.read_all(MAX_RESPONSE_BYTES)
        if found.status == _OK:
            self._cache.store(target, StoredResponse(headers, body))
        marked = self._marked(body)
        return ForwardedResponse(found.status, headers, len(marked), iter([marked]))

    def _marked(self, document: bytes) -> bytes:
        """Mark the document of the pages, which tells them that the app shows them, and whether in big mode."""
        return document.replace(_HEAD, _MARK % (b"big" if self._is_big() else b"1"), 1)


def _without_conditions(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in _DOCUMENT_CONDITIONS}


def _is_cacheable(target: str, status: int, headers: Mapping[str, str], size: int | None) -> bool:
    """Return whether a response is kept: files of the pages, images, and what the store and the library show."""
    if status != _OK or size is None or size > MAX_RESPONSE_BYTES or "Content-Disposition" in headers:
        return False
    path = target.partition("?")[0]
    start = path.find("/api/v1/")
    if start < 0:
        return "no-store" not in headers.get("Cache-Control", "")
    return path[start:] == _OFFLINE_ACCOUNT or path[start:].startswith(_OFFLINE_PATHS)


def _pieces(found: Body) -> Iterator[bytes]:
    while piece := found.read_some(_PIECE):
        yield piece


def problem_document(*, status: int, code: str, detail: str) -> bytes:
    """Return an error as a problem document (RFC 9457), as the server's API does."""
    return msgspec.json.encode({"type": code, "title": "The app", "status": status, "detail": detail})
