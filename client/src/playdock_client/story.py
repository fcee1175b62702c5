"""One story for all that installs: what is there becomes what the version is.

Files are built beside the installation, and when nothing is missing any more one switch brings them in. Whatever ends
it before, running it again goes on where it ended.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playdock_client.answers import GameInfo, VersionInfo
from playdock_client.building import Builder
from playdock_client.connection import FetchedManifest, Server
from playdock_client.crew import Crew
from playdock_client.deciding import Decision, decide
from playdock_client.disk import Disk
from playdock_client.errors import (
    BadAnswer,
    BadManifest,
    DiskFull,
    DiskTrouble,
    NotInstalled,
    Refused,
    VersionChanged,
)
from playdock_client.fetching import Work
from playdock_client.installation import Installation
from playdock_client.intake import Intake
from playdock_client.looking import Looker
from playdock_client.manifest import Manifest
from playdock_client.names import quoted, readable
from playdock_client.own_folder import Installed, OwnFolder
from playdock_client.pace import Limiter, Line
from playdock_client.progress import Notice, NoticeKind, Phase, Progress
from playdock_client.staging import Staging
from playdock_client.switching import begin_switch, finish_switch
from playdock_client.transport import Patience

_MOST_CHANGES = 3
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_IN_USE = frozenset({errno.EBUSY, errno.ETXTBSY})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})


@dataclass(frozen=True, slots=True)
class Options:
    """How to fetch: parallel requests, bytes a second (None: no limit), compressed or not (None: while it pays)."""

    connections: int = 4
    limit_rate: int | None = None
    compress: bool | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done. `fetched` is how many bytes came over the network, of whatever kind.

    `reused` is how many bytes of the version the server did not have to send, compressed or not, because they were
    there: in files, in what an interrupted run had made, elsewhere in the same version, or in what patches start from.

    `kept` are files that the player changed or that the version has no say in, `aside` those that were put aside as
    (path, new path).
    """

    version: VersionInfo
    fetched: int
    reused: int
    kept: tuple[str, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()


@contextmanager
def opened(folder: Path, *, must_exist: bool = False) -> Iterator[OwnFolder]:
    """Hold the folder's lock, finish what was interrupted, and put the disk's own words into sentences."""
    own = OwnFolder(folder)
    if must_exist and not own.root.is_dir():
        own.read_installation()
    with disk_trouble(folder), own.locked():
        finish_switch(own)
        yield own


@contextmanager
def looked_into(folder: Path) -> Iterator[OwnFolder]:
    """Open a folder only to read in it: as `opened`, but where nothing can be written no lock is needed or possible."""
    own = OwnFolder(folder)
    if own.root.is_dir() and not os.access(own.root, os.W_OK):
        with disk_trouble(folder):
            yield own
    else:
        with opened(folder, must_exist=True):
            yield own


@contextmanager
def disk_trouble(folder: Path) -> Iterator[None]:
    """Put what the system says of the disk into sentences."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(
                f"The disk of {folder} is full. Make room and run it again; it goes on from here."
            ) from error
        where = error.filename or folder
        raise DiskTrouble(f"{where}: {error.strerror or error}. {_advice(error)}") from error


def _advice(error: OSError) -> str:
    """Tell what to do about what the system says of the disk."""
    if error.errno == errno.EROFS:
        return "Its disk can only be read. Choose a folder on another, or have it made writable, and run it again."
    if error.errno == errno.EFBIG:
        return "A file as large as that is not allowed there. Choose a folder on another disk, or lift the limit."
    if error.errno in _IN_USE or (os.name == "nt" and error.errno in _FORBIDDEN):
        return "Close what uses it, and run it again."
    if error.errno in _FORBIDDEN:
        return "Choose a folder that you may write to, or see to its rights, and run it again."
    return "Check the disk, and run it again."


def find_installed(own: OwnFolder) -> Installed | None:
    try:
        return own.read()
    except NotInstalled:
        return None


@dataclass(frozen=True, slots=True)
class _Made:
    """What was decided, what was there when it was, and what lies staged for it."""

    decision: Decision
    disk: Disk
    staged: Disk

    def stamps(self, manifest: Manifest) -> list[int]:
        """Give the mtime_ns by which each file will be known as unchanged, 0 where it may have other bytes."""
        entries = {file.path: self.staged.file(file.path) for file in self.decision.make}
        entries |= {file.path: self.disk.file(file.path) for file in self.decision.stay}
        found = (entries.get(file.path) for file in manifest.files)
        return [entry.mtime_ns if entry else 0 for entry in found]


class Story:
    """What becomes of one folder."""

    def __init__(
        self,
        own: OwnFolder,
        server: Server,
        game: GameInfo,
        version: VersionInfo,
        *,
        options: Options,
        progress: Progress,
    ) -> None:
        self._own = own
        self._server = server
        self._game = GameInfo(game.id, game.name)
        self._version = version
        self._options = options
        self._progress = progress
        self._looker = Looker(own.folder, progress=progress)
        self._received = server.received

    def run(self, installed: Installed | None, *, trust: bool = True, restore: bool = False) -> Outcome:
        """Do it all, anew if the version was imported again meanwhile."""
        changes = 0
        while True:
            try:
                return self._try(installed, trust=trust, restore=restore)
            except VersionChanged:
                changes += 1
                if changes >= _MOST_CHANGES:
                    raise

    def _try(self, installed: Installed | None, *, trust: bool, restore: bool) -> Outcome:
        self._progress.begin(Phase.PREPARE, total=0)
        target = self._fetch_manifest()
        staging = Staging(self._own, target.manifest, etag=target.etag)
        try:
            if staging.resumed:
                text = f"This goes on from before: {readable(staging.resumed)} are there already."
                self._progress.notice(Notice(NoticeKind.RESUMED, text))
            work = self._work(staging)
            made = self._build(Builder(self._own.folder, target, installed, work), trust=trust, restore=restore)
        finally:
            staging.close()
        self._switch(target, made)
        self._tell(made.decision)
        return Outcome(
            version=self._version,
            fetched=self._server.received - self._received,
            reused=max(0, target.manifest.size - work.intake.fetched),
            kept=tuple(made.decision.kept),
            aside=tuple(made.decision.aside),
        )

    def _fetch_manifest(self) -> FetchedManifest:
        target = self._server.manifest(self._version.id)
        if target is None or (target.manifest.version, target.manifest.game) != (self._version.id, self._game.id):
            raise BadManifest("The server sent the manifest of another version. Nothing was changed.")
        return target

    def _work(self, staging: Staging) -> Work:
        crew = Crew(max(1, min(self._options.connections, self._most_at_once())))
        patience = Patience(self._server.patience, stopped=crew.stopped)
        return Work(
            server=self._server,
            staging=staging,
            intake=Intake(staging, crew=crew, patience=patience, progress=self._progress),
            crew=crew,
            patience=patience,
            limiter=Limiter(self._options.limit_rate, stopped=crew.stopped),
            line=Line(self._options.compress),
            progress=self._progress,
        )

    def _most_at_once(self) -> int:
        """Ask how many transfers the server allows, so that none of ours is refused."""
        try:
            limits = self._server.limits()
        except (Refused, BadAnswer):
            return self._options.connections
        allowed = (limits.downloads_at_once, limits.server.downloads_at_once, self._options.connections)
        return min(each for each in allowed if each is not None)

    def _build(self, builder: Builder, *, trust: bool, restore: bool) -> _Made:
        """Build until nothing is missing; what the player changes while that takes its time is seen in the end."""
        staging = builder.work.staging
        while True:
            new = builder.target.manifest
            situation = self._looker.situation(new, builder.installed, trust=trust, restore=restore)
            decision = decide(situation)
            if not staging.missing(decision.make):
                return _Made(decision, disk=situation.disk, staged=staging.finish(decision.make))
            builder.build(decision.make, situation)

    def _switch(self, target: FetchedManifest, made: _Made) -> None:
        self._progress.begin(Phase.SWITCH, total=0)
        installation = Installation(self._server.address, self._game, self._version, target.etag)
        self._own.write_next(installation, manifest=target.data, stamps=made.stamps(target.manifest))
        begin_switch(self._own, made.decision)
        finish_switch(self._own)

    def _tell(self, decision: Decision) -> None:
        for path in decision.kept:
            text = f"{quoted(path)} was changed by you and stays as it is."
            self._progress.notice(Notice(NoticeKind.KEPT, text, path))
        for path, aside in decision.aside:
            text = f"{quoted(path)} was not the version's and is now {quoted(aside)}."
            self._progress.notice(Notice(NoticeKind.PUT_ASIDE, text, path, aside))
