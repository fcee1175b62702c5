"""Looking into the files that are there: which have the bytes that a manifest says."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playdock_client.crew import Crew
from playdock_client.deciding import Situation
from playdock_client.disk import Disk, Entry, is_caseless, scan
from playdock_client.manifest import Chunk, File, Manifest
from playdock_client.own_folder import Installed
from playdock_client.planning import Source
from playdock_client.progress import Phase, Progress
from playdock_client.staging import Reader, is_chunk

_READERS = min(4, os.cpu_count() or 1)
_FILES_A_JOB = 64


@dataclass(frozen=True, slots=True)
class _Question:
    """Whether a file has the bytes it should; the stamp tells when the answer holds no longer."""

    file: File
    entry: Entry

    @property
    def key(self) -> tuple[str, str, int]:
        return self.file.path, self.file.hash, self.entry.mtime_ns


class Looker:
    """Looks into files, and into none twice that was not changed meanwhile."""

    def __init__(self, folder: Path, *, progress: Progress) -> None:
        self._folder = folder
        self._progress = progress
        self._answers: dict[tuple[str, str, int], bool] = {}
        self.read = 0

    def scan(self) -> Disk:
        return scan(self._folder, caseless=is_caseless(self._folder))

    def situation(self, new: Manifest, installed: Installed | None, *, trust: bool, restore: bool) -> Situation:
        """Look at what is there; with `trust`, a file with the stamp it was written with is not read again."""
        disk = self.scan()
        old = installed.manifest if installed else None
        as_old = self.unchanged(installed, disk, trust=trust) if installed else set[str]()
        hashes = {path: old.by_path[path].hash for path in as_old} if old else {}
        questions = [
            _Question(file, entry)
            for file in (new.files if len(disk) else ())
            if file.path not in hashes and (entry := disk.file(file.path, size=file.size))
        ]
        as_new = self._ask(questions) | {file.path for file in new.files if hashes.get(file.path) == file.hash}
        return Situation(new, old, disk, as_old=as_old, as_new=as_new, restore=restore)

    def unchanged(self, installed: Installed, disk: Disk, *, trust: bool) -> set[str]:
        """Give the paths of files that are as they were installed."""
        stamps = installed.stamps if len(installed.stamps) == len(installed.manifest.files) else None
        known: set[str] = set()
        questions: list[_Question] = []
        for number, file in enumerate(installed.manifest.files):
            entry = disk.file(file.path, size=file.size)
            if entry is None:
                continue
            if trust and stamps and stamps[number] == entry.mtime_ns:
                known.add(file.path)
            else:
                questions.append(_Question(file, entry))
        return known | self._ask(questions)

    def _ask(self, questions: Sequence[_Question]) -> set[str]:
        """Give the paths of the files that have the right bytes."""
        new = [each for each in questions if each.key not in self._answers]
        if new:
            size = sum(each.file.size for each in new)
            self.read += size
            self._progress.begin(Phase.LOOK, total=size)
            parts = [new[start : start + _FILES_A_JOB] for start in range(0, len(new), _FILES_A_JOB)]
            crew = Crew(_READERS)
            crew.run([partial(self._look, part, crew) for part in parts])
        return {each.file.path for each in questions if self._answers[each.key]}

    def _look(self, questions: Iterable[_Question], crew: Crew) -> None:
        with Reader(self._folder) as reader:
            for each in questions:
                self._progress.at(each.file.path)
                self._answers[each.key] = all(
                    self._is_right(chunk, each.entry.path, reader, crew) for chunk in _chunks(each.file)
                )

    def _is_right(self, chunk: Chunk, path: str, reader: Reader, crew: Crew) -> bool:
        crew.check()
        data = reader.read(Source(path, chunk.start), chunk.length)
        self._progress.advance(len(data))
        return is_chunk(data, chunk)


def _chunks(file: File) -> Iterable[Chunk]:
    start = 0
    for length, name in file.chunks:
        yield Chunk(0, file, start, length, name)
        start += length
