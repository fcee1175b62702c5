"""Giving patches to players, and having them made."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.features.patches import queries
from playdock.features.patches.errors import NoPatches, PatchesFailed, PatchesNotMade, PatchSetUnknown, TooManyPatches
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.models import PatchSet, Task, Version
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.sweeping import sweep
from playdock.stored import PatchVersionArguments, patches_subject
from playdock.tasks import queries as job_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

TASK_TYPE = "patch:version"
MAX_WAITING_TASKS = 100
_BYTES = "patches"
_LISTS = "patchlists"
_NOTED_EVERY = timedelta(hours=1)
_NOT_TRIED_FOR = timedelta(hours=1)


class VersionPair(Struct, frozen=True):
    """Two versions of one game and platform: patches take a player from the older to the newer."""

    old: Version
    new: Version

    @property
    def subject(self) -> str:
        """What a task that makes patches works on; it ends with all that works on the game's versions."""
        return patches_subject(self.new.game_id, new_id=self.new.id, old_id=self.old.id)

    def suits(self, patch_set: PatchSet) -> bool:
        """Return whether a set was made of these versions as they are now."""
        etags = (self.old.manifest_etag, self.new.manifest_etag)
        return (patch_set.from_etag, patch_set.version_etag) == etags


class RunningTask(Struct, frozen=True):
    """The task that is making patches."""

    id: str


class PatchSetBytes(Struct, frozen=True):
    """The bytes of a set: to which version they lead, their key in the storage, how many, their ETag without quotes."""

    version_id: str
    key: str
    size: int
    etag: str


class Patches(Struct, frozen=True):
    """Sets of patches."""

    db: Database
    clock: Clock
    blobs: Blobs
    notify_runner: Callable[[], None]

    def find(self, actor: Actor, version_id: str, from_id: str) -> Iterator[bytes] | RunningTask:
        """Return the listing of the patches from a version, compressed by zstd, or the task that is making them.

        Raises:
            VersionUnknown: one of the two is not there, or they are not two versions of one game.
            NoPatches: the one is not a later version of the other's platform.
            PatchesFailed: Making them has failed within the last hour.
            PatchesNotMade: Nobody has requested them.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            pair = find_pair(session, version_id, from_id)
            found = queries.find(session, version_id, from_id)
            last = queries.last_task(session, pair.subject)
        if found is not None and pair.suits(found):
            self._note_use(found)
            with suppress(NoSuchBlob):
                return self.blobs.open(list_key(found.id))
        if last and not last.ended:
            return RunningTask(last.id)
        self._refuse_failed(last)
        raise PatchesNotMade

    def begin(self, actor: Actor, version_id: str, from_id: str) -> str:
        """Have patches made, and return the id of the new task, or of the one that is making them.

        Raises:
            VersionUnknown: one of the two is not there, or they are not two versions of one game.
            NoPatches: the one is not a later version of the other's platform.
            PatchesFailed: it was tried a short while ago.
            TooManyPatches: too many others wait to be made.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.write() as session:
            pair = find_pair(session, version_id, from_id)
            last = queries.last_task(session, pair.subject)
            if last is None or last.ended:
                self._refuse_failed(last)
                _refuse_too_many(session)
            task_id = self._enqueue(session, pair)
        self.notify_runner()
        return task_id

    def bytes_of(self, actor: Actor, set_id: str) -> PatchSetBytes:
        """Describe what the bytes of a set are.

        Raises:
            PatchSetUnknown: there is no such set any more.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            found = queries.find_set(session, set_id)
        if found is None:
            raise PatchSetUnknown
        self._note_use(found)
        return PatchSetBytes(found.version_id, bytes_key(set_id), found.size, set_id)

    def follow(self, session: Session, version: Version) -> None:
        """Have the patches made that take players from the version before to one that has just been imported."""
        before = queries.version_before(session, version)
        if before is not None:
            self._enqueue(session, VersionPair(before, version))

    def stop(self, session: Session, version_id: str) -> None:
        """Stop the making of patches from and to a version that is about to go."""
        for task in job_queries.active_tasks(session, TASK_TYPE):
            arguments = stored.decode(task.arguments, PatchVersionArguments)
            if version_id in (arguments.version, arguments.from_id):
                job_queries.cancel(session, task.id, at=self.clock())

    def discard(self, set_id: str) -> None:
        """Throw away what is stored of a set that is not there any more, or never came to be."""
        self.blobs.delete(bytes_key(set_id))
        self.blobs.delete(list_key(set_id))

    def sweep(self, *, before: datetime) -> int:
        """Throw away what belongs to no set and was written before a moment, and return how much that was."""
        return sweep(self.blobs, _BYTES, _LISTS, before=before, known=self._known)

    def _known(self) -> set[str]:
        with self.db.read() as session:
            return queries.referenced_ids(session)

    def _note_use(self, found: PatchSet) -> None:
        now = self.clock()
        if now - found.used >= _NOTED_EVERY:
            with self.db.write() as session:
                queries.note_use(session, found.id, at=now)

    def _refuse_failed(self, last: Task | None) -> None:
        if last and last.ended and not last.success and self.clock() - last.ended < _NOT_TRIED_FOR:
            raise PatchesFailed

    def _enqueue(self, session: Session, pair: VersionPair) -> str:
        game = game_queries.find_game(session, pair.new.game_id)
        new_task = NewTask(
            task_type=TASK_TYPE,
            name=Message("make-patches", game=game.name if game else "", older=pair.old.name, newer=pair.new.name),
            subject=pair.subject,
            queue=Queue.LOW,
            acls=(Permission.CONTENT_READ, Permission.TASK_READ),
            arguments=PatchVersionArguments(version=pair.new.id, from_id=pair.old.id),
        )
        try:
            return enqueue(session, new_task, at=self.clock())
        except TaskAlreadyRunning as running:
            return running.task_id


def find_pair(session: Session, version_id: str, from_id: str) -> VersionPair:
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
    return VersionPair(old, new)


def _refuse_too_many(session: Session) -> None:
    if queries.count_waiting(session, TASK_TYPE) >= MAX_WAITING_TASKS:
        raise TooManyPatches


def bytes_key(set_id: str) -> str:
    return f"{_BYTES}/{set_id}"


def list_key(set_id: str) -> str:
    return f"{_LISTS}/{set_id}"
