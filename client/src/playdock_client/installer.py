"""Turns the content of a folder into a version; install, update, repair and adopt all use it.

Files are built next to the installation. When all are complete, a switch moves them into place. An interrupted run
resumes when it is started again.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile

from playdock_client.building import Builder
from playdock_client.chunk_sink import ChunkSink
from playdock_client.comparing import CheckedVersion, FolderComparison
from playdock_client.connection import Server
from playdock_client.deciding import UpdatePlan, plan_update
from playdock_client.errors import (
    BadManifest,
    BadResponse,
    DiskError,
    DiskFull,
    NotInstalled,
    RequestRefused,
    VersionChanged,
)
from playdock_client.fetching import FetchContext
from playdock_client.installation import Installation
from playdock_client.manifest import File
from playdock_client.manifest_file import MAX_MANIFEST_IN_MEMORY, ManifestFile
from playdock_client.mirrors import Mirrors
from playdock_client.names import quoted, readable
from playdock_client.own_folder import Installed, OwnFolder
from playdock_client.progress import Notice, NoticeKind, Phase, Progress
from playdock_client.rate_limiter import CompressionPolicy, RateLimiter
from playdock_client.responses import GameInfo, VersionInfo
from playdock_client.section_installing import SectionBuilder, WholeProgress
from playdock_client.staging import Staging, begin_staging
from playdock_client.switching import begin_switch, finish_switch
from playdock_client.transport import RetryPolicy
from playdock_client.worker_pool import WorkerPool

# A version that is re-imported three times during one installation is not stable.
_MAX_CHANGES = 3
_DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT})
_IN_USE_ERRORS = frozenset({errno.EBUSY, errno.ETXTBSY})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to download: parallel requests, bytes per second (None: no limit), compression (None: while it is faster)."""

    connections: int = 4
    limit_rate: int | None = None
    compress: bool | None = None


