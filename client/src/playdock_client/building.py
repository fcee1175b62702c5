"""Builds the files of the new version next to the installation, in rounds, until nothing is missing."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from playdock_client.deciding import FolderState
from playdock_client.errors import BadResponse, DiskFull, RequestRefused, VersionChanged
from playdock_client.fetching import FetchContext, fetch
from playdock_client.installation import Installation
from playdock_client.manifest import Chunk, File
from playdock_client.names import readable
from playdock_client.patching import Patcher
from playdock_client.planning import (
    Copy,
    Source,
    count_bytes,
    plan_patches,
    plan_pieces,
    plan_round,
    runs_of_patches,
    sources_in,
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
    """Builds files of the version whose manifest has an ETag. Patches may use unchanged files of `installed`."""

    folder: Path
    etag: str
    installed: Installation | None
    context: FetchContext
    bad: set[Source] = field(default_factory=set)
    asked_for_patches: bool = False

    def build(self, files: Sequence[File], state: FolderState) -> None:
        """Build all files. If this raises an error, what has been built is kept for the next attempt."""
        missing = self.context.staging.missing(files, state.new)
        self._check_space(files, missing)
        # Without an installed version, assume that existing files already have the new content.
        sources = sources_on(state.disk, state.old or state.new)
        sources |= sources_in(state.unaffected, {chunk.id for chunk in missing})
        while missing:
            self._round(missing, sources, state)
            missing = self.context.staging.missing(files, state.new)

    def _round(self, missing: Sequence[Chunk], sources: Mapping[str, Source], state: FolderState) -> None:
        def source(chunk: Chunk) -> Source | None:
            candidates = (self.context.staging.find(chunk.id), sources.get(chunk.id))
            return next((each for each in candidates if each is not None and each not in self.bad), None)

        planned = plan_round(missing, source=source)
        if planned.copies:
            self.context.progress.begin(Phase.COPY, total=count_bytes(copy.chunk for copy in planned.copies))
            self._copy(planned.copies)
        if planned.fetch:
            self.context.progress.begin(Phase.FETCH, total=count_bytes(planned.fetch))
            self._fetch(planned.fetch, state)
        if self.context.sink.has_wrong_chunks:
            self._check_version(state.new.version)

    def _copy(self, copies: Sequence[Copy]) -> None:
        parts = [copies[start : start + _COPIES_PER_JOB] for start in range(0, len(copies), _COPIES_PER_JOB)]
        self.context.workers.run([partial(self._copy_some, part) for part in parts])

    def _copy_some(self, copies: Sequence[Copy]) -> None:
        with Reader(self.folder) as reader, Writer(self.context.staging) as writer:
            for copy in copies:
                data = reader.read(copy.source, copy.chunk.length)
                if self.context.sink.write((copy.chunk,), data, writer=writer):
                    self.bad.add(copy.source)

    def _fetch(self, chunks: Sequence[Chunk], state: FolderState) -> None:
        patching, patched = self._plan_patching(chunks, state)
        rest = [chunk for chunk in chunks if chunk.number not in patched]
        images = [image.version for image in state.new.images]
        pieces = plan_pieces(rest, images=images, connections=self.context.workers.size)
        self.context.workers.run([*patching, *(partial(fetch, piece, self.context) for piece in pieces)])

    def _plan_patching(
        self, chunks: Sequence[Chunk], state: FolderState
    ) -> tuple[list[Callable[[], None]], AbstractSet[int]]:
        """Return the jobs that apply patches, and the numbers of the chunks they produce."""
        patches = self._fetch_patches(count_bytes(chunks), version=state.new.version)
        if patches is None:
            return [], frozenset()
        parts = plan_patches(patches, chunks, new=state.new, intact=_intact_sizes(state, patches))
        patcher = Patcher(patches.id, folder=self.folder, context=self.context)
        jobs: list[Callable[[], None]] = [partial(patcher.apply, run) for run in runs_of_patches(parts)]
        return jobs, {chunk.number for part in parts for chunk in part.chunks}

    def _fetch_patches(self, size: int, *, version: str) -> PatchSet | None:
        """Request patches once, and wait for them only while that is faster than downloading without patches."""
        base = self.installed
        if self.asked_for_patches or base is None or base.version.id == version or size < _MIN_PATCH_BYTES:
            return None
        self.asked_for_patches = True
        wait_seconds = min(_MIN_PATCH_WAIT_SECONDS + size / _PATCH_BYTES_PER_SECOND, _MAX_PATCH_WAIT_SECONDS)
        try:
            patches = self.context.server.patches(version, base=base.version.id, wait_seconds=wait_seconds)
        except (RequestRefused, BadResponse, Broken):
            return None
        if patches is None or (patches.from_etag, patches.to_etag) != (base.etag, self.etag):
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

    def _check_version(self, version: str) -> None:
        """Raise VersionChanged if the version was re-imported, which also makes downloaded bytes invalid."""
        if self.context.server.has_changed(version, etag=self.etag):
            raise VersionChanged("The version was re-imported during the download.")


def _intact_sizes(state: FolderState, patches: PatchSet) -> dict[str, int]:
    """Return the sizes of the unchanged files of the installed version that patches use."""
    if state.old is None:
        return {}
    used = {path for segment in (*patches.segments, *patches.differences) for path, _, _ in segment.old}
    sizes = {file.path: file.size for file in state.old.files if file.path in state.matches_old}
    if used - state.old.by_path.keys():
        sizes |= {file.path: file.size for file in state.unaffected if file.path in used}
    return sizes
