"""Installs a large version into a new or empty folder, section by section, so that its manifest is never in memory.

Chunks that occur in several sections are downloaded once for each of them.
"""

from array import array
from collections.abc import Callable
from dataclasses import replace

from playdock_client.building import Builder
from playdock_client.chunk_sink import ChunkSink
from playdock_client.deciding import FolderState
from playdock_client.disk import Disk
from playdock_client.fetching import FetchContext
from playdock_client.manifest import Manifest
from playdock_client.names import readable
from playdock_client.own_folder import OwnFolder
from playdock_client.progress import Notice, NoticeKind, Phase, Progress
from playdock_client.staging import Staging


class SectionBuilder:
    """Builds the sections of a version, in their order. `stamps` are the mtime_ns of the built files.

    `fetched` is the number of bytes sent by the server, uncompressed. `make_context` is called for the first section of
    which anything is missing; the others share all of its context except the staging.
    """

    def __init__(
        self,
        own: OwnFolder,
        make_context: Callable[[Staging], FetchContext],
        *,
        etag: str,
        progress: "WholeProgress",
    ) -> None:
        self._own = own
        self._make_context = make_context
        self._context: FetchContext | None = None
        self._etag = etag
        self._progress = progress
        self._number = 0
        self.stamps = array("q")
        self.fetched = 0

    def build(self, section: Manifest) -> None:
        """Build the files of the next section."""
        staging = Staging(self._own, section, etag=self._etag, section=self._number)
        self._number += 1
        try:
            self._progress.skip(staging.resumed)
            if staging.missing(section.files, section):
                self._build(section, staging)
            entries = staging.finish(section.files)
        finally:
            staging.close()
        self.stamps.extend(entry.mtime_ns if (entry := entries.file(file.path)) else 0 for file in section.files)

    def _build(self, section: Manifest, staging: Staging) -> None:
        self._progress.start()
        self._context = shared = self._context or self._make_context(staging)
        progress = self._progress
        sink = ChunkSink(staging, workers=shared.workers, retries=shared.retries, progress=progress)
        context = replace(shared, staging=staging, sink=sink, progress=progress)
        nothing = FolderState(section, None, Disk(iter(()), caseless=False))
        try:
            Builder(self._own.folder, self._etag, None, context).build(section.files, nothing)
        finally:
            self.fetched += sink.fetched


class WholeProgress:
    """Reports the download of all sections as one phase."""

    def __init__(self, progress: Progress, size: int) -> None:
        self._progress = progress
        self._left = size
        self._resumed = 0
        self._started = False

    def skip(self, size: int) -> None:
        """Count bytes that an earlier run has downloaded."""
        self._resumed += size
        self._left -= size

    def start(self) -> None:
        """Begin the phase, before the first section of which anything is missing."""
        if self._started:
            return
        self._started = True
        if self._resumed:
            text = f"Resuming: {readable(self._resumed)} are already on disk."
            self._progress.notice(Notice(NoticeKind.RESUMED, text))
        self._progress.begin(Phase.FETCH, total=self._left)

    def begin(self, phase: Phase, *, total: int) -> None:
        """Ignore the phases of a section."""

    def advance(self, done: int, *, fetched: int = 0) -> None:
        self._progress.advance(done, fetched=fetched)

    def at(self, path: str) -> None:
        self._progress.at(path)

    def notice(self, notice: Notice) -> None:
        self._progress.notice(notice)

    def check(self) -> None:
        self._progress.check()
