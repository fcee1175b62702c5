"""A transfer: one body on its way to one socket.

Long spans of files go from the page cache to the socket (sendfile). Short ones, and what lies between them, are read
together and written at once, since a call of the system for each would cost more than copying. What was gathered and
could not be written yet is forgotten and read again, but for a little: a reader who takes hours costs no memory.
"""

import os
import select
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from time import monotonic

from playdock.content.bodies import Piece, Span
from playdock.content.damage import FileFault
from playdock.sending.files import ContentGone, OpenedFile, Opener

STINT_SECONDS = 0.25
GATHERED = 128 * 1024
_BUFFER = 1024 * 1024
_PATIENCE_MILLISECONDS = 5
_CHECKED_BEFORE = 256
_LITTLE = 64 * 1024
_MOST_GATHERED = 1024


class State(Enum):
    """How a stint ended: all is sent, the socket takes no more for now, or its time is over."""

    DONE = "done"
    FULL = "full"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Stint:
    """What a stint came to; ``sent`` is bytes."""

    state: State
    sent: int


@dataclass(slots=True)
class Transfer:
    """The rest of a body. One thread at a time takes a `stint`; at the end somebody calls `close`.

    ``sent`` are the bytes of all stints, also of one that failed in the middle.
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

    def stint(self, descriptor: int, *, most: int) -> Stint:
        """Send to a socket that does not block, at most so many bytes.

        Raises:
            ContentGone: a file is not as it was imported; nothing more may be sent.
            OSError: the disk failed, or the reader has gone.
        """
        sending = _Sending(descriptor, most, until=monotonic() + STINT_SECONDS)
        try:
            while sending.goes_on and self._take(sending.most - sending.sent):
                self._send_span(sending) if self._span else self._send_gathered(sending)
        finally:
            self.sent += sending.sent
            self.opener.rest()
        if sending.full:
            return Stint(State.FULL, sending.sent)
        return Stint(State.INTERRUPTED if self._take(_LITTLE) else State.DONE, sending.sent)

    def close(self) -> None:
        """Let go of the file that is being sent."""
        if self._opened:
            self._opened.close()
            self._opened = None
        self.opener.rest()

    def _take(self, most: int) -> bool:
        """See to it that there is something to send, not much more than may be; tell whether there is."""
        if self._span or self._gathered or self._rest:
            return True
        room = min(_BUFFER, max(most, _LITTLE))
        while len(self._gathered) < _MOST_GATHERED and (piece := self._following()) is not None:
            length = _length(piece)
            if isinstance(piece, Span) and length >= GATHERED and not self._gathered:
                self._span = piece
                return True
            if length > room or (isinstance(piece, Span) and length >= GATHERED):
                self._next = piece
                return True
            self._gathered.append(piece)
            room -= length
        return bool(self._gathered)

    def _following(self) -> Piece | None:
        if self._next is not None:
            piece, self._next = self._next, None
            return piece
        return next(self.pieces, None)

    def _send_span(self, sending: "_Sending") -> None:
        span = self._span
        assert span is not None
        if self._opened is None:
            self._opened = self.opener.open(span.file)
        opened = self._opened
        opened.check()
        position = opened.base + span.offset
        count = sending.send(lambda most: _sendfile(sending.descriptor, opened, position, min(span.length, most)))
        self._span = Span(span.file, span.offset + count, span.length - count) if count < span.length else None
        if self._span is None:
            opened.check()
            self._opened = None
            opened.close()

    def _send_gathered(self, sending: "_Sending") -> None:
        data = memoryview(self._rest or self._read())
        while self._written < len(data) and sending.goes_on:
            self._written += sending.send(lambda most: os.write(sending.descriptor, data[self._written :][:most]))
        if len(data) - self._written <= _LITTLE:
            self._rest = bytes(data[self._written :])
            self._gathered.clear()
            self._written = 0

    def _read(self) -> bytes:
        return b"".join(piece if isinstance(piece, bytes) else read(piece, self.opener) for piece in self._gathered)


@dataclass(slots=True)
class _Sending:
    """One stint at a socket."""

    descriptor: int
    most: int
    until: float
    sent: int = 0
    full: bool = False

    @property
    def goes_on(self) -> bool:
        return not self.full and self.sent < self.most and monotonic() < self.until

    def send(self, call: Callable[[int], int]) -> int:
        """Make a call that sends at most so many bytes; give how many it were, 0 if the socket takes none for now."""
        try:
            count = call(self.most - self.sent)
        except BlockingIOError:
            waiting = select.poll()
            waiting.register(self.descriptor, select.POLLOUT)
            self.full = not waiting.poll(_PATIENCE_MILLISECONDS)
            return 0
        self.sent += count
        return count


def read(span: Span, opener: Opener) -> bytes:
    """Read a short span.

    Raises:
        ContentGone: the file is not as it was imported.
        OSError: the disk failed.
    """
    opened = opener.open(span.file)
    try:
        data = os.pread(opened.descriptor, span.length, opened.base + span.offset)
        opened.check()
    finally:
        opened.close()
    if len(data) != span.length:
        raise ContentGone(span.file, FileFault.CHANGED)
    return data


def plain(pieces: Iterator[Piece], opener: Opener) -> Iterator[bytes]:
    """Read pieces one after the other, at most 1 MiB at a time; nothing is open in between.

    Raises:
        ContentGone: a file is not as it was imported.
        OSError: the disk failed.
    """
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
            continue
        for offset in range(0, piece.length, _BUFFER):
            try:
                data = read(Span(piece.file, piece.offset + offset, min(_BUFFER, piece.length - offset)), opener)
            finally:
                opener.rest()
            yield data


def check_first(pieces: Iterator[Piece], opener: Opener) -> None:
    """Open the first file of a body, and look at those that follow, before anything of it is promised.

    Raises:
        ContentGone: one is not as it was imported.
        OSError: the disk cannot tell.
    """
    looked_at: set[tuple[int, str]] = set()
    for piece in pieces:
        if isinstance(piece, Span) and (key := (piece.file.image, piece.file.path)) not in looked_at:
            if looked_at:
                opener.check(piece.file)
            else:
                opener.open(piece.file).close()
            looked_at.add(key)
        if len(looked_at) >= _CHECKED_BEFORE:
            break
    opener.rest()


def _length(piece: Piece) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.length


def _sendfile(descriptor: int, opened: OpenedFile, position: int, count: int) -> int:
    sent = os.sendfile(descriptor, opened.descriptor, position, count)
    if not sent:
        raise ContentGone(opened.file, FileFault.CHANGED)
    return sent
