"""The base of stand-ins: a server on loopback that records requests and whose responses can be overridden."""

import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast
from urllib.parse import parse_qsl, unquote, urlsplit

_WORTH_PACKING = 1024
_MAX_BODY = 1024 * 1024
_MIN_ERROR_STATUS = 400

# The pieces of a body; the event is set when the stand-in stops.
Pieces = Callable[[threading.Event], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A recorded request; the path is decoded and header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def under(self, prefix: str) -> str | None:
        """Return the path after a prefix, or None if it does not begin with it."""
        return self.path.removeprefix(prefix) if self.path.startswith(prefix) else None


@dataclass(frozen=True, slots=True)
class Answer:
    """A response with a body, or with pieces of one that are sent over time and end with the connection.

    ``content_length`` overrides the length of the body in the header. ``is_refusal`` marks a rejection whose status is
    not that of an error.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Pieces = b""
    content_length: int | None = None
    is_refusal: bool = False


def json_answer(value: Any, *, status: int = 200) -> Answer:
    return Answer(status, {"Content-Type": "application/json; charset=utf-8"}, json.dumps(value).encode())


def html(status: int = 200) -> Answer:
    """Return an HTML page, like that of a server under maintenance."""
    page = b"<!DOCTYPE html><html><body><h1>We will be back soon</h1></body></html>"
    return Answer(status, {"Content-Type": "text/html; charset=utf-8"}, page)


def status(code: int, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(code, headers or {})


def too_many(retry_after: str = "1") -> Answer:
    return Answer(429, {"Retry-After": retry_after})


def redirect(to: str, *, code: int = 302) -> Answer:
    return Answer(code, {"Location": to})


def garbage() -> Answer:
    """Return bytes with the media type of JSON."""
    return Answer(200, {"Content-Type": "application/json"}, b'{"\xff\xfe": [nul, ' + bytes(range(256)))


def other_json(text: str = '[[{"a": [1, "two", null]}], 3]') -> Answer:
    """Return JSON of an unexpected form."""
    return Answer(200, {"Content-Type": "application/json"}, text.encode())


def deep() -> Answer:
    """Return JSON that is nested too deeply for a parser."""
    return other_json("[" * 100_000 + "]" * 100_000)


def large(size: int = 64 * 1024 * 1024) -> Answer:
    """Return a body of the given size."""

    def pieces(_stopping: threading.Event) -> Iterator[bytes]:
        return (b" " * 65536 for _ in range(size // 65536))

    return Answer(200, {"Content-Type": "application/json"}, pieces)


def endless() -> Answer:
    """Return an endless body."""

    def pieces(stopping: threading.Event) -> Iterator[bytes]:
        while not stopping.is_set():
            yield b" " * 65536

    return Answer(200, {"Content-Type": "application/json"}, pieces)


def drip(*, every: float = 0.02) -> Answer:
    """Return an endless body, one byte at a time."""

    def pieces(stopping: threading.Event) -> Iterator[bytes]:
        while not stopping.wait(every):
            yield b" "

    return Answer(200, {"Content-Type": "application/json"}, pieces)


def slow(seconds: float, answer: Answer | None = None) -> Answer:
    """Return a response whose headers are sent at once and whose body after some seconds."""
    late = answer or json_answer({})
    assert isinstance(late.body, bytes)
    body = late.body

    def pieces(stopping: threading.Event) -> Iterator[bytes]:
        stopping.wait(seconds)
        yield body

    return Answer(late.status, late.headers, pieces)


def cut() -> Answer:
    """Return a body that is shorter than its Content-Length."""
    return Answer(200, {"Content-Type": "application/json"}, b'{"response": {"st', content_length=5000)


def gzip_bomb(size: int = 256 * 1024 * 1024) -> Answer:
    """Return a small body that decompresses to a large one."""
    piece = gzip.compress(b" " * 1024 * 1024, 9)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return Answer(200, headers, piece * (size // (1024 * 1024)))


def bad_gzip() -> Answer:
    """Return bytes that are declared as gzip but are not."""
    return Answer(200, {"Content-Type": "application/json", "Content-Encoding": "gzip"}, b"not packed at all")


@dataclass
class _Override:
    prefix: str
    answer: Answer
    times: int | None


class StandIn:
    """A server that stands in for a provider inside its ``with`` block.

    Subclasses implement `respond`, and `settings`, which direct Playdock to the stand-in. ``requests`` are all recorded
    requests, ``refusals`` those that the provider would have rejected as malformed or unknown.
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[RecordedRequest] = []
        self.refusals: list[RecordedRequest] = []
        self._overrides: list[_Override] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.standin = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def settings(self) -> dict[str, str]:
        """The settings that direct Playdock to the stand-in: `Settings(**standin.settings)`."""
        raise NotImplementedError

    def respond(self, request: RecordedRequest) -> Answer:
        """Return the response of the provider."""
        raise NotImplementedError

    def override(self, path: str, answer: Answer, *, times: int | None = None) -> None:
        """Override the response to requests below a path, a number of times or until cleared; the latest wins."""
        with self._lock:
            self._overrides.insert(0, _Override(path, answer, times))

    def clear_overrides(self) -> None:
        with self._lock:
            self._overrides.clear()

    def requests_to(self, path: str) -> list[RecordedRequest]:
        """Return the recorded requests below a path."""
        return [each for each in self.requests if each.path.startswith(path)]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: RecordedRequest) -> Answer:
        with self._lock:
            self.requests.append(request)
            overridden = self._overridden(request.path)
        if overridden is not None:
            return overridden
        answer = self.respond(request)
        if answer.is_refusal or answer.status >= _MIN_ERROR_STATUS:
            self.refusals.append(request)
        return answer

    def _overridden(self, path: str) -> Answer | None:
        for override in self._overrides:
            if path.startswith(override.prefix) and override.times != 0:
                override.times = None if override.times is None else override.times - 1
                return override.answer
        return None


class _Server(ThreadingHTTPServer):
    """A server that tracks its connections, so that it can close those that are kept alive."""

    standin: StandIn
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: clients that disconnect are expected, and other errors are sent as responses."""

    def hang_up(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        pass

    def _serve(self) -> None:
        standin = cast("_Server", self.server).standin
        try:
            answer = standin._answer(self._recorded())
        except Exception as error:  # noqa: BLE001 - it is sent to the client
            answer = Answer(500, {"Content-Type": "text/plain"}, f"The stand-in failed: {error!r}".encode())
        if isinstance(answer.body, bytes):
            self._send_whole(answer, answer.body)
        else:
            self._send_pieces(answer, answer.body(standin._stopping))

    def _recorded(self) -> RecordedRequest:
        parts = urlsplit(self.path)
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _MAX_BODY))
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        return RecordedRequest(self.command, unquote(parts.path), query, headers, body)

    def _send_whole(self, answer: Answer, body: bytes) -> None:
        headers = dict(answer.headers)
        packs = "gzip" in self.headers.get("Accept-Encoding", "") and "Content-Encoding" not in headers
        if packs and len(body) > _WORTH_PACKING and not headers.get("Content-Type", "").startswith("image/"):
            headers["Content-Encoding"] = "gzip"
            body = gzip.compress(body, 1)
        self._send_head(answer.status, headers | {"Content-Length": str(answer.content_length or len(body))})
        self.wfile.write(body)
        self.close_connection = self.close_connection or answer.content_length is not None

    def _send_pieces(self, answer: Answer, pieces: Iterator[bytes]) -> None:
        self._send_head(answer.status, dict(answer.headers) | {"Connection": "close"})
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    def _send_head(self, code: int, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
