"""Transfers: sending one body to one socket.

Long spans of files are copied by the kernel from the page cache to the socket (sendfile). Short spans and the bytes
between them are read together and written with one call, because a system call for each would cost more than copying.
Bytes that were read but could not be written are discarded and read again later, except for a small remainder, so that
slow readers use no memory.

A `Transfer` sends in a thread until the socket is full. Between such calls the `SocketWriter` waits for the socket on
the event loop, and only the current file is kept open.
"""

import asyncio
import os
import select
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from enum import Enum
from time import monotonic
from typing import Protocol

from msgspec import Struct, field

from playdock.content.bodies import Piece, Span
from playdock.content.damage import FileProblem
from playdock.sending.files import ContentMismatch, OpenedFile, Opener, read
from playdock.sending.limits import TransferPermit

# The key of the scope's extensions under which an application finds the connection's protocol.
WRITER_EXTENSION = "playdock.socket_writer"
# The time of one call. Without a limit, a fast reader would block a thread for other readers of the same library.
MAX_SEND_SECONDS = 0.25
# Copying shorter spans costs less than a sendfile call for each.
MIN_SENDFILE_BYTES = 128 * 1024
# Short spans are read up to this size before they are written.
_BUFFER_BYTES = 1024 * 1024
# Waiting briefly in the thread costs less than switching to the event loop and back.
_SOCKET_WAIT_MILLISECONDS = 5
# Reading fewer bytes again costs more than keeping them.
_MAX_KEPT_BYTES = 64 * 1024
# Bounds the memory for pieces that are very short.
_MAX_GATHERED_PIECES = 1024
# Bandwidth is granted in parts, so that a changed limit also applies to running transfers.
_MAX_GRANT_BYTES = 256 * 1024 * 1024


class ReaderGone(Exception):
    """The client closed the connection before the whole body was sent."""


class SendState(Enum):
    """Why sending stopped: everything is sent, the socket is full, or the time or byte limit of the call is reached."""

    DONE = "done"
    FULL = "full"
    INTERRUPTED = "interrupted"


class SendResult(Struct, frozen=True):
    """Why sending stopped, and how many bytes were sent."""

    state: SendState
    sent: int


class Transfer(Struct):
    """The unsent rest of a body. `send_some` is called by one thread at a time, and `close` at the end.

    ``sent`` is the number of bytes sent by all calls, including failed ones.
    """

    pieces: Iterator[Piece]
    opener: Opener
    sent: int = 0
    _next: Piece | None = None
    _span: Span | None = None
    _opened: OpenedFile | None = None
    _gathered: list[Piece] = field(default_factory=list)
    _rest: bytes = b""
    _written: int = 0

    def send_some(self, descriptor: int, *, max_bytes: int) -> SendResult:
        """Send at most ``max_bytes`` bytes to a nonblocking socket.

        Raises:
            ContentMismatch: a file has changed since the import; nothing more may be sent.
            OSError: the disk failed, or the client closed the connection.
        """
        sending = _SendCall(descriptor, max_bytes, until=monotonic() + MAX_SEND_SECONDS)
        try:
            while sending.can_continue and self._take(sending.max_bytes - sending.sent):
                self._send_span(sending) if self._span else self._send_gathered(sending)
        finally:
            self.sent += sending.sent
            self.opener.release()
        if sending.full:
            return SendResult(SendState.FULL, sending.sent)
        return SendResult(SendState.INTERRUPTED if self._take(_MAX_KEPT_BYTES) else SendState.DONE, sending.sent)

    def close(self) -> None:
        """Close the file that is being sent."""
        if self._opened:
            self._opened.close()
            self._opened = None
        self.opener.release()

    def _take(self, max_bytes: int) -> bool:
        """Take the next pieces, about ``max_bytes`` bytes, unless some are left. Return whether there are any."""
        if self._span or self._gathered or self._rest:
            return True
        room = min(_BUFFER_BYTES, max(max_bytes, _MAX_KEPT_BYTES))
        while len(self._gathered) < _MAX_GATHERED_PIECES and (piece := self._next_piece()) is not None:
            length = _length(piece)
            if isinstance(piece, Span) and length >= MIN_SENDFILE_BYTES and not self._gathered:
                self._span = piece
                return True
            if length > room or (isinstance(piece, Span) and length >= MIN_SENDFILE_BYTES):
                self._next = piece
                return True
            self._gathered.append(piece)
            room -= length
        return bool(self._gathered)

    def _next_piece(self) -> Piece | None:
        if self._next is not None:
            piece, self._next = self._next, None
            return piece
        return next(self.pieces, None)

    def _send_span(self, sending: "_SendCall") -> None:
        span = self._span
        assert span is not None
        if self._opened is None:
            self._opened = self.opener.open(span.file, span.offset)
        opened = self._opened
        opened.check()
        position, length = opened.base + span.offset, min(span.length, opened.end - span.offset)
        count = sending.send(lambda limit: _sendfile(sending.descriptor, opened, position, min(length, limit)))
        self._span = Span(span.file, span.offset + count, span.length - count) if count < span.length else None
        if count == length:
            opened.check()
            self._opened = None
            opened.close()

    def _send_gathered(self, sending: "_SendCall") -> None:
        data = memoryview(self._rest or self._read())
        while self._written < len(data) and sending.can_continue:
            self._written += sending.send(lambda limit: os.write(sending.descriptor, data[self._written :][:limit]))
        if len(data) - self._written <= _MAX_KEPT_BYTES:
            self._rest = bytes(data[self._written :])
            self._gathered.clear()
            self._written = 0

    def _read(self) -> bytes:
        return b"".join(piece if isinstance(piece, bytes) else read(piece, self.opener) for piece in self._gathered)