@dataclass(frozen=True, slots=True)
class InstallOutcome:
    """The result of an installation. `fetched` is the number of bytes received.

    `reused` is the number of the version's bytes that the server did not have to send, because they were in existing
    files, in files of an interrupted run, elsewhere in the same version, or in files used by patches.

    `kept` are files that the player changed and that were not replaced, `aside` are files set aside, as
    (path, new path).
    """

    version: VersionInfo
    fetched: int
    reused: int
    kept: tuple[str, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()


@contextmanager
def opened(folder: Path, *, must_exist: bool = False, playing: bool = False) -> Iterator[OwnFolder]:
    """Lock the folder, complete an interrupted switch, and turn OS errors into ClientErrors.

    While a game runs, only its launcher has the lock, so that all other operations raise GameRunning.
    """
    own = OwnFolder(folder)
    if must_exist and not own.root.is_dir():
        own.read_installation()
    with explained_disk_errors(folder), own.locked(playing=playing):
        finish_switch(own)
        yield own


@contextmanager
def opened_for_reading(folder: Path, *, playing: bool = False) -> Iterator[OwnFolder]:
    """Open a folder for reading, without a lock if it is read-only."""
    own = OwnFolder(folder)
    if own.root.is_dir() and not os.access(own.root, os.W_OK):
        with explained_disk_errors(folder):
            yield own
    else:
        with opened(folder, must_exist=True, playing=playing) as own:
            yield own


@contextmanager
def explained_disk_errors(folder: Path) -> Iterator[None]:
    """Turn OS errors into DiskError or DiskFull."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL_ERRORS:
            raise DiskFull(
                f"The disk of {folder} is full. Free up space and run the command again to resume."
            ) from error
        where = error.filename or folder
        raise DiskError(f"{where}: {error.strerror or error}. {_advice(error)}") from error


def _advice(error: OSError) -> str:
    """Return what the user can do about an OS error."""
    if error.errno == errno.EROFS:
        return "The disk is read-only. Choose a folder on another disk or make it writable, then run the command again."
    if error.errno == errno.EFBIG:
        return "The file is too large for this disk. Choose a folder on another disk, or raise the limit."
    if error.errno in _IN_USE_ERRORS or (os.name == "nt" and error.errno in _FORBIDDEN):
        return "Close the program that uses it, then run the command again."
    if error.errno in _FORBIDDEN:
        return "Choose a folder with write permission, or change its permissions, then run the command again."
    return "Check the disk, then run the command again."


def find_installed(own: OwnFolder) -> Installed | None:
    try:
        return own.read()
    except NotInstalled:
        return None


class Installer:
    """Brings one folder to one version."""

    def __init__(
        self,
        own: OwnFolder,
        server: Server,
        game: GameInfo,
        version: VersionInfo,
        *,
        options: FetchOptions,
        progress: Progress,
    ) -> None:
        self._own = own
        self._server = server
        self._game = GameInfo(game.id, game.name)
        self._version = version
        self._options = options
        self._progress = progress
        self._received = server.received

    def run(self, installed: Installed | None, *, trust: bool = True, restore: bool = False) -> InstallOutcome:
        """Install the version, again from the start if it is re-imported during the download."""
        changes = 0
        # What was read of the installed version is known in the next attempt.
        old = CheckedVersion.installed(installed, trust=trust) if installed else None
        while True:
            try:
                return self._install(installed, old, trust=trust, restore=restore)
            except VersionChanged:
                changes += 1
                if changes >= _MAX_CHANGES:
                    raise

    def _install(
        self, installed: Installed | None, old: CheckedVersion | None, *, trust: bool, restore: bool
    ) -> InstallOutcome:
        self._progress.begin(Phase.PREPARE, total=0)
        with SpooledTemporaryFile(MAX_MANIFEST_IN_MEMORY) as file:
            received = self._server.receive_manifest(self._version.id, file)
            contents = received.contents
            if (contents.version, contents.game) != (self._version.id, self._game.id):
                raise BadManifest("The server sent the manifest of another version. Nothing was changed.")
            if installed is None and trust and received.is_in_lines:
                return self._install_sections(received)
            return self._install_differences(received, installed, old, restore=restore)

    def _install_sections(self, received: ManifestFile) -> InstallOutcome:
        """Install a large version into an empty folder."""
        contents = received.contents
        with Mirrors(self._server, progress=self._progress) as mirrors:
            builder = SectionBuilder(
                self._own,
                lambda staging: self._context(staging, mirrors),
                etag=received.etag,
                progress=WholeProgress(self._progress, contents.size),
            )
            files: tuple[File, ...] = ()
            for section in received.sections():
                files = section.files
                builder.build(section)
        self._own.require_empty(self._game.name)
        self._progress.begin(Phase.SWITCH, total=0)
        plan = UpdatePlan(build=list(files), links=list(contents.links))
        self._switch(plan, received, stamps=builder.stamps)
        return InstallOutcome(
            version=self._version,
            fetched=self._server.received - self._received + mirrors.received,
            reused=max(0, contents.size - builder.fetched),
        )

    def _install_differences(
        self, received: ManifestFile, installed: Installed | None, old: CheckedVersion | None, *, restore: bool
    ) -> InstallOutcome:
        """Install what the folder does not have yet."""
        new = CheckedVersion(received)
        begin_staging(self._own, etag=received.etag)
        comparison = FolderComparison(self._own.folder, new=new, old=old, progress=self._progress)
        state = comparison.state(restore=restore)
        staging = Staging(self._own, state.new, etag=received.etag)
        try:
            if staging.resumed:
                text = f"Resuming: {readable(staging.resumed)} are already on disk."
                self._progress.notice(Notice(NoticeKind.RESUMED, text))
            with Mirrors(self._server, progress=self._progress) as mirrors:
                context = self._context(staging, mirrors)
                builder = Builder(
                    self._own.folder, received.etag, installed.installation if installed else None, context
                )
                # Changes that the player makes during the build are detected at the end.
                while staging.missing((plan := plan_update(state)).build, state.new):
                    builder.build(plan.build, state)
                    state = comparison.state(restore=restore)
                staged = staging.finish(plan.build)
        finally:
            staging.close()
        self._progress.begin(Phase.SWITCH, total=0)
        self._switch(plan, received, stamps=comparison.stamps(plan, staged))
        self._report_notices(plan)
        return InstallOutcome(
            version=self._version,
            fetched=self._server.received - self._received + mirrors.received,
            reused=max(0, new.contents.size - context.sink.fetched),
            kept=tuple(plan.kept),
            aside=tuple(plan.aside),
        )

    def _context(self, staging: Staging, mirrors: Mirrors) -> FetchContext:
        connections = max(1, min(self._options.connections, self._max_connections()))
        workers = WorkerPool(connections, check=self._progress.check)
        retries = RetryPolicy(self._server.retry_seconds, stopped=workers.stopped)
        return FetchContext(
            server=self._server,
            mirrors=mirrors,
            staging=staging,
            sink=ChunkSink(staging, workers=workers, retries=retries, progress=self._progress),
            workers=workers,
            retries=retries,
            limiter=RateLimiter(self._options.limit_rate, stopped=workers.stopped),
            compression=CompressionPolicy(self._options.compress),
            progress=self._progress,
        )

    def _max_connections(self) -> int:
        """Return the number of connections, at most as many as the server allows."""
        try:
            limits = self._server.limits()
        except (RequestRefused, BadResponse):
            return self._options.connections
        allowed = (limits.downloads_at_once, limits.server.downloads_at_once, self._options.connections)
        return min(each for each in allowed if each is not None)

    def _switch(self, plan: UpdatePlan, received: ManifestFile, *, stamps: Sequence[int]) -> None:
        installation = Installation(self._server.address, self._game, self._version, received.etag)
        length = received.contents.length
        self._own.write_next(installation, manifest=received.pieces(), length=length, stamps=stamps)
        begin_switch(self._own, plan)
        finish_switch(self._own)

    def _report_notices(self, plan: UpdatePlan) -> None:
        for path in plan.kept:
            text = f"{quoted(path)} was changed by you and has been kept."
            self._progress.notice(Notice(NoticeKind.KEPT, text, path))
        for path, aside in plan.aside:
            text = f"{quoted(path)} is not part of the version and has been renamed to {quoted(aside)}."
            self._progress.notice(Notice(NoticeKind.PUT_ASIDE, text, path, aside))
