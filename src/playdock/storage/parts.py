"""Parts of a large version, which several nodes read at the same time.

A part is a run of files, or a range of a large one. The results of all parts together are those of one pass.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from itertools import pairwise

import msgspec
from msgspec import Struct

from playdock.content.chunks import DigestedRange, RangeDigester
from playdock.content.records import Checkpoint, FileRange, ScanState
from playdock.storage.entries import Files, Reader, TreeEntry
from playdock.storage.ingest import Earlier, ingest, sections, unchanged
from playdock.storage.installer_tree import InstallerTree
from playdock.storage.sequential_tree import SequentialTree

# Frequent enough to notice a cancellation soon.
_SECONDS_BETWEEN_CHECKS = 0.5
# In a smaller range, finding the boundaries of a complete pass would take too large a share.
_MIN_RANGE_BYTES = 64 * 1024 * 1024


class VersionPart(Struct, frozen=True, array_like=True):
    """Files to read completely or, with ``last``, a range of the only one, from byte ``first`` to ``last``."""

    entries: tuple[TreeEntry, ...]
    first: int = 0
    last: int | None = None

    @property
    def size(self) -> int:
        """The number of bytes to read."""
        return sum(entry.size for entry in self.entries) if self.last is None else self.last - self.first


class PartLimits(Struct, frozen=True):
    """How large a part becomes: it ends with the file that reaches one of these, and ranges are not larger."""

    size: int = 2 * 1024**3
    files: int = 20_000


class Unread(Struct, frozen=True):
    """A file that is not known completely; ``gaps`` are the ranges of it that are not known."""

    entry: TreeEntry
    gaps: tuple[tuple[int, int], ...]


def consists_of_single_files(tree: Files) -> bool:
    """Return whether any file can be read without unpacking the whole version."""
    return not isinstance(tree, SequentialTree | InstallerTree)


def unread(entries: Sequence[TreeEntry], earlier: Earlier) -> Iterator[Unread]:
    """Yield the files that are not known completely, in order."""
    for files in sections(entries):
        known = earlier.within(files[0].path, files[-1].path) if files else ScanState()
        complete = {entry.path for entry, _ in unchanged(files, known.files)}
        covered: dict[str, list[tuple[int, int]]] = {}
        for entry, partial in unchanged(files, known.partials):
            covered.setdefault(entry.path, []).append((partial.start, partial.offset))
        for entry, part in unchanged(files, known.ranges):
            covered.setdefault(entry.path, []).append((part.digested.start, part.digested.end))
        for entry in files:
            if entry.path not in complete:
                yield Unread(entry, tuple(_gaps(entry.size, covered.get(entry.path, ()))))


def parts_of(
    files: Iterable[Unread], limits: PartLimits, *, can_seek: Callable[[TreeEntry], bool]
) -> Iterator[VersionPart]:
    """Divide files into parts. Only those larger than a part that ``can_seek`` are divided."""
    run: list[TreeEntry] = []
    size = 0
    for file in files:
        if file.entry.size > limits.size and can_seek(file.entry):
            for first, last in file.gaps:
                yield from (VersionPart((file.entry,), *each) for each in _divided(first, last, most=limits.size))
            continue
        run.append(file.entry)
        size += file.entry.size
        if size >= limits.size or len(run) >= limits.files:
            yield VersionPart(tuple(run))
            run, size = [], 0
    if run:
        yield VersionPart(tuple(run))


def can_seek(reader: Reader, entry: TreeEntry) -> bool:
    """Return whether reading a file can begin in the middle. Raises as readers do."""
    with reader.open(entry, offset=1) as source:
        return source.start == 1


def read_part(tree: Files, part: VersionPart, *, workers: int, checkpoint: Callable[[Checkpoint], None]) -> None:
    """Read a part with a number of threads. ``checkpoint`` is called as by `ingest`. Raises as `ingest`."""
    if part.last is None:
        ingest(tree, entries=part.entries, workers=workers, checkpoint=checkpoint)
        return
    (entry,) = part.entries
    most = max(_MIN_RANGE_BYTES, -(-part.size // workers))
    reading = [_RangeReading(tree, entry, *each) for each in _divided(part.first, part.last, most=most)]

    def report() -> None:
        checkpoint(Checkpoint((), (), sum(each.done for each in reading), part.size))

    with ThreadPoolExecutor(workers, thread_name_prefix="part") as pool:
        try:
            running = {pool.submit(each.read) for each in reading}
            ranges: list[DigestedRange] = []
            while running:
                done, running = wait(running, timeout=_SECONDS_BETWEEN_CHECKS, return_when=FIRST_EXCEPTION)
                ranges += [each.result() for each in done]
                report()
        finally:
            for each in reading:
                each.stopped = True
    records = tuple(FileRange(entry.path, entry.size, entry.mtime_ns, each) for each in sorted(ranges))
    checkpoint(Checkpoint((), (), part.size, part.size, records))


class _RangeReading(Struct):
    """Reads a range in one thread. ``done`` are the bytes read so far; setting ``stopped`` ends it."""

    tree: Files
    entry: TreeEntry
    first: int
    last: int
    done: int = 0
    stopped: bool = False

    def read(self) -> DigestedRange:
        digester = RangeDigester(self.first, self.last)
        at_end = False
        with self.tree.reader() as reader, reader.open(self.entry, offset=digester.position) as source:
            while not (at_end or digester.is_complete or self.stopped):
                count = source.readinto(digester.buffer)
                digester.feed(count)
                at_end = not count
                self.done = min(self.last, max(self.first, digester.position)) - self.first
        return digester.finish_range(at_end_of_file=at_end)


def _gaps(size: int, covered: Collection[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    position = 0
    for start, end in sorted(covered):
        if start > position:
            yield position, start
        position = max(position, end)
    if position < size:
        yield position, size


def _divided(first: int, last: int, *, most: int) -> Iterator[tuple[int, int]]:
    """Divide a range into about equal ones."""
    count = -(-(last - first) // most)
    bounds = [first + (last - first) * number // count for number in range(count + 1)]
    return pairwise(bounds)


def encode_part(part: VersionPart) -> bytes:
    """Return a serialized part."""
    return msgspec.msgpack.encode(part)


def decode_part(data: bytes) -> VersionPart:
    """Return the part in the result of `encode_part`, from the same database."""
    return msgspec.msgpack.decode(data, type=VersionPart)
