"""Builds the files of the new version next to the installation, in rounds, until nothing is missing."""

import shutil
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from playdock_client.deciding import FolderState
from playdock_client.errors import BadResponse, DiskFull, RequestRefused, VersionChanged
from playdock_client.fetching import FetchContext, fetch
from playdock_client.manifest import Chunk, File
from playdock_client.manifest_file import FetchedManifest
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
from playdock_client.responses import PatchSet
from playdock_client.staging import Reader, Writer
from playdock_client.transport import Broken

# The block size of common file systems.
_BLOCK_BYTES = 4096
# Space for manifests, the journal and folders.
_RESERVE_BYTES = 16 * 1024 * 1024
# Enough that the overhead per job does not matter for small chunks.
_COPIES_PER_JOB = 64
# Less is downloaded faster than patches are requested.
_MIN_PATCH_BYTES = 256 * 1024
# The time to wait for patches grows with the size of the update. Servers create 70 MB or more per second and core
# (docs/decisions/0014), and may be busy.
_PATCH_BYTES_PER_SECOND = 20 * 1024 * 1024
_MIN_PATCH_WAIT_SECONDS = 5.0
_MAX_PATCH_WAIT_SECONDS = 60.0


@dataclass(slots=True)
class Builder:
    """Builds files of `target`. Patches may use unchanged files of `installed`."""

    folder: Path
    target: FetchedManifest
    installed: Installed | None
    context: FetchContext
    bad: set[Source] = field(default_factory=set)
    asked_for_patches: bool = False

    def build(self, files: Sequence[File], state: FolderState) -> None:
        """Build all files. If this raises an error, what has been built is kept for the next attempt."""
        missing = self.context.staging.missing(files)
        self._check_space(files, missing)
        # Without an installed version, assume that existing files already have the new content.
        sources = sources_on(state.disk, state.old or state.new)
        while missing:
            self._round(missing, sources, intact=state.matches_old)
            missing = self.context.staging.missing(files)

    def _round(self, missing: Sequence[Chunk], sources: dict[str, Source], *, intact: AbstractSet[str]) -> None:
        def source(chunk: Chunk) -> Source | None:
            candidates = (self.context.staging.find(chunk.id), sources.get(chunk.id))
            return next((each for each in candidates if each is not None and each not in self.bad), None)

        planned = plan_round(missing, source=source)
        if planned.copies:
            self.context.progress.begin(Phase.COPY, total=count_bytes(copy.chunk for copy in planned.copies))
            self._copy(planned.copies)
        if planned.fetch:
            self.context.progress.begin(Phase.FETCH, total=count_bytes(planned.fetch))
            self._fetch(planned.fetch, intact=intact)
        if self.context.sink.has_wrong_chunks:
            self._check_version()

    def _copy(self, copies: Sequence[Copy]) -> None:
        parts = [copies[start : start + _COPIES_PER_JOB] for start in range(0, len(copies), _COPIES_PER_JOB)]
        self.context.workers.run([partial(self._copy_some, part) for part in parts])

    def _copy_some(self, copies: Sequence[Copy]) -> None:
        with Reader(self.folder) as reader, Writer(self.context.staging) as writer:
            for copy in copies:
                data = reader.read(copy.source, copy.chunk.length)
                if self.context.sink.write((copy.chunk,), data, writer=writer):
                    self.bad.add(copy.source)

    def _fetch(self, chunks: Sequence[Chunk], *, intact: AbstractSet[str]) -> None:
        patching, patched = self._plan_patching(chunks, intact=intact)
        rest = [chunk for chunk in chunks if chunk.number not in patched]
        images = [image.version for image in self.target.manifest.images]
        pieces = plan_pieces(rest, images=images, connections=self.context.workers.size)
        self.context.workers.run([*patching, *(partial(fetch, piece, self.context) for piece in pieces)])

    def _plan_patching(
        self, chunks: Sequence[Chunk], *, intact: AbstractSet[str]
    ) -> tuple[list[Callable[[], None]], AbstractSet[int]]:
        """Return the jobs that apply patches, and the numbers of the chunks they produce."""
        patches = self._fetch_patches(count_bytes(chunks))
        if patches is None or self.installed is None:
            return [], frozenset()
        old, new = self.installed.manifest, self.target.manifest
        parts = plan_patches(patches, chunks, old=old, new=new, intact=intact)
        patcher = Patcher(patches.id, folder=self.folder, context=self.context)
        jobs: list[Callable[[], None]] = [partial(patcher.apply, run) for run in runs_of_patches(parts)]
        return jobs, {chunk.number for part in parts for chunk in part.chunks}

    def _fetch_patches(self, size: int) -> PatchSet | None:
        """Request patches once, and wait for them only while that is faster than downloading without patches."""
        base = self.installed.installation if self.installed else None
        if (
            self.asked_for_patches
            or base is None
            or base.version.id == self.target.manifest.version
            or size < _MIN_PATCH_BYTES
        ):
            return None
        self.asked_for_patches = True
        wait_seconds = min(_MIN_PATCH_WAIT_SECONDS + size / _PATCH_BYTES_PER_SECOND, _MAX_PATCH_WAIT_SECONDS)
        try:
            patches = self.context.server.patches(
                self.target.manifest.version, base=base.version.id, wait_seconds=wait_seconds
            )
        except (RequestRefused, BadResponse, Broken):
            return None
        if patches is None or (patches.from_etag, patches.to_etag) != (base.etag, self.target.etag):
            return None
        return patches

    def _check_space(self, files: Sequence[File], missing: Sequence[Chunk]) -> None:
        """Raise DiskFull if the new files do not fit next to the installed ones, in whole blocks."""
        blocks = sum(-(-file.size // _BLOCK_BYTES) * _BLOCK_BYTES for file in files)
        present = sum(file.size for file in files) - count_bytes(missing)
        need, free = blocks - present + _RESERVE_BYTES, shutil.disk_usage(self.folder).free
        if missing and need > free:
            raise DiskFull(
                f"{self.folder} needs {readable(need)} of free space, but only {readable(free)} are free. "
                f"Free up {readable(need - free)} and try again."
            )

    def _check_version(self) -> None:
        """Raise VersionChanged if the version was re-imported, which also makes downloaded bytes invalid."""
        version = self.target.manifest.version
        if self.context.server.manifest(version, etag=self.target.etag) is not None:
            raise VersionChanged("The version was re-imported during the download.")
