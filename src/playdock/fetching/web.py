"""The web as the service sees it: one event loop in a thread of its own, and a time limit around every request.

A limit for each read, as clients have it, does not hold off a server that sends a byte now and then, so the whole of a
request runs under one limit that can end it at any point.
"""

import threading
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from time import monotonic
from typing import Self
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal

from playdock.fetching.errors import LedElsewhere, TookTooLong, TooLarge, Unreachable

_MOST_REDIRECTS = 3
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_STANDARD_PORTS = {"http": 80, "https": 443}
_GZIP = 31
_MOST_CONNECTIONS = 32


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment (seconds of the monotonic clock) by which something must be done."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        return cls(monotonic() + seconds)

    @property
    def left(self) -> float:
        """Give the seconds that are left, none when it has passed."""
        return max(0.0, self.at - monotonic())


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a request may reach (`origins`, as `origin_of` writes them), take in all, and bring back when unpacked.

    Redirects are followed within the origins, for GET alone, if ``follow`` is set.
    """

    origins: frozenset[str]
    seconds: float
    most_bytes: int
    follow: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, read whole; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def origin_of(url: str) -> str:
    """Give scheme, host and port of an address (RFC 6454), empty for what is no address of the web.

    An address with a user name in it has no origin here: it only serves to be mistaken for another.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or _STANDARD_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return ""
    if not parts.hostname or "@" in parts.netloc:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}"


class Web:
    """Fetches; may be called from any thread. Nothing is started before the first request."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._running = ExitStack()
        self._portal: BlockingPortal | None = None
        self._client: httpx2.AsyncClient | None = None

    def fetch(self, request: Request, bounds: Bounds) -> Reply:
        """Ask and read the whole answer, whatever its status.

        Raises:
            Unreachable, TookTooLong, TooLarge, LedElsewhere: there is none that can be used.
        """
        return self._started().call(self._fetch, request, bounds)

    def close(self) -> None:
        """End all connections and the thread."""
        if self._portal is not None and self._client is not None:
            self._portal.call(self._client.aclose)
        self._running.close()
        self._portal = self._client = None

    def _started(self) -> BlockingPortal:
        with self._starting:
            if self._portal is None:
                portal = self._running.enter_context(start_blocking_portal())
                self._client = portal.call(_client)
                self._portal = portal
            return self._portal

    async def _fetch(self, request: Request, bounds: Bounds) -> Reply:
        try:
            with anyio.fail_after(bounds.seconds):
                return await self._follow(request, bounds)
        except TimeoutError:
            raise TookTooLong(bounds.seconds) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, zlib.error, OSError, ValueError) as error:
            raise Unreachable(f"cannot be reached ({type(error).__name__})") from None

    async def _follow(self, request: Request, bounds: Bounds) -> Reply:
        for _ in range(_MOST_REDIRECTS + 1):
            if origin_of(request.url) not in bounds.origins:
                raise LedElsewhere
            reply = await self._send(request, bounds)
            target = reply.headers.get("location")
            if not (bounds.follow and reply.status in _REDIRECTS and target and request.method == "GET"):
                return reply
            request = _redirected(request, target)
        raise Unreachable("leads round in circles")

    async def _send(self, request: Request, bounds: Bounds) -> Reply:
        assert self._client is not None
        headers = {"Accept-Encoding": "gzip", **request.headers}
        sent = self._client.stream(request.method, request.url, headers=headers, content=request.body or None)
        async with sent as response:
            coding = response.headers.get("content-encoding", "identity").lower()
            if coding not in ("identity", "gzip"):
                raise Unreachable("answered in a coding that was not asked for")
            chunks = response.aiter_raw()
            body = await _read(chunks, packed=coding == "gzip", most_bytes=bounds.most_bytes)
            return Reply(response.status_code, dict(response.headers), body)


async def _client() -> httpx2.AsyncClient:
    """Make the client, on the loop that will use it. It keeps no cookies and leaves all limits to the bounds."""
    return httpx2.AsyncClient(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        follow_redirects=False,
        timeout=None,
        limits=httpx2.Limits(max_connections=_MOST_CONNECTIONS),
    )


def _redirected(request: Request, target: str) -> Request:
    """Ask for what a redirect names; what proves who we are goes to no other origin."""
    url = urljoin(request.url, target)
    if origin_of(url) == origin_of(request.url):
        return replace(request, url=url)
    kept = {name: value for name, value in request.headers.items() if name.lower() != "authorization"}
    return replace(request, url=url, headers=kept)


async def _read(chunks: AsyncIterator[bytes], *, packed: bool, most_bytes: int) -> bytes:
    """Read a body, unpacking it piece by piece so that a small one cannot become a large one unseen."""
    unpacker = zlib.decompressobj(_GZIP) if packed else None
    body = bytearray()
    async for chunk in chunks:
        body += unpacker.decompress(chunk, most_bytes + 1 - len(body)) if unpacker else chunk
        if len(body) > most_bytes:
            raise TooLarge(most_bytes)
    return bytes(body)
