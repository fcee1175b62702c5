"""The web as the service sees it: one event loop in a thread of its own, and a time limit around every request.

A limit for each read, as clients have it, does not hold off a server that sends a byte now and then, so the whole of a
request runs under one limit that can end it at any point.

One reader of addresses decides what an address means: the client's own, which also connects. A second one, however
good, would now and then find another host in the same text, and that difference is what forged addresses live on.
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

from playdock.fetching.errors import LedElsewhere, TookTooLong, TooLarge, Unreachable

_MOST_REDIRECTS = 3
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_STANDARD_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65_535
_KEPT_ELSEWHERE = frozenset(("accept", "user-agent"))
_GZIP = 31


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

    What the origins' names resolve to is not looked at. They come from the settings, so the administrator has asked
    for each of them, and a mirror or proxy on a private address is a good one. What is left is a provider whose own
    name server lies: with https, as all origins are unless the settings say otherwise, whatever is at the private
    address would need the provider's certificate.
    """

    origins: frozenset[str]
    seconds: float
    most_bytes: int
    follow: bool = True

    def hold(self, url: str) -> bool:
        """Tell whether an address may be reached."""
        origin = origin_of(url)
        return bool(origin) and origin in self.origins


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
        read = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        return ""
    host = read.raw_host.decode("ascii").lower()
    port = _STANDARD_PORTS.get(read.scheme, 0) if read.port is None else read.port
    if read.scheme not in _STANDARD_PORTS or not host or "%" in host or read.userinfo or not 0 < port <= _LAST_PORT:
        return ""
    return f"{read.scheme}://[{host}]:{port}" if ":" in host else f"{read.scheme}://{host}:{port}"


class Web:
    """Fetches; may be called from any thread. Nothing is started before the first request, and none after `close`."""

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._closed = threading.Event()
        self._running = ExitStack()
        self._portal: BlockingPortal | None = None
        self._client: httpx2.AsyncClient | None = None

    def fetch(self, request: Request, bounds: Bounds) -> Reply:
        """Ask and read the whole answer, whatever its status.

        Raises:
            Unreachable, TookTooLong, TooLarge, LedElsewhere: there is none that can be used.
        """
        try:
            return self._asked(request, bounds).result()
        except CancelledError:
            raise Unreachable("is not asked any more: the service stops") from None

    def pause(self, seconds: float) -> None:
        """Do nothing for some time, less if the service stops."""
        self._closed.wait(seconds)

    def close(self) -> None:
        """End all requests, all connections and the thread; for good."""
        with self._gate:
            self._closed.set()
            portal, self._portal = self._portal, None
        if portal is not None:
            portal.call(self._end, portal)
            self._running.close()

    def _asked(self, request: Request, bounds: Bounds) -> Future[Reply]:
        """Hand a request over to the loop, which cannot end meanwhile."""
        with self._gate:
            if self._closed.is_set():
                raise CancelledError
            if self._portal is None:
                self._client = _client()
                self._portal = self._running.enter_context(start_blocking_portal(name="web"))
            return self._portal.start_task_soon(self._fetch, request, bounds)

    async def _end(self, portal: BlockingPortal) -> None:
        assert self._client is not None
        await self._client.aclose()
        await portal.stop(cancel_remaining=True)

    async def _fetch(self, request: Request, bounds: Bounds) -> Reply:
        try:
            with anyio.fail_after(bounds.seconds):
                return await self._follow(request, bounds)
        except TimeoutError:
            raise TookTooLong(bounds.seconds) from None
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError) as error:
            raise Unreachable(f"cannot be reached ({type(error).__name__})") from None

    async def _follow(self, request: Request, bounds: Bounds) -> Reply:
        for _ in range(_MOST_REDIRECTS + 1):
            if not bounds.hold(request.url):
                raise LedElsewhere
            reply = await self._send(request, bounds)
            target = reply.headers.get("location")
            if not (bounds.follow and reply.status in _REDIRECTS and target and request.method == "GET"):
                return reply
            request = _redirected(request, target)
        raise Unreachable("leads from one address to the next")

    async def _send(self, request: Request, bounds: Bounds) -> Reply:
        assert self._client is not None
        headers = {"Accept-Encoding": "gzip", **request.headers}
        sent = self._client.stream(request.method, request.url, headers=headers, content=request.body or None)
        async with sent as response:
            coding = response.headers.get("content-encoding", "").lower() or "identity"
            if coding not in ("identity", "gzip"):
                raise Unreachable("answered in a coding that was not asked for")
            chunks = response.aiter_raw()
            body = await _read(chunks, packed=coding == "gzip", most_bytes=bounds.most_bytes)
            return Reply(response.status_code, dict(response.headers), body)


def _client() -> httpx2.AsyncClient:
    """Make the client. It keeps no cookies and leaves all limits to the bounds.

    There are as many connections as threads that wait for one, so that slow servers do not hold up the others. Proxies
    and certificates are those that the environment names, as for any program that an administrator runs.
    """
    return httpx2.AsyncClient(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        follow_redirects=False,
        timeout=None,
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=8),
    )


def _redirected(request: Request, target: str) -> Request:
    """Ask for what a redirect names; to another origin go only the headers that cannot prove who we are."""
    try:
        url = str(httpx2.URL(request.url).join(target))
    except (httpx2.InvalidURL, ValueError):
        raise LedElsewhere from None
    if origin_of(url) == origin_of(request.url):
        return replace(request, url=url)
    kept = {name: value for name, value in request.headers.items() if name.lower() in _KEPT_ELSEWHERE}
    return replace(request, url=url, headers=kept)


async def _read(chunks: AsyncIterator[bytes], *, packed: bool, most_bytes: int) -> bytes:
    """Read a body, unpacking it piece by piece so that a small one cannot become a large one unseen."""
    unpacker = zlib.decompressobj(_GZIP) if packed else None
    body = bytearray()
    arrived = 0
    async for chunk in chunks:
        arrived += len(chunk)
        body += _unpacked(unpacker, chunk, most_bytes=most_bytes + 1 - len(body)) if unpacker else chunk
        if max(arrived, len(body)) > most_bytes:
            raise TooLarge(most_bytes)
    if unpacker and arrived and not unpacker.eof:
        raise Unreachable("answered with only a part")
    return bytes(body)


def _unpacked(unpacker: "zlib._Decompress", chunk: bytes, *, most_bytes: int) -> bytes:
    """Unpack what one more chunk holds, up to so many bytes; nothing may stand behind the end."""
    try:
        piece = unpacker.decompress(chunk, most_bytes)
    except zlib.error:
        raise Unreachable("answered with something that cannot be unpacked") from None
    if unpacker.unused_data:
        raise Unreachable("answered with something that cannot be unpacked")
    return piece
