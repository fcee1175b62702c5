"""Giving patches to players, and having them made."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.games import queries as game_queries
from playdock.features.games.errors import VersionUnknown
from playdock.features.patches import queries
from playdock.features.patches.errors import NoPatches, PatchesFailed, PatchSetUnknown, TooManyPatches
from playdock.jobs import queries as job_queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import Clock
from playdock.models import PatchSet, Task, Version
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.sweeping import sweep

GROUP = "patch:version"
MOST_WAITING = 100
_BYTES = "patches"
_LISTS = "patchlists"
_NOTED_EVERY = timedelta(hours=1)
_NOT_TRIED_FOR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two versions of one game and platform: patches take a player from the older to the newer."""

    old: Version
    new: Version

    @property
    def subject(self) -> str:
        """What a task that makes patches works on; it ends with all that works on the game's versions."""
        return f"version:{self.new.game_id}:{self.new.id}:{self.old.id}"

    def suits(self, patch_set: PatchSet) -> bool:
        """Tell whether a set was made of these versions as they are now."""
        etags = (self.old.manifest_etag, self.new.manifest_etag)
        return (patch_set.from_etag, patch_set.version_etag) == etags


@dataclass(frozen=True, slots=True)
class SetBytes:
    """The bytes of a set: to which version they lead, their key in the storage, how many, their ETag without quotes."""

    version_id: str
    key: str
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class Patches:
    """Sets of patches."""

    db: Database
    clock: Clock
    blobs: Blobs
    wake: Callable[[], None]

    def find(self, actor: Actor, version_id: str, from_id: str) -> Iterator[bytes] | None:
        """Give the listing of the patches from a version, compressed by zstd; None if they are still to be made.

        Raises:
            VersionUnknown: one of the two is not there, or they are not two versions of one game.
            NoPatches: the one is not a later version of the other's platform.
        """
        actor.require(Acl.CONTENT_READ)
        with self.db.read() as session:
            pair = find_pair(session, version_id, from_id)
            found = queries.find(session, version_id, from_id)
        if found is None or not pair.suits(found):
            return None
        self._note_use(found)
        with suppress(NoSuchBlob):
            return self.blobs.open(list_key(found.id))
        return None

    def begin(self, actor: Actor, version_id: str, from_id: str) -> str:
        """Have patches made, and give the id of the task that does it, or does it already.

        Raises:
            VersionUnknown: one of the two is not there, or they are not two versions of one game.
            NoPatches: the one is not a later version of the other's platform.
            PatchesFailed: it was tried a short while ago.
            TooManyPatches: too many others wait to be made.
        """
        actor.require(Acl.CONTENT_READ)
        with self.db.write() as session:
            pair = find_pair(session, version_id, from_id)
            last = queries.last_task(session, pair.subject)
            if last is None or last.ended:
                self._refuse_failed(last)
                _refuse_too_many(session)
            task_id = self._enqueue(session, pair)
        self.wake()
        return task_id

    def bytes_of(self, actor: Actor, set_id: str) -> SetBytes:
        """Tell what the bytes of a set are.

        Raises:
            PatchSetUnknown: there is no such set any more.
        """
        actor.require(Acl.CONTENT_READ)
        with self.db.read() as session:
            found = queries.find_set(session, set_id)
        if found is None:
            raise PatchSetUnknown
        self._note_use(found)
        return SetBytes(found.version_id, bytes_key(set_id), found.size, set_id)

    def follow(self, session: Session, version: Version) -> None:
        """Have the patches made that take players from the version before to one that has just been imported."""
        before = queries.version_before(session, version)
        if before is not None:
            self._enqueue(session, Pair(before, version))

    def stop(self, session: Session, version_id: str) -> None:
        """Stop the making of patches from and to a version that is about to go."""
        for task in job_queries.living_of(session, GROUP):
            if version_id in (task.arguments["version"], task.arguments["from"]):
                job_queries.cancel(session, task.id, at=self.clock())

    def discard(self, set_id: str) -> None:
        """Throw away what is stored of a set that is not there any more, or never came to be."""
        self.blobs.delete(bytes_key(set_id))
        self.blobs.delete(list_key(set_id))

    def sweep(self, *, before: datetime) -> int:
        """Throw away what belongs to no set and was written before a moment, and give how much that was."""
        return sweep(self.blobs, _BYTES, _LISTS, before=before, known=self._known)

    def _known(self) -> set[str]:
        with self.db.read() as session:
            return queries.known(session)

    def _note_use(self, found: PatchSet) -> None:
        now = self.clock()
        if now - found.used >= _NOTED_EVERY:
            with self.db.write() as session:
                queries.note_use(session, found.id, at=now)

    def _refuse_failed(self, last: Task | None) -> None:
        if last and last.ended and not last.success and self.clock() - last.ended < _NOT_TRIED_FOR:
            raise PatchesFailed

    def _enqueue(self, session: Session, pair: Pair) -> str:
        game = game_queries.find_game(session, pair.new.game_id)
        draft = TaskDraft(
            group=GROUP,
            name=f"Make patches from {game.name if game else ''} {pair.old.name} to {pair.new.name}",
            subject=pair.subject,
            lane=Lane.SPARE,
            acls=(Acl.CONTENT_READ, Acl.TASK_READ),
            arguments={"version": pair.new.id, "from": pair.old.id},
        )
        try:
            return enqueue(session, draft, at=self.clock())
        except TaskAlreadyRunning as running:
            return running.task_id


def find_pair(session: Session, version_id: str, from_id: str) -> Pair:
    """Find two versions that there may be patches between.

    Raises:
        VersionUnknown: they are not there, or are not two of one game.
        NoPatches: the one is not a later version of the other's platform.
    """
    old, new = game_queries.find_version(session, from_id), game_queries.find_version(session, version_id)
    if old is None or new is None or old.id == new.id or old.game_id != new.game_id:
        raise VersionUnknown
    if old.platform != new.platform or old.position > new.position:
        raise NoPatches
    return Pair(old, new)


def _refuse_too_many(session: Session) -> None:
    if queries.count_waiting(session, GROUP) >= MOST_WAITING:
        raise TooManyPatches


def bytes_key(set_id: str) -> str:
    return f"{_BYTES}/{set_id}"


def list_key(set_id: str) -> str:
    return f"{_LISTS}/{set_id}"
