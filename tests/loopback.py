"""A server on loopback that sends arbitrary, also invalid, responses and records requests."""

import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

Answer = bytes | Callable[["Line"], None]

_PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Heard:
    """A recorded request, with header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """The connection for a response. Sending to a disconnected client ends the response."""

    connection: socket.socket
    stopping: threading.Event

    def send(self, data: bytes) -> None:
        if self.stopping.is_set():
            raise ConnectionAbortedError
        self.connection.sendall(data)

    def wait(self, seconds: float = _PATIENCE) -> None:
        self.stopping.wait(seconds)


def answer(body: bytes = b"", *, status: int = 200, **headers: str) -> bytes:
    """Return a valid response; keyword arguments such as ``content_type="…"`` are headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} So", f"content-length: {len(body)}", *(f"{name}: {named[name]}" for name in named)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def redirect(target: str, *, status: int = 302) -> bytes:
    return answer(status=status, location=target)


def head(**headers: str) -> bytes:
    """Return the header of a response whose body ends with the connection."""
    lines = ["HTTP/1.1 200 So", *(f"{name.replace('_', '-')}: {headers[name]}" for name in headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def endlessly(first: bytes, piece: bytes, *, every: float = 0.0) -> Answer:
    """Return a response that sends a piece repeatedly until the client disconnects."""

    def send(line: Line) -> None:
        line.send(first)
        while True:
            line.send(piece)
            line.wait(every)

    return send


def silence(line: Line) -> None:
    line.wait()


@contextmanager
def deaf() -> Iterator[str]:
    """Yield the address of a socket with a full backlog, to which no connection can be established."""
    with ExitStack() as held:
        listening = held.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@dataclass
class Loopback:
    """Sends the responses of a path in order and then repeats the last one; other paths return 404."""

    requests_received: list[Heard] = field(default_factory=list)
    _answers: defaultdict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    _stopping: threading.Event = field(default_factory=threading.Event)
    _lines: list[tuple[threading.Thread, socket.socket]] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, name="loopback")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(_PATIENCE)
        for thread, connection in self._lines:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(_PATIENCE)
            assert not thread.is_alive()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def targets(self) -> list[str]:
        """Return the recorded requests in order."""
        return [each.target for each in self.requests_received]

    def on(self, path: str, *answers: Answer) -> str:
        """Set the responses of a path and return its URL."""
        self._answers[path] = list(answers)
        return self.address + path

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                thread = threading.Thread(target=self._converse, args=[connection], name="loopback-line")
                self._lines.append((thread, connection))
                thread.start()

    def _converse(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as received, suppress(OSError):
            for requests_received in _requests(received.readline, received.read):
                self.requests_received.append(requests_received)
                given = self._next(requests_received.target.partition("?")[0])
                if not isinstance(given, bytes):
                    given(Line(connection, self._stopping))
                    return
                connection.sendall(given)

    def _next(self, path: str) -> Answer:
        planned = self._answers[path] or [answer(status=404)]
        return planned.pop(0) if len(planned) > 1 else planned[0]


def _requests(read_line: Callable[[], bytes], read: Callable[[int], bytes]) -> Iterator[Heard]:
    while first := read_line():
        method, target, _ = first.decode().split(" ", 2)
        lines = iter(lambda: read_line().decode("latin-1").strip(), "")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        yield Heard(method, target, headers, read(int(headers.get("content-length", "0"))))
