"""Finding patches, and starting the tasks that create them."""

from collections.abc import Callable, Collection, Iterable, Iterator
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
from playdock.kit.content_encoding import ContentEncoding
from playdock.kit.messages import Message
from playdock.models import PatchSet, Task, Version
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.encoded_blobs import EncodedBlobs
from playdock.storage.sweeping import discard, sweep
from playdock.stored import PatchVersionArguments, patches_subject
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

TASK_TYPE = "patch:version"
IMPROVE_TYPE = "patch:improve"
MAX_WAITING_TASKS = 100
_BYTES = "patches"
_LISTS = "patchlists"
# Frames of sets that are being made, so that an interrupted task does not make them again.
_PARTS = "patchparts"
_NOTED_EVERY = timedelta(hours=1)
_NOT_TRIED_FOR = timedelta(hours=1)
# Smaller sets are downloaded in a second anyway.
_MIN_BYTES_TO_IMPROVE = 1024 * 1024


class VersionPair(Struct, frozen=True):
    """Two versions of a game for one platform: an installation is updated from ``old`` to ``new``.

    ``new`` is a later version, or the previous one.
    """

    old: Version
    new: Version

    @property
    def subject(self) -> str:
        """The subject of the task that creates the patches; tasks of the game's versions have the same prefix."""
        return patches_subject(self.new.game_id, new_id=self.new.id, old_id=self.old.id)

    def suits(self, patch_set: PatchSet) -> bool:
        """Return whether a set was created from the current revisions of these versions."""
        etags = (self.old.manifest_etag, self.new.manifest_etag)
        return (patch_set.from_etag, patch_set.version_etag) == etags


class RunningTask(Struct, frozen=True):
    """The task that is creating patches."""

    id: str


class PatchSetBytes(Struct, frozen=True):
    """The bytes of a set: the newer version, their key in the storage, their size, and their ETag without quotes."""

    version_id: str
    key: str
    size: int
    etag: str


