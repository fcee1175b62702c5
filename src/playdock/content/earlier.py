"""What an import knows before it reads a version: the records of an earlier import, and its own checkpoints.

A version may have a million files, so checkpoints are not combined as a whole. They are decoded once to find out which
paths each has, and again for the section of the version that is being read.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from playdock.content.records import Checkpoint, FileRecord, ScanState, decode_checkpoint, gather


def _path(file: FileRecord) -> str:
    return file.path


class _Span(NamedTuple):
    """A stored checkpoint, and its first and last path."""

    number: int
    first: str
    last: str


class EarlierResults:
    """The records of ``known`` files, sorted by path, and the checkpoints with some numbers, oldest first.

    ``load`` returns a serialized checkpoint, or None if it is gone. Files in ``without`` are not known. ``files``,
    ``parts`` and ``size`` are the numbers of digested files, of unfinished ones, and of their bytes in checkpoints.
    """

    def __init__(
        self,
        numbers: Iterable[int],
        load: Callable[[int], bytes | None],
        *,
        known: Sequence[FileRecord] = (),
        without: Collection[str] = (),
    ) -> None:
        """Raise UnreadableRecord if a checkpoint is damaged or has an unknown format."""
        self._load = load
        self._known = known
        self._without = without
        self._spans: list[_Span] = []
        self.files = self.size = 0
        unfinished: dict[str, int] = {}
        for number in numbers:
            checkpoint = self._decoded(number)
            paths = [file.path for file in checkpoint.files] + [partial.path for partial in checkpoint.partials]
            paths += [part.path for part in checkpoint.ranges]
            if not paths:
                continue
            self._spans.append(_Span(number, min(paths), max(paths)))
            self.files += len(checkpoint.files)
            self.size += sum(file.size for file in checkpoint.files)
            unfinished |= {partial.path: partial.offset for partial in checkpoint.partials}
            for part in checkpoint.ranges:
                unfinished[part.path] = unfinished.get(part.path, 0) + part.digested.end - part.digested.start
            for file in checkpoint.files:
                unfinished.pop(file.path, None)
        self.parts = len(unfinished)
        self.size += sum(unfinished.values())

    def within(self, first: str, last: str) -> ScanState:
        """Return what is known of the files from one path to another, including both."""
        spans = (span for span in self._spans if span.first <= last and first <= span.last)
        found = gather(_restricted(self._decoded(span.number), first, last) for span in spans)
        return ScanState((*self._known_within(first, last), *found.files), found.partials, found.ranges)

    def _known_within(self, first: str, last: str) -> Iterator[FileRecord]:
        start = bisect_left(self._known, first, key=_path)
        following = (self._known[place] for place in range(start, len(self._known)))
        section = takewhile(lambda file: file.path <= last, following)
        return (file for file in section if file.path not in self._without)

    def _decoded(self, number: int) -> Checkpoint:
        data = self._load(number)
        return decode_checkpoint(data) if data is not None else Checkpoint((), (), 0, 0)


def _restricted(checkpoint: Checkpoint, first: str, last: str) -> Checkpoint:
    files = tuple(file for file in checkpoint.files if first <= file.path <= last)
    partials = tuple(partial for partial in checkpoint.partials if first <= partial.path <= last)
    ranges = tuple(part for part in checkpoint.ranges if first <= part.path <= last)
    return Checkpoint(files, partials, checkpoint.done, checkpoint.total, ranges)
