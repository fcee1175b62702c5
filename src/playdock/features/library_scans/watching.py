"""The watcher: requests a scan when folders of libraries get or lose entries.

Of all processes that share a database, only the one that registered first watches: its heartbeat in the table of nodes
is its lease. If two do so for some seconds, both request the same scan.
"""

import threading
from collections.abc import Iterator
from pathlib import Path

import structlog
from msgspec import Struct

from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of
from playdock.features.library_scans.service import LibraryScans
from playdock.models import Library
from playdock.storage.library_policy import LocationUnusable
from playdock.storage.watches import FolderWatches

_log = structlog.get_logger()
# Nothing of a start has to wait for the watcher.
_START_SECONDS = 5.0
# How soon a stop is noticed, and how soon a scan is requested after a change; the changes until then are one.
_WAIT_SECONDS = 0.5
# How often libraries are listed although nothing was reported: they may have been added, or another process ended.
_LIST_SECONDS = 10.0
_WAITS_PER_LISTING = int(_LIST_SECONDS / _WAIT_SECONDS)
# A stop does not wait for a disk that hangs.
_CLOSE_SECONDS = 1.0


class WatchedLibrary(Struct, frozen=True):
    """The folder of a library, and the folders in it that contain versions."""

    base: Path
    games: list[Path]


class LibraryWatcher:
    """Watches all libraries, in a thread of its own, until it is closed."""

    def __init__(self, scans: LibraryScans, worker_id: str) -> None:
        self._scans, self._worker_id = scans, worker_id
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="library-watcher", daemon=True)

    def start(self) -> None:
        if self._scans.settings.watch_libraries:
            self._thread.start()

    def close(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        pause = _START_SECONDS
        while not self._stopping.wait(pause):
            pause = _LIST_SECONDS
            try:
                if self._is_first():
                    self._watch()
            except Exception as error:  # noqa: BLE001 - the next attempt may succeed, and scans are also scheduled
                _log.warning("libraries could not be watched", error=type(error).__name__)

    def _is_first(self) -> bool:
        return self._scans.first_process() == self._worker_id

    def _watch(self) -> None:
        """Watch until this process stops, or is no longer the first one."""
        watches = FolderWatches()
        try:
            while self._is_first():
                # What appeared before a folder was watched has not been reported.
                changed = self._update(watches)
                for _ in range(_WAITS_PER_LISTING):
                    if changed and self._scans.request():
                        break
                    changed = watches.wait(_WAIT_SECONDS) or changed
                    if self._stopping.is_set():
                        return
        finally:
            watches.close()

    def _update(self, watches: FolderWatches) -> bool:
        libraries = list(self._libraries())
        watches.forget_others({folder for library in libraries for folder in (library.base, *library.games)})
        new = [watches.watch(library.base, library.games) for library in libraries]
        return any(new)

    def _libraries(self) -> Iterator[WatchedLibrary]:
        for library in self._scans.libraries():
            if library.backend == BackendKind.S3:
                # An S3 server reports nothing; scheduled scans list it.
                continue
            base = Path(base_dir_of(library))
            yield WatchedLibrary(base, [base / game for game in self._games(library)])

    def _games(self, library: Library) -> list[str]:
        if library.backend == BackendKind.FLAT_FILESYSTEM:
            return []
        try:
            return self._scans.backends.of(library).games()
        except LocationUnusable:
            return []