class _SendCall(Struct):
    """The state of one call of `Transfer.send_some`."""

    descriptor: int
    max_bytes: int
    until: float
    sent: int = 0
    full: bool = False

    @property
    def can_continue(self) -> bool:
        return not self.full and self.sent < self.max_bytes and monotonic() < self.until

    def send(self, call: Callable[[int], int]) -> int:
        """Call a function with the number of bytes it may send. Return how many it sent, 0 if the socket is full."""
        try:
            count = call(self.max_bytes - self.sent)
        except BlockingIOError:
            poll = select.poll()
            poll.register(self.descriptor, select.POLLOUT)
            self.full = not poll.poll(_SOCKET_WAIT_MILLISECONDS)
            return 0
        self.sent += count
        return count


class Connection(Protocol):
    """The part of the HTTP server's connection that a `SocketWriter` uses."""

    @property
    def closed(self) -> bool:
        """Whether the client has closed the connection."""
        ...

    @property
    def socket(self) -> socket.socket: ...

    async def drained(self) -> None:
        """Wait until everything that the server has written has been passed to the socket."""
        ...

    def record(self, sent: int) -> None:
        """Record that ``sent`` bytes of the response's body have been sent."""
        ...

    def abort(self) -> None:
        """Close the connection at once."""
        ...


class SocketWriter:
    """Sends bodies of responses to a connection's socket, bypassing the interpreter and the server.

    It writes to a duplicate descriptor of the socket, after the server has written the header. The server continues to
    read from the connection, so that a closed connection is detected immediately.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Future[None] | None = None

    async def send(self, transfer: Transfer, *, length: int, threads: Executor, permit: TransferPermit) -> None:
        """Send a body of ``length`` bytes after the header. The transfer is always closed.

        Raises:
            ReaderGone: the connection was closed before the end.
            ContentMismatch, LocationUnavailable, OSError: raised by the transfer; the connection was aborted.
        """
        descriptor = self._duplicate_descriptor()
        sent = 0
        try:
            await self._connection.drained()
            while sent < length:
                sent += await self._send_some(transfer, descriptor, left=length - sent, threads=threads, permit=permit)
        except (BrokenPipeError, ConnectionResetError):
            raise ReaderGone from None
        finally:
            transfer.close()
            os.close(descriptor)
            self._connection.record(sent)
            if sent < length:
                self.abort()

    @property
    def gone(self) -> bool:
        """Whether the client has closed the connection."""
        return self._connection.closed

    async def drained(self) -> None:
        """Wait until everything that was written has been passed to the socket."""
        await self._connection.drained()

    def abort(self) -> None:
        """Close the connection, so that the client does not take an incomplete body for a complete one."""
        self._connection.abort()

    def close(self) -> None:
        """Do nothing: the writer keeps no resources between two bodies."""

    def resume(self) -> None:
        """Wake the sender: the socket is writable or closed."""
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    def _duplicate_descriptor(self) -> int:
        """Return a new descriptor of the socket, which is nonblocking like the original."""
        if self._connection.closed:
            raise ReaderGone
        return os.dup(self._connection.socket.fileno())

    async def _send_some(
        self, transfer: Transfer, descriptor: int, *, left: int, threads: Executor, permit: TransferPermit
    ) -> int:
        if self._connection.closed:
            raise ReaderGone
        allowed = await permit.wait_for_bandwidth(min(left, _MAX_GRANT_BYTES))
        before = transfer.sent
        try:
            result = await self._send_in_thread(threads, transfer, descriptor, max_bytes=allowed)
        finally:
            permit.record(allowed, transfer.sent - before)
        if result.state is SendState.FULL:
            await self._wait_until_writable(descriptor)
        return result.sent

    async def _send_in_thread(
        self, threads: Executor, transfer: Transfer, descriptor: int, *, max_bytes: int
    ) -> SendResult:
        """Send in a thread. Return only when it has ended, even if cancelled, because it uses the files until then."""
        running = self._loop.run_in_executor(threads, lambda: transfer.send_some(descriptor, max_bytes=max_bytes))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise

    async def _wait_until_writable(self, descriptor: int) -> None:
        self._waiting = self._loop.create_future()
        self._loop.add_writer(descriptor, self.resume)
        try:
            await self._waiting
        finally:
            self._loop.remove_writer(descriptor)
            self._waiting = None


def _length(piece: Piece) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.length


def _sendfile(descriptor: int, opened: OpenedFile, position: int, count: int) -> int:
    sent = os.sendfile(descriptor, opened.descriptor, position, count)
    if not sent:
        raise ContentMismatch(opened.file, FileProblem.CHANGED)
    return sent
