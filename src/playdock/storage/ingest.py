"""Ingesting: read each file of a tree once, on all cores, and compute its chunks and hashes.

Each thread takes a job (one large file or a batch of small ones), reads into its own buffer and appends its results to
queues, which the caller's thread drains for checkpoints. Reading, chunking and hashing release the interpreter lock.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import chain
from threading import Event, Lock
from time import perf_counter, thread_time
from typing import Protocol, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from playdock.content.chunks import MIN_CHUNK, DigestedRange, Digester
from playdock.content.packed_list import collect
from playdock.content.records import (
    Checkpoint,
    FileRange,
    FileRecord,
    Layer,
    LinkRecord,
    PartialFile,
    ScanState,
    join,
    weigh_record,
)
from playdock.storage.entries import Files, Reader, Source, TreeEntry
from playdock.storage.small_files import ReadingProcess, read_small_files, reading_process, record_of

# Frequent enough for a progress display, rare enough for a database write each.
_SECONDS_BETWEEN_CHECKPOINTS = 0.5
# Enough files to make the cost of a job negligible, and few enough to stop soon.
_SMALL_FILES_PER_JOB = 128
# A batch whose wall time exceeds this multiple of its processor time is slow because of the disk or the network.
_MAX_WALL_TO_CPU_RATIO = 3
# Starting a process takes about 0.1 s of one core, in which a thread reads about 8000 small files.
_MIN_BATCHES_FOR_PROCESS = 8000 // _SMALL_FILES_PER_JOB
# Reading a smaller file again takes less than a second, so its progress is not recorded.
_MIN_RESUMABLE_BYTES = 16 * 1024 * 1024
# Their chunks take about 36 MB.
_MAX_STRETCH_BYTES = 256 * 1024**3
# The results of a section take some 30 MB. At its end, threads wait for the last file, which costs less than a second.
_MAX_SECTION_FILES = 50_000
# A million chunks, whose ids take 36 MB. Threads wait rarely, because reading as much takes minutes.
_MAX_SECTION_BYTES = 256 * 1024 * 1024 * 1024

_Job = TypeVar("_Job", TreeEntry, list[TreeEntry])
_Result = TypeVar("_Result", FileRecord, PartialFile, FileRange)


class Earlier(Protocol):
    """What is known of a version's files before they are read."""

    def within(self, first: str, last: str) -> ScanState:
        """Return at least what is known of the files from one path to another. Called in ascending order of paths."""
        ...


def ingest(
    tree: Files,
    *,
    entries: Sequence[TreeEntry] | None = None,
    earlier: Earlier | None = None,
    workers: int,
    checkpoint: Callable[[Checkpoint], None],
) -> Layer:
    """Read a tree with a number of threads, each with a 2 MiB buffer, and return its layer.

    ``entries`` are those of the tree to read, as it has listed them before; by default it lists all now.
    Files that are known with the same path, size and mtime_ns are not read again; unfinished ones are resumed, and
    known ranges of them are skipped.
    ``checkpoint`` is called in this thread, about every half second and at the end, with the new results. If it raises,
    reading ends within a few buffers or one batch of small files. No thread or process remains when this returns or
    raises.

    A large tree is read in *sections* of consecutive files, one after the other, because the results of one section are
    kept in memory. A checkpoint has results of one section only.

    Raises UnusableVersion and VersionChanged as trees do, and OSError if the disk fails.
    """
    entries = tree.entries() if entries is None else entries
    size = sum(entry.size for entry in entries if entry.target is None)
    prepared = _prepare(tree, size=size, checkpoint=checkpoint)
    reader = _SectionReader(tree, earlier or ScanState(), workers, checkpoint, size + prepared, prepared)
    files = collect(chain.from_iterable(map(reader.read, sections(entries))), FileRecord, weigh=weigh_record)
    links = tuple(LinkRecord(entry.path, entry.target) for entry in entries if entry.target is not None)
    return Layer(files, links)


def sections(entries: Iterable[TreeEntry]) -> Iterator[list[TreeEntry]]:
    """Yield the files in runs that are read together."""
    section: list[TreeEntry] = []
    size = 0
    for entry in entries:
        if entry.target is None:
            section.append(entry)
            size += entry.size
        if len(section) >= _MAX_SECTION_FILES or size >= _MAX_SECTION_BYTES:
            yield section
            section, size = [], 0
    yield section


