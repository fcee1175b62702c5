"""One request at a time to one server: who may be believed, how long it may take, what may be tried again."""

import http.client
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

from playdock_client.errors import BadAnswer, NotSignedIn, Refused, ServerAway
from playdock_client.heads import PlainConnection, SecureConnection

_CONNECT = 10.0
_SILENCE = 30.0
_A_MINUTE = 60.0
_LEAST_A_MINUTE = 16 * 1024
_READ = 256 * 1024
_LARGEST_PROBLEM = 64 * 1024
_LONGEST_WAIT = 60.0
_MOST_CONNECTIONS = 32
_UNAUTHORIZED = 401
_TOO_MANY = 429
_PASSING = frozenset({_TOO_MANY, 502, 503, 504})
_WAITS = (0.02, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
# What OpenSSL, by its version, calls an answer without TLS.
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"})

_HOST = re.compile(r"[\w.:-]+")

Gate = Callable[[int], None]


class Broken(ServerAway):
    """What may be tried again, after `wait` seconds if the server said so."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Busy(Broken):
    """The server is there and says that it cannot now."""


class Patience:
    """How long to try again while nothing at all gets better; threads that do one thing together share one."""

    def __init__(self, seconds: float, *, stopped: threading.Event | None = None) -> None:
        self._seconds = seconds
        self._stopped = stopped or threading.Event()
        self._since = time.monotonic()
        self._tries = 0

    def reward(self) -> None:
        """Begin anew, because there was progress."""
        self._since = time.monotonic()
        self._tries = 0

    def wait(self, broken: Broken) -> None:
        """Wait before the next try. Raises the error itself when there has been no progress for too long."""
        wait = _WAITS[min(self._tries, len(_WAITS) - 1)] if broken.wait is None else min(broken.wait, _LONGEST_WAIT)
        if time.monotonic() + wait - self._since > self._seconds:
            raise broken
        self._tries += 1
        self._stopped.wait(wait)


class Body:
    """An answer's body. `gate` is called with the number of bytes that came, and may wait or raise."""

    def __init__(self, response: urllib3.BaseHTTPResponse, *, count: Gate, gate: Gate | None = None) -> None:
        self._response = response
        self._count = count
        self._gate = gate
        self._lately = 0
        self._waited = 0.0

    @property
    def status(self) -> int:
        return self._response.status

    def header(self, name: str) -> str:
        return self._response.headers.get(name, "")

    @property
    def etag(self) -> str:
        return self.header("ETag").removeprefix("W/").strip('"')

    def some(self, most: int) -> bytes:
        """Read at least a byte and at most `most`, nothing at the end. Raises Broken."""
        begun = time.monotonic()
        try:
            piece: bytes = self._response.read1(min(most, _READ))
        except (HTTPError, OSError, ValueError) as error:
            raise Broken("The connection to the server broke off.") from error
        self._count(len(piece))
        self._lately += len(piece)
        self._waited += time.monotonic() - begun
        if self._waited > _A_MINUTE:
            if self._lately < _LEAST_A_MINUTE:
                raise Broken("The server's answer only trickles in.")
            self._lately, self._waited = 0, 0.0
        if piece and self._gate is not None:
            self._gate(len(piece))
        return piece

    def exactly(self, size: int) -> bytes:
        """Read so many bytes. Raises Broken if there are fewer."""
        pieces, left = [], size
        while left:
            piece = self.some(left)
            if not piece:
                raise Broken("The server broke off in the middle of its answer.")
            pieces.append(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def all(self, most: int) -> bytes:
        """Read everything. Raises BadAnswer if it is more than `most` bytes."""
        pieces, size = [], 0
        while piece := self.some(_READ):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise BadAnswer("The server's answer is larger than any can be.")
        return b"".join(pieces)

    def shut(self) -> None:
        """End it from another thread that must not wait."""
        with suppress(OSError, ValueError, RuntimeError):
            self._response.shutdown()

    def close(self) -> None:
        """Give the connection back if everything was read, else close it."""
        if self._response.closed or getattr(self._response, "length_remaining", None) == 0:
            self._response.release_conn()
        else:
            self._response.close()


class Transport:
    """Requests to one server; `received` counts the bytes of all bodies."""

    def __init__(self, address: str, token: str | None) -> None:
        self.address = origin(address)
        self._headers = {"User-Agent": "playdock-client", "Accept-Encoding": "identity"}
        if token:
            if not token.isascii() or not token.isprintable():
                raise NotSignedIn("The token contains letters that no token has. Sign in again.")
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
        gate: Gate | None = None,
        expect: frozenset[int] = frozenset({200}),
    ) -> Iterator[Body]:
        """Send a request once. Raises Broken for what may pass, NotSignedIn, Refused or BadAnswer."""
        response = self._send(method, target, headers={**self._headers, **(headers or {})}, body=body)
        found = Body(response, count=self._count, gate=gate)
        try:
            if found.status not in expect:
                raise _failure(found, address=self.address)
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
            raise _distrust(self.address, error) from error
        except (HTTPError, OSError) as error:
            raise Broken(_no_answer(self.address, error)) from error


def origin(address: str) -> str:
    """Make an address regular: ``https`` where no scheme is given, a host of any letters as DNS has it (RFC 3490).

    Raises ServerAway if it is none.
    """
    parts = urlsplit(address if "://" in address else f"https://{address}")
    try:
        port = parts.port
    except ValueError:
        port = 0
    host = _ascii(parts.hostname or "")
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or port == 0 or "@" in parts.netloc:
        raise ServerAway(f"{address!r} is not the address of a server. Write it like https://games.example.org.")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ServerAway(f"{address!r} is more than the address of a server. Leave out what follows the name.")
    return f"{parts.scheme}://" + (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")


def _ascii(host: str) -> str:
    """Give a host as DNS has it, nothing if no host can be called so."""
    try:
        return host if ":" in host else host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _distrust(address: str, error: SSLError) -> ServerAway:
    """Tell why there is no TLS with a server; not the same when it speaks none, as on a port for plain HTTP."""
    cause = error.args[0] if error.args else None
    if isinstance(cause, ssl.SSLError) and cause.reason in _NO_TLS:
        plain = address.replace("https:", "http:", 1)
        return ServerAway(f"{address} speaks no TLS. If that is meant to be so, try {plain}.")
    return ServerAway(f"{address} cannot prove who it is ({error}). Check the address and this machine's date.")


def _no_answer(address: str, error: Exception) -> str:
    """Tell why there is no answer; who speaks something else than HTTP is there, but not what we look for."""
    cause = error.args[-1] if error.args else None
    if isinstance(cause, http.client.HTTPException) and not isinstance(cause, ConnectionError):
        return f"{address} does not answer as a web server does. Check the address, also whether it is http or https."
    return f"{address} cannot be reached. Check the address and the connection."


def _failure(body: Body, *, address: str) -> Exception:
    """Make an error of an answer that is none of the expected."""
    if 300 <= body.status < 400:  # noqa: PLR2004 - the class of redirects
        place = body.header("Location")[:200]
        return BadAnswer(f"{address} sends us on to {place!r}. If you trust that address, sign in there instead.")
    problem = _problem(body, address=address)
    if body.status in _PASSING:
        after = body.header("Retry-After")
        return Busy(problem.detail, wait=float(after) if after.isascii() and after.isdigit() else None)
    if body.status == _UNAUTHORIZED:
        return NotSignedIn(f"{address} does not know you (any more). Sign in again.")
    return Refused(problem.detail, status=body.status, type=problem.type)


class _Problem(msgspec.Struct):
    """A problem document (RFC 9457), or what OAuth has instead of one (RFC 6749, section 5.2)."""

    type: str = ""
    detail: str = ""
    error: str = ""
    error_description: str = ""


def _problem(body: Body, *, address: str) -> _Problem:
    """Read the problem; an answer that is none comes from something else than a Playdock server, or before one."""
    try:
        found = msgspec.json.decode(body.all(_LARGEST_PROBLEM), type=_Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError, BadAnswer, Broken):
        found = _Problem()
    strange = f"{address} answers with the status {body.status} and not as a Playdock server does. Check the address."
    detail = found.detail or found.error_description or strange
    return _Problem(type=found.type or found.error, detail=detail)


def _pools(address: str) -> urllib3.PoolManager:
    """Make the pool; proxies are those of the environment, trust is the system's."""
    parts = urlsplit(address)
    wanted: dict[str, Any] = {"timeout": urllib3.Timeout(connect=_CONNECT, read=_SILENCE), "maxsize": _MOST_CONNECTIONS}
    if parts.scheme == "https":
        wanted["ssl_context"] = ssl.create_default_context()
    proxy = urllib.request.getproxies().get(parts.scheme)
    pools = urllib3.PoolManager(**wanted)
    if proxy and not urllib.request.proxy_bypass(parts.netloc):
        who = urlsplit(proxy).netloc.rpartition("@")[0]
        pools = urllib3.ProxyManager(proxy, proxy_headers=urllib3.make_headers(proxy_basic_auth=who or None), **wanted)
    pool = pools.connection_from_url(address)
    pool.ConnectionCls = SecureConnection if isinstance(pool, urllib3.HTTPSConnectionPool) else PlainConnection
    return pools
