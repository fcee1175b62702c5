"""Ingesting: reading each file of a tree once, on all cores, and learning all there is to know of it.

Each thread takes a job (one file, or many small ones), reads into its own buffer and puts what it finds on a common
heap of news, which the caller's thread gathers for checkpoints. Reading, cutting and hashing release the interpreter.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock
from time import perf_counter, thread_time
from typing import TypeVar

from msgspec.structs import replace

from playdock.content.chunks import MIN_CHUNK, Digest, Digester, digest_small
from playdock.content.records import Checkpoint, FileRecord, Layer, LinkRecord, PartialFile, join
from playdock.storage.entries import Entry, Files, Reader, Source, damaged

_SECONDS_BETWEEN_CHECKPOINTS = 0.5
_SMALL_FILES_A_JOB = 128
_WAITING = 3
_WORTH_RESUMING = 16 * 1024 * 1024

_Job = TypeVar("_Job", Entry, list[Entry])
_News = TypeVar("_News", FileRecord, PartialFile)


def ingest(
    tree: Files,
    *,
    known: Collection[FileRecord] = (),
    partial: Collection[PartialFile] = (),
    workers: int,
    checkpoint: Callable[[Checkpoint], None],
) -> Layer:
    """Digest a tree with so many threads, each of which holds 2 MiB.

    What is `known` (by path, size and mtime_ns) is not read again, what is `partial` is gone on with. `checkpoint` is
    called in this thread, about every half second and at the end, with what is new since; if it raises, reading ends
    within a few buffers. No thread is left when this returns or raises.

    Raises UnusableVersion and VersionChanged as trees do, and OSError where the disk fails.
    """
    entries = tree.entries()
    files = [entry for entry in entries if entry.target is None]
    gathering = _Gathering(
        sum(entry.size for entry in files),
        records={entry.path: replace(record, mode=entry.mode) for entry, record in _unchanged(files, known)},
        begun={entry.path: stretch for entry, stretch in _unchanged(files, partial) if stretch.start == 0},
    )
    missing = [entry for entry in files if entry.path not in gathering.records]
    reading = _Reading(tree, _large_first(missing), _batches(missing), dict(gathering.begun))
    _run(reading, workers=workers, report=lambda: checkpoint(gathering.checkpoint(reading)))
    links = tuple(LinkRecord(entry.path, entry.target) for entry in entries if entry.target is not None)
    return Layer(tuple(gathering.records[entry.path] for entry in files), links)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the threads share; all of it is safe to be used by many."""

    tree: Files
    large: deque[Entry]
    small: deque[list[Entry]]
    begun: dict[str, PartialFile]
    stretches: deque[PartialFile] = field(default_factory=deque)
    records: deque[FileRecord] = field(default_factory=deque)
    stop: Event = field(default_factory=Event)
    turn: Lock = field(default_factory=Lock)
    waits: Event = field(default_factory=Event)

    def work(self) -> None:
        digester = Digester()
        with self.tree.reader() as reader:
            for entry in self._taken(self.large):
                self._read_large(entry, reader=reader, digester=digester)
            for job in self._taken(self.small):
                self._read_in_turn(job, reader=reader)

    def _taken(self, jobs: deque[_Job]) -> Iterator[_Job]:
        """Take jobs as long as there are any; others may take from them at the same time."""
        with suppress(IndexError):
            while not self.stop.is_set():
                yield jobs.popleft()

    def _read_in_turn(self, job: list[Entry], *, reader: Reader) -> None:
        """Read small files, if need be while nobody else does.

        They cost more of the interpreter than of the system, so that threads would only get into each other's way;
        unless they spend their time waiting, as they do for a slow disk or a network.
        """
        if self.waits.is_set():
            self._read_small(job, reader=reader)
            return
        with self.turn:
            began, worked = perf_counter(), thread_time()
            self._read_small(job, reader=reader)
            if perf_counter() - began > _WAITING * (thread_time() - worked):
                self.waits.set()

    def _read_small(self, job: list[Entry], *, reader: Reader) -> None:
        for entry in job:
            if self.stop.is_set():
                return
            self.records.append(_record(entry, digest_small(reader.read(entry))))

    def _read_large(self, entry: Entry, *, reader: Reader, digester: Digester) -> None:
        begun = self.begun.get(entry.path)
        digester.start(begun.state if begun else None)
        offset = digester.offset
        with reader.open(entry, offset=offset) as source:
            self._skip(source, digester.room, until=offset)
            while not self.stop.is_set():
                count = source.readinto(digester.room)
                if not count:
                    self.records.append(_record(entry, digester.finish()))
                    return
                digester.feed(count)
                offset = self._tell(entry, digester, since=offset)

    def _skip(self, source: Source, room: memoryview, *, until: int) -> None:
        """Unpack what has been digested before, in pieces, so that a stop need not wait for all of it."""
        left = until - source.start
        while left and not self.stop.is_set() and (count := source.readinto(room[:left])):
            left -= count

    def _tell(self, entry: Entry, digester: Digester, *, since: int) -> int:
        if entry.size < _WORTH_RESUMING or digester.offset == since:
            return since
        offset, crc32, chunks = digester.news()
        self.stretches.append(PartialFile(entry.path, entry.size, entry.mtime_ns, since, offset, crc32, chunks))
        return offset


