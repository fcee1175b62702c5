"""The HTTP client behind `web.Fetcher`, with a total time limit for every request.

The usual limit per read does not stop a server that sends a byte now and then, so one limit covers the whole request
and can end it at any point.
"""

import ssl
import zlib
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy

import anyio
import httpx2
from msgspec.structs import replace

from playdock.fetching.errors import FetchTimeout, RedirectRefused, ResponseTooLarge, Unreachable
from playdock.fetching.requests import FetchLimits, FetchResponse, Request, origin_of

# Enough for the redirects of real servers, such as to https and to another path.
_MAX_REDIRECTS = 3
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
# The headers that are sent to another origin after a redirect. Others may contain credentials.
_CROSS_ORIGIN_HEADERS = frozenset(("accept", "user-agent"))
# The wbits of zlib for a gzip header and the largest window.
_GZIP = 31


class HttpClient:
    """Sends requests. It is created and used in one event loop, whose end it does not survive."""

    def __init__(self) -> None:
        self._client = _client()

    async def close(self) -> None:
        await self._client.aclose()

    async def fetch(self, request: Request, limits: FetchLimits) -> FetchResponse:
        try:
            with anyio.fail_after(limits.seconds):
                return await self._follow(request, limits)
        except TimeoutError:
            raise FetchTimeout(limits.seconds) from None
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError) as error:
            raise _unreachable(error) from None

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
        headers = {"Accept-Encoding": "gzip", **request.headers}
        url, extensions = httpx2.URL(request.url), {}
        if request.address:
            # The name is still that of the request and of the certificate.
            headers["Host"] = url.netloc.decode("ascii")
            extensions["sni_hostname"] = url.raw_host.decode("ascii")
            url = url.copy_with(host=request.address)
        stream = self._client.stream(
            request.method, url, headers=headers, content=request.body or None, extensions=extensions
        )
        async with stream as response:
            if not limits.max_bytes:
                return FetchResponse(response.status_code, dict(response.headers), b"")
            encoding = response.headers.get("content-encoding", "").lower() or "identity"
            if encoding not in ("identity", "gzip"):
                raise Unreachable("server-encoding")
            async with aclosing(response.aiter_raw()) as chunks:
                body = await _read(chunks, compressed=encoding == "gzip", max_bytes=limits.max_bytes)
            return FetchResponse(response.status_code, dict(response.headers), body)


def _unreachable(error: Exception) -> Unreachable:
    """Return the error to report. Those below are known only to its causes."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Unreachable("server-certificate")
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.ConnectError):
        return Unreachable("server-offline")
    return Unreachable("server-unreachable", error=type(error).__name__)


def _client() -> httpx2.AsyncClient:
    """Return the HTTP client, without cookies and without time limits of its own; `FetchLimits` has them.

    The number of connections is unlimited, so that slow servers do not delay requests to others. Each connection serves
    a waiting thread. Proxies and certificates come from the environment, as for other programs.
    """
    return httpx2.AsyncClient(
        verify=_tls_context(),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        follow_redirects=False,
        timeout=None,
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=8),
    )


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the context of all clients of the process: loading the system's certificates takes some 60 ms."""
    return httpx2.create_ssl_context()


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
