"""Downloads ranges in parallel and verifies every chunk."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playdock_client.chunk_sink import ChunkSink
from playdock_client.connection import Server
from playdock_client.errors import BadResponse, RequestRefused, VersionChanged
from playdock_client.manifest import Chunk
from playdock_client.mirror import MIRROR_ERRORS, Mirror
from playdock_client.mirrors import Mirrors
from playdock_client.planning import Piece
from playdock_client.progress import Progress
from playdock_client.rate_limiter import CompressionPolicy, RateLimiter
from playdock_client.staging import Staging, Writer
from playdock_client.transport import Broken, RetryPolicy
from playdock_client.unpacking import ImageStream, ZstdFrames
from playdock_client.worker_pool import WorkerPool

_Batches = deque[tuple[Chunk, ...]]


@dataclass(frozen=True, slots=True)
class FetchContext:
    """Shared by the jobs of one installation."""

    server: Server
    mirrors: Mirrors
    staging: Staging
    sink: ChunkSink
    workers: WorkerPool
    retries: RetryPolicy
    limiter: RateLimiter
    compression: CompressionPolicy
    progress: Progress
    etags: dict[str, str] = field(default_factory=dict)

    def on_received(self, size: int) -> None:
        """Count received bytes, and wait if the rate limit requires it."""
        self.workers.check()
        self.progress.advance(0, fetched=size)
        self.limiter.take(size)

    def wait(self, broken: Broken) -> None:
        """Wait before the next attempt. Raises the error if there is none."""
        self.workers.check()
        self.retries.wait(broken)


def fetch(piece: Piece, context: FetchContext) -> None:
    """Download a piece, from a mirror if there is one, resuming after connection failures.

    Chunks of which the server sends wrong bytes are left for the next round.
    """
    batches: _Batches = deque(piece.batches())
    wrong: list[Chunk] = []
    with Writer(context.staging) as writer:
        while batches:
            mirror = context.mirrors.choose(piece.version, batches[0][0].image_offset, piece.end)
            if mirror is not None:
                _fetch_from(mirror, piece, batches, context, writer=writer)
                continue
            compressed = context.compression.choose()
            try:
                wrong += _stream(piece, batches, context, writer=writer, compressed=compressed)
            except Broken as broken:
                context.wait(broken)
                # The connection may fail again soon; with single chunks, less has to be downloaded again.
                batches = deque((chunk,) for batch in batches for chunk in batch)
            except (BadResponse, RequestRefused):
                if not compressed:
                    raise
                context.compression.disable()
    context.sink.report_wrong(wrong)


def _fetch_from(mirror: Mirror, piece: Piece, batches: _Batches, context: FetchContext, *, writer: Writer) -> None:
    """Remove batches from the queue as a mirror sends them correctly, until it fails or sends wrong bytes."""
    start = batches[0][0].image_offset
    try:
        with (
            mirror.range(start, piece.end, on_received=context.on_received) as body,
            context.workers.abortable(body),
        ):
            wrong = _read(body, batches, context, position=start, writer=writer, stop_if_wrong=True)
    except (*MIRROR_ERRORS, VersionChanged):
        context.workers.check()
        context.mirrors.report_failure(mirror)
        return
    if wrong:
        batches.extendleft((chunk,) for chunk in reversed(wrong))
        context.mirrors.report_wrong(mirror)
    else:
        context.mirrors.report_success(mirror)


def _stream(piece: Piece, batches: _Batches, context: FetchContext, *, writer: Writer, compressed: bool) -> list[Chunk]:
    """Remove batches from the queue as they are received, and return the chunks with wrong bytes."""
    started, start = time.monotonic(), batches[0][0].image_offset
    with _open_piece(piece, context, start=start, compressed=compressed) as plain, context.workers.abortable(plain):
        _check_image(piece.version, plain.etag, context)
        wrong = _read(plain, batches, context, position=start, writer=writer)
        if isinstance(plain, ZstdFrames):
            plain.finish()
    context.compression.record(compressed=compressed, size=piece.end - start, seconds=time.monotonic() - started)
    return wrong


def _read(
    plain: ImageStream,
    batches: _Batches,
    context: FetchContext,
    *,
    position: int,
    writer: Writer,
    stop_if_wrong: bool = False,
) -> list[Chunk]:
    """Read batches from a stream that begins at `position` of the image, and return the chunks with wrong bytes."""
    wrong: list[Chunk] = []
    while batches and not (wrong and stop_if_wrong):
        first, last = batches[0][0], batches[0][-1]
        if first.image_offset > position:
            plain.read_exactly(first.image_offset - position)
        wrong += context.sink.write_fetched(
            batches[0], plain.read_exactly(last.end - first.image_offset), writer=writer
        )
        position = last.end
        batches.popleft()
    return wrong


@contextmanager
def _open_piece(piece: Piece, context: FetchContext, *, start: int, compressed: bool) -> Iterator[ImageStream]:
    etag = context.etags.get(piece.version, "")
    if compressed:
        with context.server.frames(
            piece.version, start, piece.end, etag=etag, on_received=context.on_received
        ) as frames:
            yield frames
    else:
        with context.server.range(piece.version, start, piece.end, etag=etag, on_received=context.on_received) as body:
            yield body


def _check_image(version: str, etag: str, context: FetchContext) -> None:
    """Raise VersionChanged if the image's ETag differs from that of earlier pieces."""
    if context.etags.setdefault(version, etag) != etag:
        raise VersionChanged("The version was re-imported during the download.")
