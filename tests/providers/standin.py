"""What stand-ins have in common: a server on loopback that remembers what it was asked and can be bent to misbehave."""

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
_MOST_BODY = 1024 * 1024
_NO = 400

# Pieces of a body, as long as the stand-in is not being stopped.
Pieces = Callable[[threading.Event], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: the path without escapes, names of headers in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def under(self, prefix: str) -> str | None:
        """Give what follows in the path, None if it begins otherwise."""
        return self.path.removeprefix(prefix) if self.path.startswith(prefix) else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered: a body, or pieces of one that come in their own time and end with the connection.

    ``promised`` is the length that is told, where it is not the body's own. ``refuses`` marks an answer that says no
    with a status that does not.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Pieces = b""
    promised: int | None = None
    refuses: bool = False


def json_answer(value: Any, *, status: int = 200) -> Answer:
    return Answer(status, {"Content-Type": "application/json; charset=utf-8"}, json.dumps(value).encode())


def html(status: int = 200) -> Answer:
    """Answer with a page, as servers do that are being mended."""
    page = b"<!DOCTYPE html><html><body><h1>We will be back soon</h1></body></html>"
    return Answer(status, {"Content-Type": "text/html; charset=utf-8"}, page)


def status(code: int, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(code, headers or {})


def too_many(retry_after: str = "1") -> Answer:
    return Answer(429, {"Retry-After": retry_after})


def redirect(to: str, *, code: int = 302) -> Answer:
    return Answer(code, {"Location": to})


def garbage() -> Answer:
    """Answer with bytes that claim to be JSON."""
    return Answer(200, {"Content-Type": "application/json"}, b'{"\xff\xfe": [nul, ' + bytes(range(256)))


def other_json(text: str = '[[{"a": [1, "two", null]}], 3]') -> Answer:
    """Answer with JSON of a shape that nobody expects."""
    return Answer(200, {"Content-Type": "application/json"}, text.encode())


def deep() -> Answer:
    """Answer with JSON that is nested too deeply to be read."""
    return other_json("[" * 100_000 + "]" * 100_000)


def large(size: int = 64 * 1024 * 1024) -> Answer:
    """Answer with so many bytes."""

    def pieces(_stopping: threading.Event) -> Iterator[bytes]:
        return (b" " * 65536 for _ in range(size // 65536))

    return Answer(200, {"Content-Type": "application/json"}, pieces)


def endless() -> Answer:
    """Answer with bytes that never end, as fast as they are taken."""

    def pieces(stopping: threading.Event) -> Iterator[bytes]:
        while not stopping.is_set():
            yield b" " * 65536

    return Answer(200, {"Content-Type": "application/json"}, pieces)


def drip(*, every: float = 0.02) -> Answer:
    """Answer with a byte now and then, for ever."""

    def pieces(stopping: threading.Event) -> Iterator[bytes]:
        while not stopping.wait(every):
            yield b" "

    return Answer(200, {"Content-Type": "application/json"}, pieces)


def slow(seconds: float, answer: Answer | None = None) -> Answer:
    """Answer with the head at once and with the body after so many seconds."""
    late = answer or json_answer({})
    assert isinstance(late.body, bytes)
    body = late.body

    def pieces(stopping: threading.Event) -> Iterator[bytes]:
        stopping.wait(seconds)
        yield body

    return Answer(late.status, late.headers, pieces)


def cut() -> Answer:
    """Answer with less than was promised."""
    return Answer(200, {"Content-Type": "application/json"}, b'{"response": {"st', promised=5000)


def gzip_bomb(size: int = 256 * 1024 * 1024) -> Answer:
    """Answer with few bytes that unpack to many."""
    piece = gzip.compress(b" " * 1024 * 1024, 9)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return Answer(200, headers, piece * (size // (1024 * 1024)))


def bad_gzip() -> Answer:
    """Answer with bytes that claim to be packed."""
    return Answer(200, {"Content-Type": "application/json", "Content-Encoding": "gzip"}, b"not packed at all")


@dataclass
class _Bend:
    prefix: str
    answer: Answer
    times: int | None


class StandIn:
    """A server that stands in for a provider while it is entered.

    A subclass gives `respond` what its provider answers, and in `settings` what points Playdock at it. ``requests`` is
    all that was asked, ``refusals`` what the provider itself would have refused, be it malformed or unknown.
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Asked] = []
        self.refusals: list[Asked] = []
        self._bends: list[_Bend] = []
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
        """Give the settings, in lower case, that point Playdock here: `Settings(**standin.settings)`."""
        raise NotImplementedError

    def respond(self, asked: Asked) -> Answer:
        """Give what the provider would answer."""
        raise NotImplementedError

    def bend(self, path: str, answer: Answer, *, times: int | None = None) -> None:
        """Answer what is asked below a path otherwise, so many times or until straightened; the latest bend counts."""
        with self._lock:
            self._bends.insert(0, _Bend(path, answer, times))

    def straighten(self) -> None:
        with self._lock:
            self._bends.clear()

    def asked(self, path: str) -> list[Asked]:
        """Give what was asked below a path."""
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

    def _answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.requests.append(asked)
            bent = self._bent(asked.path)
        if bent is not None:
            return bent
        answer = self.respond(asked)
        if answer.refuses or answer.status >= _NO:
            self.refusals.append(asked)
        return answer

    def _bent(self, path: str) -> Answer | None:
        for bend in self._bends:
            if path.startswith(bend.prefix) and bend.times != 0:
                bend.times = None if bend.times is None else bend.times - 1
                return bend.answer
        return None


class _Server(ThreadingHTTPServer):
    """Knows its connections, so that it can end those that are kept alive."""

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
        """Say nothing: clients that hang up are what tests are about, and what else fails is answered."""

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

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        pass

    def _serve(self) -> None:
        standin = cast("_Server", self.server).standin
        try:
            answer = standin._answer(self._asked())
        except Exception as error:  # noqa: BLE001 - whoever asked must see it
            answer = Answer(500, {"Content-Type": "text/plain"}, f"The stand-in failed: {error!r}".encode())
        if isinstance(answer.body, bytes):
            self._send_whole(answer, answer.body)
        else:
            self._send_pieces(answer, answer.body(standin._stopping))

    def _asked(self) -> Asked:
        parts = urlsplit(self.path)
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _MOST_BODY))
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        return Asked(self.command, unquote(parts.path), query, headers, body)

    def _send_whole(self, answer: Answer, body: bytes) -> None:
        headers = dict(answer.headers)
        packs = "gzip" in self.headers.get("Accept-Encoding", "") and "Content-Encoding" not in headers
        if packs and len(body) > _WORTH_PACKING and not headers.get("Content-Type", "").startswith("image/"):
            headers["Content-Encoding"] = "gzip"
            body = gzip.compress(body, 1)
        self._send_head(answer.status, headers | {"Content-Length": str(answer.promised or len(body))})
        self.wfile.write(body)
        self.close_connection = self.close_connection or answer.promised is not None

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
