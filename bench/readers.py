"""Readers: connections that receive bytes as fast as possible and discard them."""

import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlsplit

_BUFFER = 1024 * 1024
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Target:
    """What is read: a URL, its size, and the bearer token for it.

    With ``files`` it is the files with these names below the URL, each of that size, one after another.
    """

    address: str
    size: int
    token: str = ""
    files: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[str, int]:
        parts = urlsplit(self.address)
        return parts.hostname or "", parts.port or 80

    def request(self, span: tuple[int, int] | None = None, *, number: int = 0, close: bool = False) -> bytes:
        """Return a request for everything, for a range (end exclusive), or for the file with a number."""
        path = urlsplit(self.address).path + (f"/{self.files[number % len(self.files)]}" if self.files else "")
        lines = [f"GET {path} HTTP/1.1", "Host: bench"]
        lines += [f"Authorization: Bearer {self.token}"] if self.token else []
        lines += [f"Range: bytes={span[0]}-{span[1] - 1}"] if span else []
        lines += ["Connection: close"] if close else []
        return "\r\n".join([*lines, "", ""]).encode()

    def connect(self) -> socket.socket:
        return socket.create_connection(self.place)


@dataclass(frozen=True, slots=True)
class Habit:
    """How it is read: as a whole or in ranges, with a number of connections, kept open or new for every request."""

    connections: int
    length: int = 0
    new_each_time: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """The result of a measurement: seconds, bytes of bodies, and completed responses."""

    size: int
    answers: int
    seconds: float


def read_for(seconds: float, target: Target, habit: Habit) -> Read:
    """Read repeatedly with all connections at once, and stop at the end of the time."""
    view = memoryview(bytearray(_BUFFER))
    readers = [_Reader(target, habit, number) for number in range(habit.connections)]
    with ExitStack() as stack, select.epoll() as waiting:
        for reader in readers:
            stack.callback(reader.close)
        asking = {reader.ask(waiting): reader for reader in readers}
        start = time.perf_counter()
        while (now := time.perf_counter()) < start + seconds:
            for descriptor, _ in waiting.poll(1):
                reader = asking[descriptor]
                if reader.take(view):
                    asking[reader.ask(waiting)] = reader
    return Read(sum(reader.size for reader in readers), sum(reader.answers for reader in readers), now - start)


def read_slowly(seconds: float, target: Target, *, readers: int, rate: int) -> None:
    """Read everything with limited speed per connection, and stop at the end of the time."""
    with ExitStack() as stack:
        connections = [stack.enter_context(target.connect()) for _ in range(readers)]
        for connection in connections:
            connection.sendall(target.request())
        for connection in connections:
            _body_start(memoryview(connection.recv(rate)))
        start = time.monotonic()
        for second in range(round(seconds)):
            for connection in connections:
                assert connection.recv(rate), "The server closed the connection."
            time.sleep(max(start + second + 1 - time.monotonic(), 0))


class _Reader:
    """Read with one connection and one request at a time."""

    def __init__(self, target: Target, habit: Habit, number: int) -> None:
        self._target, self._habit = target, habit
        self._spans = _spans(target.size, habit.length, number) if habit.length else None
        self._connection: socket.socket | None = None
        self._left, self._in_head = 0, True
        self.size = self.answers = 0

    def ask(self, waiting: select.epoll) -> int:
        """Send the next request, and return the descriptor to wait for."""
        if self._connection and self._habit.new_each_time:
            self.close()
        if self._connection is None:
            self._connection = self._target.connect()
            waiting.register(self._connection, select.EPOLLIN)
        span = next(self._spans) if self._spans else None
        self._connection.sendall(self._target.request(span, number=self.answers, close=self._habit.new_each_time))
        self._left, self._in_head = span[1] - span[0] if span else self._target.size, True
        return self._connection.fileno()

    def take(self, view: memoryview) -> bool:
        """Read once, and return whether the response is complete."""
        assert self._connection is not None
        taken = self._connection.recv_into(view)
        assert taken, "The server closed the connection."
        if self._in_head:
            taken -= _body_start(view[:taken])
            self._in_head = False
        self.size += taken
        self._left -= taken
        self.answers += not self._left
        return not self._left

    def close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None


def _body_start(answer: memoryview) -> int:
    """Return the offset of the body of a successful response."""
    head, end, _ = bytes(answer[:4096]).partition(b"\r\n\r\n")
    assert end, head
    assert head[9:11] == b"20", head
    return len(head) + len(end)


def _spans(size: int, length: int, seed: int) -> Iterator[tuple[int, int]]:
    """Return pseudo-random ranges, the same for every caller."""
    for number in count(seed * 1000):
        start = int(number * _GOLDEN % 1 * (size - length))
        yield start, start + length