@dataclass(slots=True)
class _Gathering:
    """What the caller's thread knows; `begun` holds the newest stretch of each file that is not finished."""

    total: int
    records: dict[str, FileRecord]
    begun: dict[str, PartialFile]
    finished: int = field(init=False)

    def __post_init__(self) -> None:
        self.finished = sum(record.size for record in self.records.values())

    def checkpoint(self, reading: _Reading) -> Checkpoint:
        stretches, files = _drained(reading.stretches), tuple(_drained(reading.records))
        self.records.update((file.path, file) for file in files)
        self.finished += sum(file.size for file in files)
        unfinished = [stretch for stretch in stretches if stretch.path not in self.records]
        newest = self.begun | {stretch.path: stretch for stretch in unfinished}
        self.begun = {path: stretch for path, stretch in newest.items() if path not in self.records}
        in_order = join(sorted(unfinished, key=lambda stretch: stretch.path))
        return Checkpoint(files, in_order, self._done(), self.total)

    def _done(self) -> int:
        return self.finished + sum(stretch.offset for stretch in self.begun.values())


def _drained(news: deque[_News]) -> list[_News]:
    return [news.popleft() for _ in range(len(news))]


def _run(reading: _Reading, *, workers: int, report: Callable[[], None]) -> None:
    with ThreadPoolExecutor(workers, thread_name_prefix="ingest") as pool:
        try:
            running = {pool.submit(reading.work) for _ in range(workers)}
            while running:
                done, running = wait(running, timeout=_SECONDS_BETWEEN_CHECKPOINTS, return_when=FIRST_EXCEPTION)
                for thread in done:
                    thread.result()
                report()
        finally:
            reading.stop.set()


def _large_first(entries: Iterable[Entry]) -> deque[Entry]:
    """Put the files that may have to be cut in order, the largest first, so that all threads end together."""
    large = [entry for entry in entries if entry.size > MIN_CHUNK]
    return deque(sorted(large, key=lambda entry: entry.size, reverse=True))


def _batches(entries: Iterable[Entry]) -> deque[list[Entry]]:
    """Deal out the other files in the order of their paths, since a folder is opened once for its files."""
    small = [entry for entry in entries if entry.size <= MIN_CHUNK]
    return deque(small[start : start + _SMALL_FILES_A_JOB] for start in range(0, len(small), _SMALL_FILES_A_JOB))


def _unchanged(files: Iterable[Entry], found: Collection[_News]) -> Iterator[tuple[Entry, _News]]:
    """Pair files with what was found out about them when they were as they are now."""
    listed = {entry.path: entry for entry in files} if found else {}
    for news in found:
        entry = listed.get(news.path)
        if entry and (entry.size, entry.mtime_ns) == (news.size, news.mtime_ns):
            yield entry, news


def _record(entry: Entry, digest: Digest) -> FileRecord:
    if entry.crc32 is not None and entry.crc32 != digest.crc32:
        raise damaged(entry.path)
    return FileRecord(entry.path, entry.size, entry.mode, entry.mtime_ns, digest.crc32, digest.hash, digest.chunks)