class Patches(Struct, frozen=True):
    """Operations on sets of patches."""

    db: Database
    clock: Clock
    blobs: Blobs
    encoded_blobs: EncodedBlobs
    notify_runner: Callable[[], None]

    def find(
        self, actor: Actor, version_id: str, from_id: str, encoding: ContentEncoding
    ) -> Iterator[bytes] | RunningTask:
        """Return the listing of the patches from a version, in a content encoding, or the task that is creating them.

        Raises:
            VersionUnknown: one of the two is not there, or they are not two versions of one game.
            NoPatches: the one is not a later version of the other's platform, or the previous one.
            PatchesFailed: Making them has failed within the last hour.
            PatchesNotMade: they have not been requested.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            pair = find_pair(session, version_id, from_id)
            found = queries.find(session, version_id, from_id)
            last = queries.last_task(session, pair.subject)
        if found is not None and pair.suits(found):
            self._note_use(found)
            try:
                return self.encoded_blobs.open(list_key(found.id), encoding)
            except NoSuchBlob:
                self.forget(found.id)
        if last and not last.ended:
            return RunningTask(last.id)
        self._refuse_failed(last)
        raise PatchesNotMade

    def begin(self, actor: Actor, version_id: str, from_id: str) -> str:
        """Start creating patches, and return the id of the new task, or of the one that is creating them.

        Raises:
            VersionUnknown: one of the two is not there, or they are not two versions of one game.
            NoPatches: the one is not a later version of the other's platform, or the previous one.
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
        """Return the size and location of the bytes of a set.

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
        """Start creating the patches from the previous version to one that was just imported."""
        before = queries.version_before(session, version)
        if before is not None:
            self._enqueue(session, VersionPair(before, version))

    def follow_again(self, session: Session, version: Version) -> None:
        """Start creating the patches from and to a version that was missing, if there are none."""
        later = [
            each for each in game_queries.versions_of(session, version.game_id) if each.position > version.position
        ]
        after = next((each for each in later if each.platform == version.platform), None)
        for each in filter(None, (version, after)):
            self.follow(session, each)

    def improve(self, session: Session, pair: VersionPair, *, size: int, differences: bool) -> None:
        """Have a set of some size in bytes replaced by a smaller one.

        With ``differences``, programs get them right away. Otherwise everything is made with high effort while the
        machine has nothing else to do.
        """
        if size >= _MIN_BYTES_TO_IMPROVE:
            self._enqueue(session, pair, IMPROVE_TYPE, differences=differences)

    def stop(self, session: Session, version_id: str) -> None:
        """Cancel creating patches from and to a version that is being deleted."""
        active = (task for kind in (TASK_TYPE, IMPROVE_TYPE) for task in task_queries.active_tasks(session, kind))
        for task in active:
            arguments = stored.decode(task.arguments, PatchVersionArguments)
            if version_id in (arguments.version, arguments.from_id):
                task_queries.cancel(session, task.id, at=self.clock())

    def forget_version(self, session: Session, version_id: str) -> None:
        """Delete the sets from and to a version, which has another game now. Their stored bytes are swept."""
        queries.delete_sets_of(session, version_id)

    def discard(self, set_id: str) -> None:
        """Delete the stored bytes of a set that was deleted or never completed."""
        discard(self.blobs, bytes_key(set_id))
        discard(self.blobs, list_key(set_id))

    def discard_parts(self, keys: Iterable[str]) -> None:
        """Delete frames that are in a completed set. Those of a task that failed are swept."""
        for key in keys:
            discard(self.blobs, key)

    def forget(self, set_id: str) -> None:
        """Delete a set whose bytes are missing, so that it can be created again. What is left of them is swept."""
        self.db.note(lambda session: queries.delete_set(session, set_id))

    def sweep(self, *, before: datetime) -> int:
        """Delete bytes that belong to no set and were written before a given time, and return their number."""
        return sweep(self.blobs, _BYTES, _LISTS, before=before, referenced=self._existing) + sweep(
            self.blobs, _PARTS, before=before, referenced=self._unfinished
        )

    def _existing(self, set_ids: Collection[str]) -> set[str]:
        with self.db.read() as session:
            return queries.existing_ids(session, set_ids)

    def _unfinished(self, names: Collection[str]) -> set[str]:
        """Return which names of parts are those of tasks that have not ended."""
        with self.db.read() as session:
            active = queries.active_among(session, {_task_of(name) for name in names})
        return {name for name in names if _task_of(name) in active}

    def _note_use(self, found: PatchSet) -> None:
        now = self.clock()
        if now - found.used >= _NOTED_EVERY:
            self.db.note(lambda session: queries.note_use(session, found.id, at=now))

    def _refuse_failed(self, last: Task | None) -> None:
        if last and last.ended and not last.success and self.clock() - last.ended < _NOT_TRIED_FOR:
            raise PatchesFailed

    def _enqueue(
        self, session: Session, pair: VersionPair, task_type: str = TASK_TYPE, *, differences: bool = False
    ) -> str:
        game = game_queries.find_game(session, pair.new.game_id)
        improves = task_type == IMPROVE_TYPE
        code = "improve-patches" if improves else "make-patches"
        older, newer = (each.label or each.name for each in (pair.old, pair.new))
        new_task = NewTask(
            task_type=task_type,
            name=Message(code, game=game.name if game else "", older=older, newer=newer),
            subject=f"{pair.subject}:{'differences' if differences else 'improve'}" if improves else pair.subject,
            queue=_queue(improves=improves, differences=differences),
            acls=(Permission.CONTENT_READ, Permission.TASK_READ),
            arguments=PatchVersionArguments(version=pair.new.id, from_id=pair.old.id, differences=differences),
        )
        try:
            return enqueue(session, new_task, at=self.clock())
        except TaskAlreadyRunning as running:
            return running.task_id


def find_pair(session: Session, version_id: str, from_id: str) -> VersionPair:
    """Find two versions between which patches can be created.

    Raises:
        VersionUnknown: they are not there, or are not two of one game.
        NoPatches: the one is not a later version of the other's platform, or the previous one.
    """
    old, new = game_queries.find_version(session, from_id), game_queries.find_version(session, version_id)
    if old is None or new is None or old.id == new.id or old.game_id != new.game_id:
        raise VersionUnknown
    if old.platform != new.platform:
        raise NoPatches
    if old.position > new.position and queries.version_before(session, old) != new:
        raise NoPatches
    return VersionPair(old, new)


def _refuse_too_many(session: Session) -> None:
    if queries.count_waiting(session, TASK_TYPE) >= MAX_WAITING_TASKS:
        raise TooManyPatches


def bytes_key(set_id: str) -> str:
    return f"{_BYTES}/{set_id}"


def list_key(set_id: str) -> str:
    return f"{_LISTS}/{set_id}"


def part_key(task_id: str, made_from: str) -> str:
    """Return the key of a frame that a task has made; ``made_from`` identifies what it was made from."""
    return f"{_PARTS}/{task_id}-{made_from}"


def _task_of(part: str) -> str:
    return part.rpartition("-")[0]


def _queue(*, improves: bool, differences: bool) -> Queue:
    """Return a queue in which clients do not wait for differences, nor these for high effort or a verification."""
    if not improves:
        return Queue.PATCHES
    return Queue.LOW if differences else Queue.BACKGROUND