class _SectionReader(Struct):
    """Reads the sections of a tree in their order; ``done`` of ``total`` bytes are finished."""

    tree: Files
    earlier: Earlier
    workers: int
    checkpoint: Callable[[Checkpoint], None]
    total: int
    done: int

    def read(self, files: list[TreeEntry]) -> Iterator[FileRecord]:
        known = self.earlier.within(files[0].path, files[-1].path) if files else ScanState()
        progress = _Progress(
            self.total,
            self.done,
            records={entry.path: replace(record, mode=entry.mode) for entry, record in unchanged(files, known.files)},
            begun={entry.path: part for entry, part in unchanged(files, known.partials) if part.start == 0},
        )
        missing = [entry for entry in files if entry.path not in progress.records]
        begun = _Begun(dict(progress.begun), _ranges(files, known.ranges))
        reading = _Reading(self.tree, _large_first(missing), _batches(missing), begun, self.workers)
        _run(reading, report=lambda: self.checkpoint(progress.checkpoint(reading)))
        self.done = progress.finished
        return (progress.records[entry.path] for entry in files)


class _Begun(Struct, frozen=True):
    """What is known of files by path: how far they were read from their start, and ranges of them in order."""

    partials: Mapping[str, PartialFile]
    ranges: Mapping[str, Sequence[DigestedRange]]

    def start(self, digester: Digester, path: str) -> None:
        """Begin a file where it is not known any more."""
        partial = self.partials.get(path)
        digester.start(partial.state if partial else None, known=self.ranges.get(path, ()))


class _Reading(Struct, frozen=True):
    """The state that the threads share. All of it is thread-safe."""

    tree: Files
    large: deque[TreeEntry]
    small: deque[list[TreeEntry]]
    begun: _Begun
    workers: int
    stretches: deque[PartialFile] = field(default_factory=deque)
    records: deque[FileRecord] = field(default_factory=deque)
    stop: Event = field(default_factory=Event)
    small_lock: Lock = field(default_factory=Lock)
    is_slow: Event = field(default_factory=Event)
    process_lock: Lock = field(default_factory=Lock)

    def work(self) -> None:
        digester = Digester()
        with self.tree.reader() as reader:
            for entry in self._take(self.large):
                self._read_large(entry, reader=reader, digester=digester)
            with self._process() as process:
                for job in self._take(self.small):
                    records = process.read(job) if process else None
                    if records is None:
                        self._read_batch(job, reader=reader)
                    else:
                        self.records.extend(records)

    @contextmanager
    def _process(self) -> Iterator[ReadingProcess | None]:
        """Start a process for the first thread that calls this, if enough small files are left."""
        worthwhile = self.workers > 1 and len(self.small) >= _MIN_BATCHES_FOR_PROCESS
        if not (worthwhile and self.process_lock.acquire(blocking=False)):
            yield None
            return
        with reading_process(self.tree) as process:
            yield process

    def _take(self, jobs: deque[_Job]) -> Iterator[_Job]:
        """Yield jobs until there are none. Several threads may take from the same queue."""
        with suppress(IndexError):
            while not self.stop.is_set():
                yield jobs.popleft()

    def _read_batch(self, job: list[TreeEntry], *, reader: Reader) -> None:
        """Read small files, one thread at a time unless the storage is slow.

        Small files spend most of their time in the interpreter, where several threads would only delay each other.
        With a slow disk or network the threads mostly wait for input, so they read in parallel.
        """
        if self.is_slow.is_set():
            self._read_small(job, reader=reader)
            return
        with self.small_lock:
            wall_start, cpu_start = perf_counter(), thread_time()
            self._read_small(job, reader=reader)
            if perf_counter() - wall_start > _MAX_WALL_TO_CPU_RATIO * (thread_time() - cpu_start):
                self.is_slow.set()

    def _read_small(self, job: list[TreeEntry], *, reader: Reader) -> None:
        for record in read_small_files(job, reader):
            self.records.append(record)
            if self.stop.is_set():
                return

    def _read_large(self, entry: TreeEntry, *, reader: Reader, digester: Digester) -> None:
        self.begun.start(digester, entry.path)
        recorded = partial.offset if (partial := self.begun.partials.get(entry.path)) else 0
        while not self.stop.is_set():
            position = digester.position
            with reader.open(entry, offset=position) as source:
                self._skip(source, digester.buffer, until=position)
                while digester.position == position and not self.stop.is_set():
                    count = source.readinto(digester.buffer)
                    if not count:
                        digest = digester.finish()
                        if digester.position == position:
                            self.records.append(record_of(entry, digest))
                            return
                        break
                    digester.feed(count)
                    position += count
                    recorded = self._record_progress(entry, digester, since=recorded)

    def _skip(self, source: Source, room: memoryview, *, until: int) -> None:
        """Read and discard what has been digested before, in pieces, so that stopping takes effect soon."""
        left = until - source.start
        while left and not self.stop.is_set() and (count := source.readinto(room[:left])):
            left -= count

    def _record_progress(self, entry: TreeEntry, digester: Digester, *, since: int) -> int:
        if entry.size < _MIN_RESUMABLE_BYTES or digester.offset == since:
            return since
        if digester.offset - since > _MAX_STRETCH_BYTES:
            # Known ranges, which are stored already, and would be too much for one row.
            return since
        offset, crc32, chunks = digester.take_progress()
        self.stretches.append(PartialFile(entry.path, entry.size, entry.mtime_ns, since, offset, crc32, chunks))
        return offset


