"""Verifies chunks from any source before they are written and recorded."""

import threading
from collections import Counter
from collections.abc import Sequence

from playdock_client.errors import WrongBytes
from playdock_client.manifest import Chunk
from playdock_client.names import quoted
from playdock_client.planning import count_bytes
from playdock_client.progress import Notice, NoticeKind, Progress
from playdock_client.staging import Staging, Writer, is_chunk
from playdock_client.transport import RetryPolicy
from playdock_client.worker_pool import WorkerPool

# A damaged transfer succeeds on the second attempt; three failures mean damage on the server.
_MAX_TRIES = 3


class ChunkSink:
    """Writes all bytes into the staging folder. `fetched` counts the bytes sent by the server, uncompressed."""

    def __init__(self, staging: Staging, *, workers: WorkerPool, retries: RetryPolicy, progress: Progress) -> None:
        self._staging = staging
        self._workers = workers
        self._retries = retries
        self._progress = progress
        self._lock = threading.Lock()
        self._wrong: Counter[int] = Counter()
        self.fetched = 0

    def write_fetched(self, chunks: Sequence[Chunk], data: memoryview | bytes, *, writer: Writer) -> list[Chunk]:
        """Write chunks sent by the server, and return those with wrong bytes."""
        wrong = self.write(chunks, data, writer=writer)
        self.count(count_bytes(chunks) - count_bytes(wrong))
        return wrong

    def count(self, fetched: int) -> None:
        """Add to the number of bytes sent by the server."""
        with self._lock:
            self.fetched += fetched

    def write(self, chunks: Sequence[Chunk], data: memoryview | bytes, *, writer: Writer) -> list[Chunk]:
        """Write consecutive chunks, and return those with wrong bytes."""
        self._workers.check()
        view, position = memoryview(data), 0
        valid: list[Chunk] = []
        wrong: list[Chunk] = []
        for chunk in chunks:
            part = view[position : position + chunk.length]
            position += chunk.length
            if is_chunk(part, chunk):
                writer.write(chunk, part)
                valid.append(chunk)
            else:
                wrong.append(chunk)
        if valid:
            self._note(valid)
        return wrong

    def report_wrong(self, chunks: Sequence[Chunk]) -> None:
        """Count chunks that the server sent with wrong bytes. Raises WrongBytes if one is wrong too often."""
        for chunk in chunks:
            with self._lock:
                self._wrong[chunk.number] += 1
                tries = self._wrong[chunk.number]
            path = quoted(chunk.file.path)
            if tries >= _MAX_TRIES:
                raise WrongBytes(
                    f"{path} was received damaged {tries} times. The download so far is kept. Try again later; if the "
                    "problem persists, ask the administrator to verify the version."
                )
            notice = Notice(
                NoticeKind.RETRIED, f"A part of {path} was received damaged and is downloaded again.", chunk.file.path
            )
            self._progress.notice(notice)

    @property
    def has_wrong_chunks(self) -> bool:
        return bool(self._wrong)

    def _note(self, chunks: Sequence[Chunk]) -> None:
        self._staging.note(chunks)
        self._retries.reset()
        self._progress.at(chunks[-1].file.path)
        self._progress.advance(count_bytes(chunks))
