"""An HTTP client with one event loop in its own thread and a total time limit for every request.

The usual limit per read does not stop a server that sends a byte now and then, so one limit covers the whole request
and can end it at any point.

URLs are parsed only by the HTTP client, which also connects. A second parser would sometimes find a different host in
the same URL, and forged URLs exploit such differences.
"""

import threading
import zlib
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from time import monotonic
from typing import Self

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal

from playdock.fetching.errors import FetchTimeout, RedirectRefused, ResponseTooLarge, Unreachable

# Enough for the redirects of real servers, such as to https and to another path.
_MAX_REDIRECTS = 3
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_STANDARD_PORTS = {"http": 80, "https": 443}
_MAX_PORT = 65_535
# The headers that are sent to another origin after a redirect. Others may contain credentials.
_CROSS_ORIGIN_HEADERS = frozenset(("accept", "user-agent"))
# The wbits of zlib for a gzip header and the largest window.
_GZIP = 31


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time, in seconds of the monotonic clock, by which an operation must end."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        return cls(monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds that are left, 0 after the deadline."""
        return max(0.0, self.at - monotonic())


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits of a request.

    ``origins`` are those that it may reach, as returned by `origin_of`; ``seconds`` is its total time; ``max_bytes`` is
    the size of the decompressed response. With ``follow``, GET requests follow redirects within the origins.

    The IP addresses of the origins are not checked. Origins come from the settings, so the administrator has chosen
    each of them, and a mirror or proxy on a private address is legitimate. The remaining risk is a provider whose own
    name server returns private addresses. Origins use https unless the settings say otherwise, so a server at such an
    address would need the provider's certificate.
    """

    origins: frozenset[str]
    seconds: float
    max_bytes: int
    follow: bool = True

    def allows(self, url: str) -> bool:
        """Return whether a URL is on an allowed origin."""
        origin = origin_of(url)
        return bool(origin) and origin in self.origins


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """A complete response; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def origin_of(url: str) -> str:
    """Return the scheme, host and port of an http or https URL (RFC 6454), empty for anything else.

    The result is also empty for a URL with a user name, because such URLs mainly serve to disguise their host.
    """
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        return ""
    host = parsed.raw_host.decode("ascii").lower()
    port = _STANDARD_PORTS.get(parsed.scheme, 0) if parsed.port is None else parsed.port
    if parsed.scheme not in _STANDARD_PORTS or not host or "%" in host or parsed.userinfo or not 0 < port <= _MAX_PORT:
        return ""
    return f"{parsed.scheme}://[{host}]:{port}" if ":" in host else f"{parsed.scheme}://{host}:{port}"


class Fetcher:
    """Sends requests from any thread. The event loop starts with the first request; `close` ends it for good."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._running = ExitStack()
        self._portal: BlockingPortal | None = None
        self._client: httpx2.AsyncClient | None = None

    def fetch(self, request: Request, limits: FetchLimits) -> FetchResponse:
        """Send a request and return the complete response of any status.

        Raises:
            Unreachable, FetchTimeout, ResponseTooLarge, RedirectRefused: there is no response within the limits.
        """
        try:
            return self._submit(request, limits).result()
        except CancelledError:
            raise Unreachable("server-stopping") from None

    def sleep(self, seconds: float) -> None:
        """Sleep for some seconds, or until `close` is called."""
        self._closed.wait(seconds)

    def close(self) -> None:
        """Cancel all requests, close all connections and end the thread."""
        with self._lock:
            self._closed.set()
            portal, self._portal = self._portal, None
        if portal is not None:
            portal.call(self._end, portal)
            self._running.close()

    def _submit(self, request: Request, limits: FetchLimits) -> Future[FetchResponse]:
        """Start a request in the event loop, under the lock that keeps `close` from ending the loop."""
        with self._lock:
            if self._closed.is_set():
                raise CancelledError
            if self._portal is None:
                self._client = _client()
                self._portal = self._running.enter_context(start_blocking_portal(name="web"))
            return self._portal.start_task_soon(self._fetch, request, limits)

    async def _end(self, portal: BlockingPortal) -> None:
        assert self._client is not None
        await self._client.aclose()
        await portal.stop(cancel_remaining=True)

    async def _fetch(self, request: Request, limits: FetchLimits) -> FetchResponse:
        try:
            with anyio.fail_after(limits.seconds):
                return await self._follow(request, limits)
        except TimeoutError:
            raise FetchTimeout(limits.seconds) from None
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError) as error:
            raise Unreachable("server-unreachable", error=type(error).__name__) from None

    async def _follow(self, request: Request, limits: FetchLimits) -> FetchResponse:
        for _ in range(_MAX_REDIRECTS + 1):
            if not limits.allows(request.url):
                raise RedirectRefused
            response = await self._send(request, limits)
            target = response.headers.get("location")
            if not (limits.follow and response.status in _REDIRECTS and target and request.method == "GET"):
                return response
            request = _redirected(request, target)
        raise Unreachable("server-redirects")

    async def _send(self, request: Request, limits: FetchLimits) -> FetchResponse:
        assert self._client is not None
        headers = {"Accept-Encoding": "gzip", **request.headers}
        stream = self._client.stream(request.method, request.url, headers=headers, content=request.body or None)
        async with stream as response:
            encoding = response.headers.get("content-encoding", "").lower() or "identity"
            if encoding not in ("identity", "gzip"):
                raise Unreachable("server-encoding")
            chunks = response.aiter_raw()
            body = await _read(chunks, compressed=encoding == "gzip", max_bytes=limits.max_bytes)
            return FetchResponse(response.status_code, dict(response.headers), body)


def _client() -> httpx2.AsyncClient:
    """Return the HTTP client, without cookies and without time limits of its own; `FetchLimits` has them.

    The number of connections is unlimited, so that slow servers do not delay requests to others. Each connection serves
    a waiting thread. Proxies and certificates come from the environment, as for other programs.
    """
    return httpx2.AsyncClient(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        follow_redirects=False,
        timeout=None,
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=8),
    )


def _redirected(request: Request, target: str) -> Request:
    """Return the request for the target of a redirect; headers that may contain credentials stay with the origin."""
    try:
        url = str(httpx2.URL(request.url).join(target))
    except (httpx2.InvalidURL, ValueError):
        raise RedirectRefused from None
    if origin_of(url) == origin_of(request.url):
        return replace(request, url=url)
    headers = {name: value for name, value in request.headers.items() if name.lower() in _CROSS_ORIGIN_HEADERS}
    return replace(request, url=url, headers=headers)


async def _read(chunks: AsyncIterator[bytes], *, compressed: bool, max_bytes: int) -> bytes:
    """Read a body and decompress it chunk by chunk, so that a small one cannot exceed the limit when decompressed."""
    decompressor = zlib.decompressobj(_GZIP) if compressed else None
    body = bytearray()
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        body += _decompressed(decompressor, chunk, max_bytes=max_bytes + 1 - len(body)) if decompressor else chunk
        if max(received, len(body)) > max_bytes:
            raise ResponseTooLarge(max_bytes)
    if decompressor and received and not decompressor.eof:
        raise Unreachable("server-incomplete")
    return bytes(body)


def _decompressed(decompressor: "zlib._Decompress", chunk: bytes, *, max_bytes: int) -> bytes:
    """Return up to ``max_bytes`` decompressed bytes of a chunk; data after the end of the stream is an error."""
    try:
        data = decompressor.decompress(chunk, max_bytes)
    except zlib.error:
        raise Unreachable("server-undecodable") from None
    if decompressor.unused_data:
        raise Unreachable("server-undecodable")
    return data
