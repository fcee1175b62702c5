"""Compares a folder with the manifests of the installed and of the new version, in the order of paths.

A file is unaffected if the folder has its content and both versions are the same. Unaffected files are not kept, so
that of large versions only what differs is in memory.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from playdock_client.deciding import EXECUTABLE, FolderState, UpdatePlan, is_name_for_aside
from playdock_client.disk import Disk, Entry, EntryKind, is_caseless, ordered_entries
from playdock_client.folder_scanner import READERS, has_content
from playdock_client.manifest import FORMAT, File, ManifestPart
from playdock_client.manifest_file import ManifestFile
from playdock_client.own_folder import Installed
from playdock_client.progress import Phase, Progress
from playdock_client.staging import Reader
from playdock_client.worker_pool import WorkerPool

# More files are read before the others are compared, since they would be kept until then.
_MAX_UNREAD = 25_000
# Enough that the overhead per job does not matter for small files.
_FILES_PER_JOB = 64
_JOBS_AT_ONCE = 256
# No path is that long.
_AFTER_ALL_PATHS = "\U0010ffff" * 4096
# No entry has such a time.
_UNKNOWN = -(2**63)


class VersionFile(NamedTuple):
    """A file of a version, its position among all of them, and the number of its first chunk."""

    file: File
    position: int
    first_chunk: int


class CheckedVersion:
    """A version, and in `mtimes` what is known of the folder.

    For each file of the version this is the mtime_ns of the entry with its content, which is read if it has another one
    now. Comparing a folder adds to what is known.
    """

    def __init__(self, manifest: ManifestFile, stamps: Sequence[int] = ()) -> None:
        self._manifest = manifest
        self.contents = manifest.contents
        known = stamps if len(stamps) == self.contents.files else [0] * self.contents.files
        self.mtimes = array("q", (each or _UNKNOWN for each in known))

    @classmethod
    def installed(cls, installed: Installed, *, trust: bool) -> "CheckedVersion":
        """Return the installed version. With `trust`, files with their original modification time are known."""
        return cls(installed.manifest, installed.stamps if trust else ())

    def files(self) -> Iterator[tuple[str, VersionFile]]:
        """Yield all files in the order of their paths."""
        chunk = 0
        for position, file in enumerate(self._manifest.files()):
            yield file.path, VersionFile(file, position, chunk)
            chunk += len(file.chunks)

    def has(self, found: VersionFile | None, entry: Entry) -> bool:
        """Return whether an entry is known to have the content of a file."""
        return found is not None and _may_have(entry, found.file) and self.mtimes[found.position] == entry.mtime_ns

    def part(self, files: Collection[VersionFile]) -> ManifestPart:
        """Return the manifest with only some of its files."""
        contents = self.contents
        return ManifestPart(
            format=FORMAT,
            game=contents.game,
            version=contents.version,
            size=contents.size,
            images=contents.images,
            files=tuple(each.file for each in files),
            links=contents.links,
            positions=array("q", (each.position for each in files)),
            first_chunks=array("q", (each.first_chunk for each in files)),
            whole_chunks=contents.chunks,
        )


class FolderComparison:
    """Compares a folder with a version that is to be in it, and with the one that was installed into it.

    A file is compared with each version once at most, unless it changes. `read` is the number of bytes of such files.
    """

    def __init__(self, folder: Path, *, new: CheckedVersion, old: CheckedVersion | None, progress: Progress) -> None:
        self._folder = folder
        self._new = new
        self._old = old
        self._progress = progress
        self._caseless = is_caseless(folder)
        # Paths and mtime_ns of entries that have the content of no version.
        self._others: set[tuple[str, int]] = set()
        # The files of the new version that were affected when `state` was called last.
        self._latest: ManifestPart | None = None
        self.read = 0

    def state(self, *, restore: bool = False) -> FolderState:
        """Return the folder and the versions without what is unaffected."""
        found = self._affected()
        while not found.is_complete:
            self._read(filter(self._is_unread, self._rows()), total=found.unread_bytes)
            found = self._affected()
        rows, unread = found.rows, found.unread
        if self._caseless:
            rows = _by_key(rows)
            unread = list(filter(self._is_unread, rows))
        if unread:
            self._read(unread, total=sum(row.entry.size for row in unread if row.entry))
        return self._state_of(rows, restore=restore)

    def stamps(self, plan: UpdatePlan, staged: Disk) -> Sequence[int]:
        """Return the mtime_ns of the new version's files once a plan has been carried out, 0 if unknown.

        The plan has to be that of the latest state.
        """
        assert self._latest is not None
        kept, built = {file.path for file in plan.keep}, {file.path for file in plan.build}
        for file, position in zip(self._latest.files, self._latest.positions, strict=True):
            if file.path not in kept:
                entry = staged.file(file.path) if file.path in built else None
                self._new.mtimes[position] = entry.mtime_ns if entry else _UNKNOWN
        return array("q", (0 if each == _UNKNOWN else each for each in self._new.mtimes))

    def _rows(self) -> Iterator["_Row"]:
        """Yield what is at each path, in the order of the paths."""
        old = self._old.files() if self._old else iter(())
        return _joined(old, self._new.files(), ordered_entries(self._folder))

    def _affected(self) -> "_Affected":
        found = _Affected()
        for row in self._rows():
            if not self._is_unaffected(row):
                found.add(row, is_unread=self._is_unread(row))
        return found

    def _is_unaffected(self, row: "_Row") -> bool:
        """Return whether a file is unaffected. Its modification time in the new version is known from then on."""
        new, entry = row.new, row.entry
        if new is None or entry is None or not self._has_new(row, entry) or is_name_for_aside(entry.path):
            return False
        if row.old is not None and row.old.file.hash != new.file.hash:
            return False
        self._new.mtimes[new.position] = entry.mtime_ns
        return bool(entry.mode & EXECUTABLE or not new.file.mode & EXECUTABLE)

    def _has_old(self, row: "_Row", entry: Entry) -> bool:
        return self._old is not None and self._old.has(row.old, entry)

    def _has_new(self, row: "_Row", entry: Entry) -> bool:
        if row.new is None:
            return False
        is_same = row.old is not None and row.old.file.hash == row.new.file.hash
        return self._new.has(row.new, entry) or (is_same and self._has_old(row, entry))

    def _is_unread(self, row: "_Row") -> bool:
        """Return whether an entry may have the content of a version."""
        entry, old, new = row.entry, row.old, row.new
        if entry is None or (entry.path, entry.mtime_ns) in self._others:
            return False
        is_possible = (old is not None and _may_have(entry, old.file)) or (
            new is not None and _may_have(entry, new.file)
        )
        return is_possible and not self._has_old(row, entry) and not self._has_new(row, entry)

    def _read(self, rows: Iterable["_Row"], *, total: int) -> None:
        """Read entries, and remember which content they have."""
        self.read += total
        self._progress.begin(Phase.LOOK, total=total)
        workers = WorkerPool(READERS, check=self._progress.check)
        remaining = iter(rows)
        while some := list(islice(remaining, _FILES_PER_JOB * _JOBS_AT_ONCE)):
            parts = [some[start : start + _FILES_PER_JOB] for start in range(0, len(some), _FILES_PER_JOB)]
            workers.run([partial(self._read_some, part, workers) for part in parts])

    def _read_some(self, rows: Iterable["_Row"], workers: WorkerPool) -> None:
        with Reader(self._folder) as reader:
            for row in rows:
                assert row.entry is not None
                self._progress.at(row.entry.path)
                self._read_row(row, row.entry, reader, workers)

    def _read_row(self, row: "_Row", entry: Entry, reader: Reader, workers: WorkerPool) -> None:
        compared: set[str] = set()
        counted = 0

        def count(read: int) -> None:
            nonlocal counted
            read = min(read, entry.size - counted)
            counted += read
            self._progress.advance(read)

        for version, found in ((self._old, row.old), (self._new, row.new)):
            if version is None or found is None or not _may_have(entry, found.file) or found.file.hash in compared:
                continue
            compared.add(found.file.hash)
            if has_content(found.file, entry.path, reader, workers, count):
                version.mtimes[found.position] = entry.mtime_ns
                return
        count(entry.size)
        self._others.add((entry.path, entry.mtime_ns))

    def _state_of(self, rows: Sequence["_Row"], *, restore: bool) -> FolderState:
        self._latest = new = self._new.part([row.new for row in rows if row.new])
        found = [(row, row.entry) for row in rows if row.entry]
        has_old = [row.old for row, entry in found if row.old and self._has_old(row, entry)]
        has_new = [(row.new, entry) for row, entry in found if row.new and self._has_new(row, entry)]
        for each, entry in has_new:
            self._new.mtimes[each.position] = entry.mtime_ns
        return FolderState(
            new,
            self._old.part([row.old for row in rows if row.old]) if self._old else None,
            Disk((entry for _, entry in found), caseless=self._caseless),
            matches_old={each.file.path for each in has_old},
            matches_new={each.file.path for each, _ in has_new},
            restore=restore,
            unaffected=_Unaffected(self._new, new),
        )


class _Row(NamedTuple):
    """What is at one path."""

    old: VersionFile | None
    new: VersionFile | None
    entry: Entry | None


class _Affected:
    """Rows of what is affected, those of them that have to be read, and how many bytes these have.

    If many have to be read, it is not complete, except for the number of bytes.
    """

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self.unread: list[_Row] = []
        self.unread_bytes = 0

    @property
    def is_complete(self) -> bool:
        return len(self.unread) <= _MAX_UNREAD

    def add(self, row: _Row, *, is_unread: bool) -> None:
        if is_unread:
            self.unread_bytes += row.entry.size if row.entry else 0
            if self.is_complete:
                self.unread.append(row)
        if self.is_complete:
            self.rows.append(row)


class _Unaffected:
    """The files of the new version that are unaffected, read from its manifest whenever they are iterated over."""

    def __init__(self, version: CheckedVersion, rest: ManifestPart) -> None:
        self._version = version
        self._rest = rest

    def __iter__(self) -> Iterator[File]:
        return (each.file for path, each in self._version.files() if path not in self._rest.by_path)


def _joined(
    old: Iterator[tuple[str, VersionFile]], new: Iterator[tuple[str, VersionFile]], disk: Iterator[tuple[str, Entry]]
) -> Iterator[_Row]:
    """Yield what each of three iterators has for a path. They yield paths in order."""
    end = (_AFTER_ALL_PATHS, None)
    a, b, c = next(old, end), next(new, end), next(disk, end)
    while (path := min(a[0], b[0], c[0])) is not _AFTER_ALL_PATHS:
        in_a, in_b, in_c = a[0] == path, b[0] == path, c[0] == path
        yield _Row(a[1] if in_a else None, b[1] if in_b else None, c[1] if in_c else None)
        a = next(old, end) if in_a else a
        b = next(new, end) if in_b else b
        c = next(disk, end) if in_c else c


def _may_have(entry: Entry, file: File) -> bool:
    """Return whether an entry may have the content of a file."""
    return entry.kind is EntryKind.FILE and entry.size == file.size


def _by_key(rows: Iterable[_Row]) -> list[_Row]:
    """Return rows with what the file system finds at one path, although it is written in different ways."""
    nothing = Disk(iter(()), caseless=True)
    found: dict[str, _Row] = {}
    for row in rows:
        path = next(each for each in _paths(row))
        key = nothing.key(path)
        known = found.get(key, _Row(None, None, None))
        found[key] = _Row(known.old or row.old, known.new or row.new, known.entry or row.entry)
    return list(found.values())


def _paths(row: _Row) -> Iterator[str]:
    yield from (each.file.path for each in (row.old, row.new) if each)
    if row.entry:
        yield row.entry.path
