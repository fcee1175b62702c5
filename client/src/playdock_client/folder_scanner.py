"""Checks which files have the content described by a manifest."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playdock_client.deciding import FolderState
from playdock_client.disk import Disk, Entry, is_caseless, scan
from playdock_client.manifest import Chunk, File, Manifest
from playdock_client.own_folder import Installed
from playdock_client.planning import Source
from playdock_client.progress import Phase, Progress
from playdock_client.staging import Reader, is_chunk
from playdock_client.worker_pool import WorkerPool

# Hashing uses a core per thread; more than four seldom read faster from a disk.
_READERS = min(4, os.cpu_count() or 1)
# Enough that the overhead per job does not matter for small files.
_FILES_PER_JOB = 64


@dataclass(frozen=True, slots=True)
class _FileCheck:
    """A file to compare with an entry. The result is valid while the modification time does not change."""

    file: File
    entry: Entry

    @property
    def key(self) -> tuple[str, str, int]:
        return self.file.path, self.file.hash, self.entry.mtime_ns


class FolderScanner:
    """Checks the content of files, each only once unless it changes."""

    def __init__(self, folder: Path, *, progress: Progress) -> None:
        self._folder = folder
        self._progress = progress
        self._results: dict[tuple[str, str, int], bool] = {}
        self.read = 0

    def scan(self) -> Disk:
        return scan(self._folder, caseless=is_caseless(self._folder))

    def inspect(self, new: Manifest, installed: Installed | None, *, trust: bool, restore: bool) -> FolderState:
        """Return the state of the folder. With `trust`, files with their original modification time are not read."""
        disk = self.scan()
        old = installed.manifest if installed else None
        matches_old = self.unchanged(installed, disk, trust=trust) if installed else set[str]()
        hashes = {path: old.by_path[path].hash for path in matches_old} if old else {}
        checks = [
            _FileCheck(file, entry)
            for file in (new.files if len(disk) else ())
            if file.path not in hashes and (entry := disk.file(file.path, size=file.size))
        ]
        matches_new = self._check(checks) | {file.path for file in new.files if hashes.get(file.path) == file.hash}
        return FolderState(new, old, disk, matches_old=matches_old, matches_new=matches_new, restore=restore)

    def matching(self, files: Iterable[File], disk: Disk) -> set[str]:
        """Return the paths of the files that are in the folder with their content."""
        found = ((file, disk.file(file.path, size=file.size)) for file in files)
        return self._check([_FileCheck(file, entry) for file, entry in found if entry is not None])

    def unchanged(self, installed: Installed, disk: Disk, *, trust: bool) -> set[str]:
        """Return the paths of files that have not changed since they were installed."""
        stamps = installed.stamps if len(installed.stamps) == len(installed.manifest.files) else None
        unchanged: set[str] = set()
        checks: list[_FileCheck] = []
        for number, file in enumerate(installed.manifest.files):
            entry = disk.file(file.path, size=file.size)
            if entry is None:
                continue
            if trust and stamps and stamps[number] == entry.mtime_ns:
                unchanged.add(file.path)
            else:
                checks.append(_FileCheck(file, entry))
        return unchanged | self._check(checks)

    def _check(self, checks: Sequence[_FileCheck]) -> set[str]:
        """Return the paths of the files with the expected content."""
        new = [each for each in checks if each.key not in self._results]
        if new:
            size = sum(each.file.size for each in new)
            self.read += size
            self._progress.begin(Phase.LOOK, total=size)
            parts = [new[start : start + _FILES_PER_JOB] for start in range(0, len(new), _FILES_PER_JOB)]
            workers = WorkerPool(_READERS, check=self._progress.check)
            workers.run([partial(self._check_files, part, workers) for part in parts])
        return {each.file.path for each in checks if self._results[each.key]}

    def _check_files(self, checks: Iterable[_FileCheck], workers: WorkerPool) -> None:
        with Reader(self._folder) as reader:
            for each in checks:
                self._progress.at(each.file.path)
                self._results[each.key] = all(
                    self._is_valid(chunk, each.entry.path, reader, workers) for chunk in _chunks(each.file)
                )

    def _is_valid(self, chunk: Chunk, path: str, reader: Reader, workers: WorkerPool) -> bool:
        workers.check()
        data = reader.read(Source(path, chunk.start), chunk.length)
        self._progress.advance(len(data))
        return is_chunk(data, chunk)


def _chunks(file: File) -> Iterable[Chunk]:
    start = 0
    for length, name in file.chunks:
        yield Chunk(0, file, start, length, name)
        start += length
