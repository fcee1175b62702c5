"""Building the new version's files beside the installation, in rounds, until nothing is missing."""

import shutil
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from playdock_client.answers import PatchSet
from playdock_client.connection import FetchedManifest
from playdock_client.deciding import Situation
from playdock_client.errors import BadAnswer, DiskFull, Refused, VersionChanged
from playdock_client.fetching import Work, fetch
from playdock_client.manifest import Chunk, File
from playdock_client.names import readable
from playdock_client.own_folder import Installed
from playdock_client.patching import Patcher
from playdock_client.planning import (
    Copy,
    Source,
    count_bytes,
    plan_patches,
    plan_pieces,
    plan_round,
    runs_of_patches,
    sources_on,
)
from playdock_client.progress import Phase
from playdock_client.staging import Reader, Writer
from playdock_client.transport import Broken

_BLOCK = 4096
_RESERVE = 16 * 1024 * 1024
_COPIES_A_JOB = 64
_WORTH_ASKING = 256 * 1024
_MAKING_SPEED = 20 * 1024 * 1024
_SHORTEST_MAKING = 5.0
_LONGEST_MAKING = 60.0


@dataclass(slots=True)
class Builder:
    """Makes files of `target`; `installed` and its `sound` (unchanged) files are what patches may start from."""

    folder: Path
    target: FetchedManifest
    installed: Installed | None
    work: Work
    bad: set[Source] = field(default_factory=set)
    asked: bool = False

    def build(self, files: Sequence[File], situation: Situation) -> None:
        """Make all of the files. Raises what keeps it from that; what was made until then stays."""
        missing = self.work.staging.missing(files)
        self._check_space(files, missing)
        # Of files that nobody has told us about, the best guess is that they are what they are to become.
        sources = sources_on(situation.disk, situation.old or situation.new)
        while missing:
            self._round(missing, sources, sound=situation.as_old)
            missing = self.work.staging.missing(files)

    def _round(self, missing: Sequence[Chunk], sources: dict[str, Source], *, sound: AbstractSet[str]) -> None:
        def source(chunk: Chunk) -> Source | None:
            candidates = (self.work.staging.find(chunk.id), sources.get(chunk.id))
            return next((each for each in candidates if each is not None and each not in self.bad), None)

        planned = plan_round(missing, source=source)
        if planned.copies:
            self.work.progress.begin(Phase.COPY, total=count_bytes(copy.chunk for copy in planned.copies))
            self._copy(planned.copies)
        if planned.fetch:
            self.work.progress.begin(Phase.FETCH, total=count_bytes(planned.fetch))
            self._fetch(planned.fetch, sound=sound)
        if self.work.intake.has_complaints:
            self._check_version()

    def _copy(self, copies: Sequence[Copy]) -> None:
        parts = [copies[start : start + _COPIES_A_JOB] for start in range(0, len(copies), _COPIES_A_JOB)]
        self.work.crew.run([partial(self._copy_some, part) for part in parts])

    def _copy_some(self, copies: Sequence[Copy]) -> None:
        with Reader(self.folder) as reader, Writer(self.work.staging) as writer:
            for copy in copies:
                data = reader.read(copy.source, copy.chunk.length)
                if self.work.intake.take((copy.chunk,), data, writer=writer):
                    self.bad.add(copy.source)

    def _fetch(self, chunks: Sequence[Chunk], *, sound: AbstractSet[str]) -> None:
        patching, patched = self._patching(chunks, sound=sound)
        rest = [chunk for chunk in chunks if chunk.number not in patched]
        images = [image.version for image in self.target.manifest.images]
        pieces = plan_pieces(rest, images=images, connections=self.work.crew.size)
        self.work.crew.run([*patching, *(partial(fetch, piece, self.work) for piece in pieces)])

    def _patching(
        self, chunks: Sequence[Chunk], *, sound: AbstractSet[str]
    ) -> tuple[list[Callable[[], None]], AbstractSet[int]]:
        """Give jobs that patch, and the numbers of the chunks that they make."""
        patches = self._ask_for_patches(count_bytes(chunks))
        if patches is None or self.installed is None:
            return [], frozenset()
        old, new = self.installed.manifest, self.target.manifest
        parts = plan_patches(patches, chunks, old=old, new=new, sound=sound)
        patcher = Patcher(patches.id, folder=self.folder, work=self.work)
        jobs: list[Callable[[], None]] = [partial(patcher.apply, run) for run in runs_of_patches(parts)]
        return jobs, {chunk.number for part in parts for chunk in part.chunks}

    def _ask_for_patches(self, size: int) -> PatchSet | None:
        """Ask once, and wait for patches that are being made only while that is faster than doing without."""
        base = self.installed.installation if self.installed else None
        if self.asked or base is None or base.version.id == self.target.manifest.version or size < _WORTH_ASKING:
            return None
        self.asked = True
        patience = min(_SHORTEST_MAKING + size / _MAKING_SPEED, _LONGEST_MAKING)
        try:
            patches = self.work.server.patches(self.target.manifest.version, base=base.version.id, patience=patience)
        except (Refused, BadAnswer, Broken):
            return None
        if patches is None or (patches.from_etag, patches.to_etag) != (base.etag, self.target.etag):
            return None
        return patches

    def _check_space(self, files: Sequence[File], missing: Sequence[Chunk]) -> None:
        """Files in the making need room beside the installed ones, in whole blocks."""
        blocks = sum(-(-file.size // _BLOCK) * _BLOCK for file in files)
        there = sum(file.size for file in files) - count_bytes(missing)
        need, free = blocks - there + _RESERVE, shutil.disk_usage(self.folder).free
        if missing and need > free:
            raise DiskFull(
                f"{self.folder} needs {readable(need)} of free space, but there are only {readable(free)}. "
                f"Make room for {readable(need - free)} and try again."
            )

    def _check_version(self) -> None:
        """Bytes come wrong also when they are those of a newer import."""
        version = self.target.manifest.version
        if self.work.server.manifest(version, etag=self.target.etag) is not None:
            raise VersionChanged("The version was imported again meanwhile.")