class _Progress(Struct):
    """The results of a section; ``finished`` are the bytes before it, to which those of finished files are added.

    `begun` contains the latest stretch of each unfinished file. Used by the caller's thread.
    """

    total: int
    finished: int
    records: dict[str, FileRecord]
    begun: dict[str, PartialFile]

    def __post_init__(self) -> None:
        self.finished += sum(record.size for record in self.records.values())

    def checkpoint(self, reading: _Reading) -> Checkpoint:
        stretches, files = _drain(reading.stretches), tuple(_drain(reading.records))
        self.records.update((file.path, file) for file in files)
        self.finished += sum(file.size for file in files)
        unfinished = [stretch for stretch in stretches if stretch.path not in self.records]
        newest = self.begun | {stretch.path: stretch for stretch in unfinished}
        self.begun = {path: stretch for path, stretch in newest.items() if path not in self.records}
        in_order = join(sorted(unfinished, key=lambda stretch: stretch.path))
        return Checkpoint(files, in_order, self._done(), self.total)

    def _done(self) -> int:
        return self.finished + sum(stretch.offset for stretch in self.begun.values())


def _prepare(tree: Files, *, size: int, checkpoint: Callable[[Checkpoint], None]) -> int:
    """Unpack what can only be unpacked as a whole, and return its size; call ``checkpoint`` about every half second."""
    last = perf_counter()

    def report(unpacked: int) -> None:
        nonlocal last
        if perf_counter() - last >= _SECONDS_BETWEEN_CHECKPOINTS:
            last = perf_counter()
            checkpoint(Checkpoint((), (), unpacked, 2 * size))

    return tree.prepare(report)


def _drain(results: deque[_Result]) -> list[_Result]:
    return [results.popleft() for _ in range(len(results))]


def _run(reading: _Reading, *, report: Callable[[], None]) -> None:
    with ThreadPoolExecutor(reading.workers, thread_name_prefix="ingest") as pool:
        try:
            running = {pool.submit(reading.work) for _ in range(reading.workers)}
            while running:
                done, running = wait(running, timeout=_SECONDS_BETWEEN_CHECKPOINTS, return_when=FIRST_EXCEPTION)
                for thread in done:
                    thread.result()
                report()
        finally:
            reading.stop.set()


def _large_first(entries: Iterable[TreeEntry]) -> deque[TreeEntry]:
    """Sort the files that may have several chunks, the largest first, so that all threads end at about one time."""
    large = [entry for entry in entries if entry.size > MIN_CHUNK]
    return deque(sorted(large, key=lambda entry: entry.size, reverse=True))


def _batches(entries: Iterable[TreeEntry]) -> deque[list[TreeEntry]]:
    """Group the other files in path order, so that each folder is opened once for its files."""
    small = [entry for entry in entries if entry.size <= MIN_CHUNK]
    return deque(small[start : start + _SMALL_FILES_PER_JOB] for start in range(0, len(small), _SMALL_FILES_PER_JOB))


def _ranges(files: Iterable[TreeEntry], ranges: Collection[FileRange]) -> Mapping[str, Sequence[DigestedRange]]:
    """Return what is known of parts of files that have not changed, in order."""
    found: dict[str, list[DigestedRange]] = {}
    for entry, part in unchanged(files, ranges):
        found.setdefault(entry.path, []).append(part.digested)
    # Of two that start at the same place, the longer one is used.
    return {path: sorted(parts, key=lambda part: (part.start, -part.end)) for path, parts in found.items()}


def unchanged(files: Iterable[TreeEntry], results: Collection[_Result]) -> Iterator[tuple[TreeEntry, _Result]]:
    """Yield the files that have not changed since an earlier result, with that result."""
    listed = {entry.path: entry for entry in files} if results else {}
    for result in results:
        entry = listed.get(result.path)
        if entry and (entry.size, entry.mtime_ns) == (result.size, result.mtime_ns):
            yield entry, result
