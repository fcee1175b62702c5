"""Noticing that folders have got or lost entries.

Linux reports changes in folders of local disks. Folders of other machines, and those beyond the limit of the system,
are compared by their times instead, ever less often the longer that takes.
"""

import sys
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from errno import ENOSPC
from pathlib import Path

import structlog

from playdock.storage.mounts import reports_changes

_log = structlog.get_logger()
# How often a folder that cannot be watched is compared. It may be on a slow network share.
_MIN_POLL_SECONDS = 60.0
# Comparing takes at most this share of the time.
_MAX_POLL_SHARE = 0.02


class FolderWatches:
    """Watches folders, but not what is in the folders in them. Used by one thread."""

    def __init__(self) -> None:
        self._reported = _Inotify() if sys.platform == "linux" else None
        self._polled: dict[Path, int] = {}
        self._poll_due = 0.0

    @property
    def polled(self) -> Collection[Path]:
        """The folders whose changes are not reported."""
        return self._polled.keys()

    def watch(self, base: Path, folders: Iterable[Path]) -> bool:
        """Watch a library's folder, and folders in it, and return whether some of them were not watched before."""
        reported = self._reported if self._reported is not None and reports_changes(base) else None
        new = False
        for folder in (base, *folders):
            if self._reported is not None:
                self._reported.forget_replaced(folder)
            if folder in self._polled or (self._reported is not None and self._reported.has(folder)):
                continue
            new = True
            if reported is None or not reported.add(folder):
                self._polled[folder] = _time_of(folder)
        return new

    def forget_others(self, folders: Collection[Path]) -> None:
        """Stop watching all other folders."""
        self._polled = {folder: known for folder, known in self._polled.items() if folder in folders}
        if self._reported is not None:
            self._reported.forget_others(folders)

    def wait(self, seconds: float) -> bool:
        """Wait for a change, and return whether there was one."""
        if self._reported is not None:
            changed = self._reported.wait(seconds)
        else:
            changed = False
            time.sleep(seconds)
        return self._poll() or changed

    def close(self) -> None:
        if self._reported is not None:
            self._reported.close()

    def _poll(self) -> bool:
        start = time.monotonic()
        if not self._polled or start < self._poll_due:
            return False
        found = {folder: _time_of(folder) for folder in self._polled}
        changed, self._polled = found != self._polled, found
        end = time.monotonic()
        self._poll_due = end + max(_MIN_POLL_SECONDS, (end - start) / _MAX_POLL_SHARE)
        return changed


class _Inotify:
    """The watches of Linux (inotify(7)), which are limited in number."""

    def __init__(self) -> None:
        # Loads the C library with ctypes, so that this is not done by processes that watch nothing.
        from inotify_simple import INotify, flags  # type: ignore[import-untyped]

        self._inotify = INotify()
        self._mask = flags.CREATE | flags.DELETE | flags.MOVED_FROM | flags.MOVED_TO | flags.ONLYDIR
        self._ended = flags.IGNORED
        self._watches: dict[Path, int] = {}
        # Which folder was watched: after mounting, or a rename, another one has its path.
        self._identities: dict[Path, tuple[int, int]] = {}
        self._is_full = False

    def forget_replaced(self, folder: Path) -> None:
        """Stop watching the folder that had a path before, if another one has it now."""
        watched = self._identities.get(folder)
        if folder in self._watches and watched is not None and watched != _identity_of(folder):
            self._forget(folder)

    def has(self, folder: Path) -> bool:
        return folder in self._watches

    def add(self, folder: Path) -> bool:
        """Watch a folder; False if it must be polled instead."""
        if self._is_full:
            return False
        try:
            identity = _identity_of(folder)
            self._watches[folder] = self._inotify.add_watch(folder, self._mask)
            self._identities[folder] = identity
        except OSError as error:
            self._is_full = error.errno == ENOSPC
            if self._is_full:
                _log.warning("the limit fs.inotify.max_user_watches is reached, so that folders are polled")
            return False
        return True

    def forget_others(self, folders: Collection[Path]) -> None:
        for folder in self._watches.keys() - folders:
            self._forget(folder)

    def _forget(self, folder: Path) -> None:
        watch = self._watches.pop(folder)
        self._identities.pop(folder, None)
        self._is_full = False
        # The system may have removed it with the folder.
        with suppress(OSError):
            self._inotify.rm_watch(watch)

    def wait(self, seconds: float) -> bool:
        events = list(self._inotify.read(timeout=int(seconds * 1000)))
        ended = {event.wd for event in events if event.mask & self._ended}
        if ended:
            self._watches = {folder: watch for folder, watch in self._watches.items() if watch not in ended}
        return bool(events)

    def close(self) -> None:
        self._inotify.close()


def _identity_of(folder: Path) -> tuple[int, int]:
    """Return the device and inode of a folder, zeros if it cannot be read now."""
    try:
        status = folder.stat()
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _time_of(folder: Path) -> int:
    """Return when a folder last got or lost an entry, 0 if it cannot be read now."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
