"""What comes, from wherever: only the right bytes are written, and only what is written is noted."""

import threading
from collections import Counter
from collections.abc import Sequence

from playdock_client.crew import Crew
from playdock_client.errors import WrongBytes
from playdock_client.manifest import Chunk
from playdock_client.names import quoted
from playdock_client.planning import count_bytes
from playdock_client.progress import Notice, NoticeKind, Progress
from playdock_client.staging import Staging, Writer, is_chunk
from playdock_client.transport import Patience

_MOST_TRIES = 3


class Intake:
    """The way of all bytes into the staging; `fetched` counts those the server sent, before it compressed them."""

    def __init__(self, staging: Staging, *, crew: Crew, patience: Patience, progress: Progress) -> None:
        self._staging = staging
        self._crew = crew
        self._patience = patience
        self._progress = progress
        self._lock = threading.Lock()
        self._wrong: Counter[int] = Counter()
        self.fetched = 0

    def take_fetched(self, chunks: Sequence[Chunk], data: memoryview | bytes, *, writer: Writer) -> list[Chunk]:
        """Take what the server sent."""
        wrong = self.take(chunks, data, writer=writer)
        self.count(count_bytes(chunks) - count_bytes(wrong))
        return wrong

    def count(self, fetched: int) -> None:
        """Count bytes that the server sent for something."""
        with self._lock:
            self.fetched += fetched

    def take(self, chunks: Sequence[Chunk], data: memoryview | bytes, *, writer: Writer) -> list[Chunk]:
        """Take chunks whose bytes lie one after the other, and give those whose bytes are wrong."""
        self._crew.check()
        view, place = memoryview(data), 0
        good: list[Chunk] = []
        wrong: list[Chunk] = []
        for chunk in chunks:
            part = view[place : place + chunk.length]
            place += chunk.length
            if is_chunk(part, chunk):
                writer.write(chunk, part)
                good.append(chunk)
            else:
                wrong.append(chunk)
        if good:
            self._note(good)
        return wrong

    def complain(self, chunks: Sequence[Chunk]) -> None:
        """Take note that the server sent chunks wrong. Raises WrongBytes for one that came so too often."""
        for chunk in chunks:
            with self._lock:
                self._wrong[chunk.number] += 1
                tries = self._wrong[chunk.number]
            path = quoted(chunk.file.path)
            if tries >= _MOST_TRIES:
                raise WrongBytes(
                    f"{path} came damaged {tries} times. What was fetched until now is kept; try again later, "
                    "and if it stays like this, have the server's admin check the version."
                )
            notice = Notice(NoticeKind.RETRIED, f"A part of {path} came damaged and is fetched again.", chunk.file.path)
            self._progress.notice(notice)

    @property
    def has_complaints(self) -> bool:
        return bool(self._wrong)

    def _note(self, chunks: Sequence[Chunk]) -> None:
        self._staging.note(chunks)
        self._patience.reward()
        self._progress.at(chunks[-1].file.path)
        self._progress.advance(count_bytes(chunks))
