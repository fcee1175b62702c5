"""Fetching: ranges in parallel, every chunk checked before it counts."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playdock_client.connection import Server
from playdock_client.crew import Crew
from playdock_client.errors import BadAnswer, Refused, VersionChanged
from playdock_client.intake import Intake
from playdock_client.manifest import Chunk
from playdock_client.pace import Limiter, Line
from playdock_client.planning import Piece
from playdock_client.progress import Progress
from playdock_client.staging import Staging, Writer
from playdock_client.transport import Broken, Patience
from playdock_client.unpacking import Frames, Plain

_Batches = deque[tuple[Chunk, ...]]


@dataclass(frozen=True, slots=True)
class Work:
    """What the jobs of one installation share."""

    server: Server
    staging: Staging
    intake: Intake
    crew: Crew
    patience: Patience
    limiter: Limiter
    line: Line
    progress: Progress
    etags: dict[str, str] = field(default_factory=dict)

    def gate(self, size: int) -> None:
        """Let bytes in that have come over the network."""
        self.crew.check()
        self.progress.advance(0, fetched=size)
        self.limiter.take(size)

    def wait(self, broken: Broken) -> None:
        """Wait before another try, if there is to be one."""
        self.crew.check()
        self.patience.wait(broken)


def fetch(piece: Piece, work: Work) -> None:
    """Fetch a piece, beginning again where the connection broke. What came wrong is left for another round."""
    batches: _Batches = deque(piece.batches())
    wrong: list[Chunk] = []
    with Writer(work.staging) as writer:
        while batches:
            packed = work.line.choose()
            try:
                wrong += _stream(piece, batches, work, writer=writer, packed=packed)
            except Broken as broken:
                work.wait(broken)
                # What breaks once may break again soon: chunk by chunk, less is lost by it.
                batches = deque((chunk,) for batch in batches for chunk in batch)
            except (BadAnswer, Refused):
                if not packed:
                    raise
                work.line.distrust()
    work.intake.complain(wrong)


def _stream(piece: Piece, batches: _Batches, work: Work, *, writer: Writer, packed: bool) -> list[Chunk]:
    """Take batches out of the queue as they come, and give the chunks that came wrong."""
    begun, start = time.monotonic(), batches[0][0].place
    wrong: list[Chunk] = []
    place = start
    with _opened(piece, work, start=start, packed=packed) as plain, work.crew.watching(plain):
        _check_image(piece.version, plain.etag, work)
        while batches:
            first, last = batches[0][0], batches[0][-1]
            if first.place > place:
                plain.exactly(first.place - place)
            wrong += work.intake.take_fetched(batches[0], plain.exactly(last.end - first.place), writer=writer)
            place = last.end
            batches.popleft()
        if isinstance(plain, Frames):
            plain.finish()
    work.line.learn(packed=packed, size=piece.end - start, seconds=time.monotonic() - begun)
    return wrong


@contextmanager
def _opened(piece: Piece, work: Work, *, start: int, packed: bool) -> Iterator[Plain]:
    known = work.etags.get(piece.version, "")
    if packed:
        with work.server.frames(piece.version, start, piece.end, etag=known, gate=work.gate) as frames:
            yield frames
    else:
        with work.server.range(piece.version, start, piece.end, etag=known, gate=work.gate) as body:
            yield body


def _check_image(version: str, etag: str, work: Work) -> None:
    """All pieces must be of the same image, or the version was imported again between two of them."""
    if work.etags.setdefault(version, etag) != etag:
        raise VersionChanged("The version was imported again meanwhile.")
