"""Parts of a large version, which several nodes read at the same time.

A part is a run of files, and of ranges of large ones. The results of all parts together are those of one pass.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from itertools import pairwise

import msgspec
from msgspec import Struct

from playdock.content.chunks import RangeDigester
from playdock.content.errors import UnreadableRecord
from playdock.content.records import Checkpoint, FileRange, ScanState
from playdock.storage.entries import Files, TreeEntry
from playdock.storage.folder_tree import FolderTree
from playdock.storage.ingest import Earlier, ingest, sections, unchanged
from playdock.storage.s3_tree import S3Tree

_FORMAT = b"playdock-part\x01"
# Frequent enough to notice a cancellation soon.
_SECONDS_BETWEEN_CHECKS = 0.5
# In a smaller range, finding the boundaries of a complete pass would take too large a share.
_MIN_RANGE_BYTES = 64 * 1024 * 1024


class PartRange(Struct, frozen=True, array_like=True):
    """The bytes of a file from ``first`` to ``last``."""

    entry: TreeEntry
    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first


class VersionPart(Struct, frozen=True, array_like=True):
    """Files to read completely, and ranges of others."""

    entries: tuple[TreeEntry, ...] = ()
    ranges: tuple[PartRange, ...] = ()

    @property
    def size(self) -> int:
        """The number of bytes to read."""
        return sum(entry.size for entry in self.entries) + sum(each.size for each in self.ranges)


class PartLimits(Struct, frozen=True):
    """How large a part becomes, in bytes and files: it ends with what reaches one of these.

    Larger files than ``undivided`` are read in ranges, so that no thread has a much larger share than others.
    """

    size: int = 2 * 1024**3
    files: int = 20_000
    undivided: int = 256 * 1024**2


class Unread(Struct, frozen=True):
    """A file that is not known completely; ``gaps`` are the ranges of it that are not known."""

    entry: TreeEntry
    gaps: tuple[tuple[int, int], ...]


def is_divisible(tree: Files) -> bool:
    """Return whether several nodes can read parts of a version. An archive would be opened by each of them."""
    return isinstance(tree, FolderTree | S3Tree)


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


def parts_of(files: Iterable[Unread], limits: PartLimits) -> Iterator[VersionPart]:
    """Divide files into parts."""
    entries: list[TreeEntry] = []
    ranges: list[PartRange] = []
    size = 0
    for piece in _pieces(files, limits):
        if isinstance(piece, PartRange):
            ranges.append(piece)
        else:
            entries.append(piece)
        size += piece.size
        if size >= limits.size or len(entries) >= limits.files:
            yield VersionPart(tuple(entries), tuple(ranges))
            entries, ranges, size = [], [], 0
    if entries or ranges:
        yield VersionPart(tuple(entries), tuple(ranges))


def read_part(tree: Files, part: VersionPart, *, workers: int, checkpoint: Callable[[Checkpoint], None]) -> None:
    """Read a part with a number of threads. ``checkpoint`` is called as by `ingest`. Raises as `ingest`."""
    done = sum(each.size for each in part.ranges)
    _read_ranges(tree, part, workers=workers, checkpoint=checkpoint)

    def with_ranges(read: Checkpoint) -> None:
        checkpoint(msgspec.structs.replace(read, done=done + read.done, total=part.size))

    if part.entries:
        ingest(tree, entries=part.entries, workers=workers, checkpoint=with_ranges)


def encode_part(part: VersionPart) -> bytes:
    """Return a serialized part."""
    return _FORMAT + msgspec.msgpack.encode(part)


def decode_part(data: bytes) -> VersionPart:
    """Return the part in the result of `encode_part`. Raises UnreadableRecord if another release has written it."""
    if not data.startswith(_FORMAT):
        raise UnreadableRecord("A part of a version has a format that this release does not support.")
    try:
        return msgspec.msgpack.decode(memoryview(data)[len(_FORMAT) :], type=VersionPart)
    except msgspec.DecodeError as damage:
        raise UnreadableRecord("A part of a version is damaged.") from damage


class _RangeReading(Struct):
    """Reads a range in one thread. ``done`` are the bytes read so far; setting ``stopped`` ends it."""

    tree: Files
    wanted: PartRange
    done: int = 0
    stopped: bool = False

    def read(self) -> FileRange | None:
        """Return the range, None if this was stopped."""
        if self.stopped:
            return None
        entry, first, last = self.wanted.entry, self.wanted.first, self.wanted.last
        digester = RangeDigester(first, last)
        at_end = False
        with self.tree.reader() as reader:
            with reader.open(entry, offset=digester.position) as source:
                while not (at_end or digester.is_complete or self.stopped):
                    count = source.readinto(digester.buffer)
                    digester.feed(count)
                    at_end = not count
                    self.done = min(last, max(first, digester.position)) - first
            # A file is compared with its listing where it ends.
            with reader.open(entry, offset=entry.size) as source:
                source.readinto(digester.buffer)
        digested = digester.finish_range(at_end_of_file=at_end)
        return FileRange(entry.path, entry.size, entry.mtime_ns, digested)


def _read_ranges(tree: Files, part: VersionPart, *, workers: int, checkpoint: Callable[[Checkpoint], None]) -> None:
    size = sum(each.size for each in part.ranges)
    most = max(_MIN_RANGE_BYTES, -(-size // workers))
    reading = [_RangeReading(tree, each) for wanted in part.ranges for each in _divided(wanted, most)]
    with ThreadPoolExecutor(workers, thread_name_prefix="part") as pool:
        try:
            running = {pool.submit(each.read) for each in reading}
            while running:
                finished, running = wait(running, timeout=_SECONDS_BETWEEN_CHECKS, return_when=FIRST_EXCEPTION)
                ranges = tuple(filter(None, (each.result() for each in finished)))
                checkpoint(Checkpoint((), (), sum(each.done for each in reading), part.size, ranges))
        finally:
            for each in reading:
                each.stopped = True


def _pieces(files: Iterable[Unread], limits: PartLimits) -> Iterator[TreeEntry | PartRange]:
    for file in files:
        if file.entry.size <= limits.undivided:
            yield file.entry
            continue
        for first, last in file.gaps:
            yield from _divided(PartRange(file.entry, first, last), limits.size)


def _gaps(size: int, covered: Collection[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    position = 0
    for start, end in sorted(covered):
        if start > position:
            yield position, start
        position = max(position, end)
    if position < size:
        yield position, size


def _divided(wanted: PartRange, most: int) -> Iterator[PartRange]:
    """Divide a range into about equal ones."""
    count = -(-wanted.size // most)
    bounds = [wanted.first + wanted.size * number // count for number in range(count + 1)]
    return (PartRange(wanted.entry, *each) for each in pairwise(bounds))
