"""Checks which files have the content described by a manifest."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playdock_client.disk import Disk, Entry
from playdock_client.manifest import File, file_chunks
from playdock_client.planning import Source
from playdock_client.progress import Phase, Progress
from playdock_client.staging import Reader, is_chunk
from playdock_client.worker_pool import WorkerPool

# Hashing uses a core per thread; more than four seldom read faster from a disk.
READERS = min(4, os.cpu_count() or 1)
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

    def matching(self, files: Iterable[File], disk: Disk) -> set[str]:
        """Return the paths of the files that are in the folder with their content."""
        found = ((file, disk.file(file.path, size=file.size)) for file in files)
        return self._check([_FileCheck(file, entry) for file, entry in found if entry is not None])

    def _check(self, checks: Sequence[_FileCheck]) -> set[str]:
        """Return the paths of the files with the expected content."""
        new = [each for each in checks if each.key not in self._results]
        if new:
            self._progress.begin(Phase.LOOK, total=sum(each.file.size for each in new))
            parts = [new[start : start + _FILES_PER_JOB] for start in range(0, len(new), _FILES_PER_JOB)]
            workers = WorkerPool(READERS, check=self._progress.check)
            workers.run([partial(self._check_files, part, workers) for part in parts])
        return {each.file.path for each in checks if self._results[each.key]}

    def _check_files(self, checks: Iterable[_FileCheck], workers: WorkerPool) -> None:
        with Reader(self._folder) as reader:
            for each in checks:
                self._progress.at(each.file.path)
                advance = self._progress.advance
                self._results[each.key] = has_content(each.file, each.entry.path, reader, workers, advance)


def has_content(file: File, path: str, reader: Reader, workers: WorkerPool, advance: Callable[[int], None]) -> bool:
    """Return whether the file at a path has the content that a manifest describes. `advance` gets what was read."""
    for chunk in file_chunks(file):
        workers.check()
        data = reader.read(Source(path, chunk.start), chunk.length)
        advance(len(data))
        if not is_chunk(data, chunk):
            return False
    return True
