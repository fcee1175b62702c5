"""Sends requests to one server, with TLS, time limits and the classification of retryable errors."""

import http.client
import ipaddress
import re
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec
import urllib3
from urllib3.exceptions import HTTPError, SSLError

from playdock_client.decoding import decode_json
from playdock_client.errors import BadResponse, NotSignedIn, RequestRefused, ServerUnavailable
from playdock_client.header_timeout import HttpConnection, HttpsConnection

# Long enough for a slow server or mobile network, short enough that a wrong address is reported soon.
_CONNECT_TIMEOUT_SECONDS = 10.0
_READ_TIMEOUT_SECONDS = 30.0
# A response that is slower than this for a minute is aborted and retried.
_SPEED_WINDOW_SECONDS = 60.0
_MIN_BYTES_PER_MINUTE = 16 * 1024
# Large enough that the overhead per read does not matter.
_READ = 256 * 1024
# Problem documents have less than a kilobyte.
_MAX_PROBLEM_BYTES = 64 * 1024
# The longest Retry-After that is respected.
_MAX_DELAY_SECONDS = 60.0
# Twice the largest number of parallel downloads, so that no connection is closed and opened again.
_MAX_CONNECTIONS = 32
_UNAUTHORIZED = 401
# The problem while the server unpacks the game's archive.
_UNPACKING = "content-unpacking"
_TOO_MANY = 429
# With them, a proxy says that there is no server behind it now.
_OF_PROXIES = frozenset({502, 503, 504})
_RETRYABLE_STATUSES = frozenset({_TOO_MANY, *_OF_PROXIES})
# Short at first for a restarted connection, then doubled for a restarted server.
_RETRY_DELAYS_SECONDS = (0.02, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
# The reasons that different versions of OpenSSL report for a response without TLS.
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"})

_HOST = re.compile(r"[\w.:-]+")
# As in the EXTERNAL_URL of the server.
_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")

OnReceived = Callable[[int], None]


class Broken(ServerUnavailable):
    """A failure that can be retried, after `wait` seconds if the server set a delay.

    With `preparing` the server has begun to prepare the response, which is progress.
    """

    def __init__(self, message: str, *, wait: float | None = None, preparing: bool = False) -> None:
        super().__init__(message)
        self.wait = wait
        self.preparing = preparing


class Busy(Broken):
    """The server responded that it is overloaded or temporarily unavailable."""


class RetryPolicy:
    """Retries until there has been no progress for some time. Shared by the threads of one operation."""

    def __init__(self, seconds: float, *, stopped: threading.Event | None = None) -> None:
        self._seconds = seconds
        self._stopped = stopped or threading.Event()
        self._since = time.monotonic()
        self._tries = 0

    def reset(self) -> None:
        """Start the time again, because there was progress."""
        self._since = time.monotonic()
        self._tries = 0

    def wait(self, broken: Broken) -> None:
        """Wait before the next attempt. Raises the error if there has been no progress for too long."""
        if broken.preparing:
            self.reset()
        wait = (
            _RETRY_DELAYS_SECONDS[min(self._tries, len(_RETRY_DELAYS_SECONDS) - 1)]
            if broken.wait is None
            else min(broken.wait, _MAX_DELAY_SECONDS)
        )
        if time.monotonic() + wait - self._since > self._seconds:
            raise broken
        self._tries += 1
        self._stopped.wait(wait)


class Body:
    """The body of a response. `on_received` is called with the number of bytes received, and may wait or raise."""

    def __init__(
        self, response: urllib3.BaseHTTPResponse, *, count: OnReceived, on_received: OnReceived | None = None
    ) -> None:
        self._response = response
        self._count = count
        self._on_received = on_received
        self._window_bytes = 0
        self._window_seconds = 0.0

    @property
    def status(self) -> int:
        return self._response.status

    def header(self, name: str) -> str:
        return self._response.headers.get(name, "")

    @property
    def etag(self) -> str:
        return self.header("ETag").removeprefix("W/").strip('"')

    def read_some(self, max_bytes: int) -> bytes:
        """Return at least one and at most `max_bytes` bytes, or none at the end. Raises Broken."""
        started = time.monotonic()
        try:
            piece: bytes = self._response.read1(min(max_bytes, _READ))
        except (HTTPError, OSError, ValueError) as error:
            raise Broken("The connection to the server was lost.") from error
        self._count(len(piece))
        self._window_bytes += len(piece)
        self._window_seconds += time.monotonic() - started
        if self._window_seconds > _SPEED_WINDOW_SECONDS:
            if self._window_bytes < _MIN_BYTES_PER_MINUTE:
                raise Broken("The server is sending too slowly.")
            self._window_bytes, self._window_seconds = 0, 0.0
        if piece and self._on_received is not None:
            self._on_received(len(piece))
        return piece

    def read_exactly(self, size: int) -> bytes:
        """Return exactly `size` bytes. Raises Broken if there are fewer."""
        pieces, left = [], size
        while left:
            piece = self.read_some(left)
            if not piece:
                raise Broken("The server closed the connection before the end of its response.")
            pieces.append(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def read_all(self, max_bytes: int) -> bytes:
        """Return all bytes. Raises BadResponse if there are more than `max_bytes`."""
        pieces, size = [], 0
        while piece := self.read_some(_READ):
            pieces.append(piece)
            size += len(piece)
            if size > max_bytes:
                raise BadResponse("The response is larger than allowed.")
        return b"".join(pieces)

    def abort(self) -> None:
        """Abort the response from another thread without waiting."""
        with suppress(OSError, ValueError, RuntimeError):
            self._response.shutdown()

    def close(self) -> None:
        """Return the connection to the pool if everything was read, else close it."""
        if self._response.closed or getattr(self._response, "length_remaining", None) == 0:
            self._response.release_conn()
        else:
            self._response.close()


class Transport:
    """Sends requests to one server. `received` counts the bytes of all bodies."""

    def __init__(self, address: str, token: str | None) -> None:
        self.address = normalized(address)
        self._headers = {"User-Agent": "playdock-client", "Accept-Encoding": "identity"}
        if token:
            if not token.isascii() or not token.isprintable():
                raise NotSignedIn("The token contains invalid characters. Sign in again.")
            self._headers["Authorization"] = f"Bearer {token}"
        self._pools = _pools(self.address)
        self._lock = threading.Lock()
        self.received = 0

    def close(self) -> None:
        self._pools.clear()

    @contextmanager
    def opened(
        self,
        method: str,
        target: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        on_received: OnReceived | None = None,
        expect: frozenset[int] = frozenset({200}),
    ) -> Iterator[Body]:
        """Send a request once. Raises Broken for retryable failures, NotSignedIn, RequestRefused or BadResponse."""
        response = self._send(method, target, headers={**self._headers, **(headers or {})}, body=body)
        found = Body(response, count=self._count, on_received=on_received)
        try:
            if found.status not in expect:
                raise _error_from(found, address=self.address)
            yield found
        finally:
            found.close()

    @contextmanager
    def forwarded(
        self, method: str, target: str, *, headers: Mapping[str, str], body: bytes | None = None
    ) -> Iterator[Body]:
        """Pass on a request of another program once, and yield the response whatever its status is. Raises Broken."""
        found = Body(self._send(method, target, headers={**self._headers, **headers}, body=body), count=self._count)
        try:
            yield found
        finally:
            found.close()

    def _count(self, size: int) -> None:
        with self._lock:
            self.received += size

    def _send(
        self, method: str, target: str, *, headers: Mapping[str, str], body: bytes | None
    ) -> urllib3.BaseHTTPResponse:
        try:
            return self._pools.urlopen(
                method,
                self.address + target,
                body=body,
                headers=headers,
                redirect=False,
                retries=False,
                preload_content=False,
                decode_content=False,
            )
        except SSLError as error:
            raise _tls_error(self.address, error) from error
        except (HTTPError, OSError) as error:
            raise Broken(_connection_error_message(self.address, error)) from error


def normalized(address: str) -> str:
    """Return a normalized address: ``https`` is the default scheme, and the host is encoded for DNS (RFC 3490).

    It may have a path, below which the server is.

    Raises ServerUnavailable if it is invalid.
    """
    parts = urlsplit(address if "://" in address else f"https://{address}")
    try:
        port = parts.port
    except ValueError:
        port = 0
    host = _ascii_host(parts.hostname or "")
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or port == 0 or "@" in parts.netloc:
        raise ServerUnavailable(f"{address!r} is not a valid server address. Use the form https://games.example.org.")
    path = parts.path.rstrip("/")
    if not _PATH.fullmatch(path) or parts.query or parts.fragment:
        raise ServerUnavailable(
            f"{address!r} contains more than the address of a server. Remove everything after the host name, or "
            "after a path such as /games if the server has one."
        )
    return f"{parts.scheme}://" + (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "") + path


def is_unencrypted(address: str) -> bool:
    """Return whether traffic to this address, including the token, can be read by others on the network."""
    parts = urlsplit(address)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _ascii_host(host: str) -> str:
    """Return a host name encoded for DNS, or an empty text if it is invalid."""
    try:
        return host if ":" in host else host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _tls_error(address: str, error: SSLError) -> ServerUnavailable:
    """Return an error for a failed TLS handshake, with a different message if the port serves plain HTTP."""
    cause = error.args[0] if error.args else None
    if isinstance(cause, ssl.SSLError) and cause.reason in _NO_TLS:
        plain = address.replace("https:", "http:", 1)
        return ServerUnavailable(f"{address} does not support https. If that is intended, use {plain}.")
    return ServerUnavailable(
        f"The certificate of {address} is not trusted ({error}). Check the address and this machine's clock."
    )


def _connection_error_message(address: str, error: Exception) -> str:
    """Return the message for a failed connection, with a different text if the response is not HTTP."""
    cause = error.args[-1] if error.args else None
    if isinstance(cause, http.client.HTTPException) and not isinstance(cause, ConnectionError):
        return f"{address} is not a web server. Check the address, and whether to use http or https."
    return f"{address} cannot be reached. Check the address and the connection."


def _error_from(body: Body, *, address: str) -> Exception:
    """Return an error for a response with an unexpected status."""
    if 300 <= body.status < 400:  # noqa: PLR2004 - the class of redirects
        location = body.header("Location")[:200]
        return BadResponse(f"{address} redirects to {location!r}. If you trust that address, sign in there instead.")
    problem = _problem(body, address=address)
    if body.status in _RETRYABLE_STATUSES:
        after = body.header("Retry-After")
        wait = float(after) if after.isascii() and after.isdigit() else None
        return Busy(problem.detail, wait=wait, preparing=problem.type == _UNPACKING)
    if body.status == _UNAUTHORIZED:
        return NotSignedIn(f"{address} rejected the token. Sign in again.")
    return RequestRefused(problem.detail, status=body.status, type=problem.type)


class _Problem(msgspec.Struct):
    """A problem document (RFC 9457) or an OAuth error (RFC 6749, section 5.2)."""

    type: str = ""
    detail: str = ""
    error: str = ""
    error_description: str = ""


def _problem(body: Body, *, address: str) -> _Problem:
    """Return the problem. A response that is not a problem document does not come from a Playdock server."""
    try:
        found = decode_json(body.read_all(_MAX_PROBLEM_BYTES), _Problem)
    except (msgspec.MsgspecError, BadResponse, Broken):
        found = _Problem()
    fallback = f"{address} responded with status {body.status}, but not like a Playdock server. Check the address."
    if body.status in _OF_PROXIES:
        fallback = f"{address} is not available now: its proxy responded with status {body.status}. Try again later."
    detail = found.detail or found.error_description or fallback
    return _Problem(type=found.type or found.error, detail=detail)


def _pools(address: str) -> urllib3.PoolManager:
    """Return a connection pool that uses the proxies of the environment and the system's certificates."""
    parts = urlsplit(address)
    options: dict[str, Any] = {
        "timeout": urllib3.Timeout(connect=_CONNECT_TIMEOUT_SECONDS, read=_READ_TIMEOUT_SECONDS),
        "maxsize": _MAX_CONNECTIONS,
    }
    if parts.scheme == "https":
        options["ssl_context"] = ssl.create_default_context()
    proxy = urllib.request.getproxies().get(parts.scheme)
    pools = urllib3.PoolManager(**options)
    if proxy and not urllib.request.proxy_bypass(parts.netloc):
        user_info = urlsplit(proxy).netloc.rpartition("@")[0]
        pools = urllib3.ProxyManager(
            proxy, proxy_headers=urllib3.make_headers(proxy_basic_auth=user_info or None), **options
        )
    pool = pools.connection_from_url(address)
    pool.ConnectionCls = HttpsConnection if isinstance(pool, urllib3.HTTPSConnectionPool) else HttpConnection
    return pools
