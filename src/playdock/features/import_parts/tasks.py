"""Reading the parts of a version: by the task that imports it, and by the tasks of other nodes."""

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from math import inf
from time import monotonic

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.permissions import Permission
from playdock.content.errors import UnreadableRecord
from playdock.content.layouts import shown_version
from playdock.content.packed_list import pieces
from playdock.content.records import Checkpoint, encode_checkpoint
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries.service import LibraryBackends, OnDisk
from playdock.features.import_parts import queries, rules
from playdock.features.import_parts.errors import failures_translated, game_deleted
from playdock.features.import_parts.queries import PartProgress
from playdock.kit.messages import Message
from playdock.kit.workers import node_of
from playdock.models import Game, ImportPart
from playdock.nodes import queries as node_queries
from playdock.storage.entries import Tree, TreeEntry
from playdock.storage.ingest import Earlier
from playdock.storage.parts import PartLimits, decode_part, encode_part, is_divisible, parts_of, read_part, unread
from playdock.stored import version_subject
from playdock.stored_import_parts import ReadPartsArguments
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Postponed, RetryableFailure, TaskFailed
from playdock.tasks.new_task import NewTask, Queue
from playdock.tasks.rules import MAX_RETRIES, classify_failure

READ_PARTS = "read:parts"
LIMITS = PartLimits()
# Nodes may start while the version is read.
_TIME_BETWEEN_CALLS = timedelta(minutes=1)
# How soon the import continues when other nodes have read the last parts.
_WAIT_SECONDS = 0.5
# Often enough, compared with the longest standstill.
_SECONDS_BETWEEN_SIGNS = 10.0
# How soon a node looks again for a part that another one has given up.
_TIME_BETWEEN_LOOKS = timedelta(seconds=5)


class _PartTaken(Exception):
    """The part is another task's, or is gone, because the import has ended or begun again."""


class PartsToRead(Struct, frozen=True):
    """The parts of a version for a task: the one that imports it, or one of another node.

    ``known`` are the bytes of the version that are in no part, for the progress of the task.
    """

    context: TaskContext
    import_task: str
    game_id: str
    version: str
    beside: bool = False
    known: int = 0

    def read_next(self, tree: Tree) -> bool:
        """Read the first part that no task reads. False if there is none."""
        context = self.context
        with context.transaction() as session:
            part = queries.claim_part(session, self.import_task, context.task, at=context.clock())
            before = queries.part_progress(session, self.import_task)
        if part is None:
            return False
        reading = _PartReading(self, part, before)
        try:
            read_part(tree, decode_part(part.content), workers=os.cpu_count() or 1, checkpoint=reading.keep)
            reading.complete()
        except _PartTaken:
            # There may be others.
            pass
        return True

    def advance(self, read: int, total: int) -> None:
        """Set the progress of the task, and raise an error as `TaskContext.advance` does."""
        self.context.advance(rules.READING_PERCENT * (self.known + read), 100.0 * (self.known + total))


class _PartReading(Struct):
    """Stores what is read of a part, and that it is read: ``done`` bytes, last at the time ``stored``."""

    parts: PartsToRead
    part: ImportPart
    before: PartProgress
    done: int = 0
    stored: float = -inf

    def keep(self, checkpoint: Checkpoint) -> None:
        self.parts.advance(self.before.read + checkpoint.done, self.before.total)
        context, parts = self.parts.context, self.parts
        if checkpoint.files or checkpoint.partials or checkpoint.ranges:
            with context.checkpoint() as session:
                at = context.clock()
                store_checkpoint(session, checkpoint, at=at, game_id=parts.game_id, version=parts.version)
                self._keep_part(session)
        elif checkpoint.done > self.done and monotonic() - self.stored >= _SECONDS_BETWEEN_SIGNS:
            with context.transaction() as session:
                self._keep_part(session)
        self.done = checkpoint.done

    def complete(self) -> None:
        with self.parts.context.checkpoint() as session:
            self._keep_part(session, complete=True)

    def _keep_part(self, session: Session, *, complete: bool = False) -> None:
        context = self.parts.context
        if not queries.keep_part(session, self.part.id, context.task, at=context.clock(), complete=complete):
            raise _PartTaken
        self.stored = monotonic()


class ReadParts(Struct, frozen=True):
    """Reads a part of a version that another node imports, and then lets other tasks run before the next one."""

    backends: LibraryBackends
    task_type: str = READ_PARTS

    def run(self, context: TaskContext) -> None:
        try:
            with failures_translated():
                self._read(context)
        except UnreadableRecord:
            _leave(context, Message("parts-of-other-release"))
        except (TaskFailed, RetryableFailure, OSError) as failure:
            action = classify_failure(failure)
            if action.retryable and context.task.retries < MAX_RETRIES:
                raise
            _leave(context, action.detail)

    def _read(self, context: TaskContext) -> None:
        """Read a part. Raises Postponed until the import has ended: nodes may fail, and leave parts to others."""
        arguments = context.arguments(ReadPartsArguments)
        with context.db.read() as session:
            importing = task_queries.find(session, arguments.task)
            found = game_queries.find_library_of(session, arguments.game)
        if importing is None or importing.ended or found is None:
            return
        game, library = found
        tree = self.backends.files_of(game, library).open(arguments)
        has_read = PartsToRead(context, arguments.task, game.id, arguments.name).read_next(tree)
        raise Postponed(context.clock() + (timedelta() if has_read else _TIME_BETWEEN_LOOKS))


def read_together(
    context: TaskContext, tree: Tree, entries: Sequence[TreeEntry], *, game: Game, version: OnDisk, earlier: Earlier
) -> bool:
    """Read what is not known of a large version, as checkpoints of its import, if other nodes can read parts of it.

    ``entries`` are those of the tree. Return whether that was done. Raises as `ingest` does.
    """
    with context.transaction() as session:
        # Those of an earlier attempt, which some of the nodes may still read.
        queries.delete_parts(session, context.task.id)
    others = _other_nodes(context)
    # Nodes with a common database may start later.
    if not is_divisible(tree) or (context.db.embedded and not others):
        return False
    # Serialized, because the entries of a million files would take 300 MB.
    parts = [(part.size, encode_part(part)) for part in parts_of(unread(entries, earlier), LIMITS)]
    size = sum(size for size, _ in parts)
    if not rules.worth_sharing(len(parts), size=size, most=LIMITS.size):
        return False
    # Little enough each time to be written in less time than a lease lasts.
    for some in pieces(parts, weigh=lambda part: len(part[1])):
        with context.transaction() as session:
            queries.add_parts(session, context.task.id, some)
    context.log(Message("parts-shared", parts=len(parts)))
    known = sum(entry.size for entry in entries if entry.target is None) - size
    _read_all(PartsToRead(context, context.task.id, game.id, version.name, version.beside, known), tree, game=game)
    return True


def store_checkpoint(session: Session, checkpoint: Checkpoint, *, at: datetime, game_id: str, version: str) -> None:
    """Store what an import has read. Raises TaskFailed if the game has been deleted."""
    if not game_queries.lock_game(session, game_id):
        raise game_deleted()
    queries.add_checkpoint(session, game_id, version, at=at, records=encode_checkpoint(checkpoint))


def _leave(context: TaskContext, reason: Message) -> None:
    """Give up without a failure: the import reads the part itself, and fails if it cannot either."""
    context.log(Message("parts-left", reason=reason), level="warn")


def cancel_abandoned(session: Session, *, at: datetime) -> None:
    """Cancel the tasks of nodes that are gone, whose imports have ended."""
    for task in task_queries.active_tasks(session, READ_PARTS):
        importing = task_queries.find(session, stored.decode(task.arguments, ReadPartsArguments).task)
        if importing is None or importing.ended:
            task_queries.cancel(session, task.id, at=at)


def _read_all(parts: PartsToRead, tree: Tree, *, game: Game) -> None:
    """Read parts until none is left, and wait for those that other nodes read."""
    context, called = parts.context, None
    while True:
        with context.db.read() as session:
            progress = queries.part_progress(session, context.task.id)
        parts.advance(progress.read, progress.total)
        if not progress.left:
            others = _other_nodes(context)
            with context.db.write() as session:
                _cancel_of_gone(session, parts, nodes=others)
            return
        if called is None or context.clock() - called >= _TIME_BETWEEN_CALLS:
            called = context.clock()
            _call_others(parts, game=game)
        if not parts.read_next(tree):
            context.stopping.wait(_WAIT_SECONDS)


def _call_others(parts: PartsToRead, *, game: Game) -> None:
    """Enqueue a task for each other node, unless it has had one: then it reads, has given up, or was told to stop."""
    context, others = parts.context, _other_nodes(parts.context)
    with context.db.write() as session:
        _cancel_of_gone(session, parts, nodes=others)
        for node in others:
            subject = f"{version_subject(game.id, parts.version)}/parts/{node}"
            last = task_queries.last_on(session, subject)
            if last and stored.decode(last.arguments, ReadPartsArguments).task == parts.import_task:
                continue
            new = NewTask(
                task_type=READ_PARTS,
                name=Message("read-parts", game=game.name, version=shown_version(parts.version)),
                subject=subject,
                queue=Queue.CPU,
                acls=(Permission.IMPORT_VERSION,),
                arguments=ReadPartsArguments(
                    task=parts.import_task, game=game.id, name=parts.version, beside=parts.beside
                ),
                node=node,
            )
            task_queries.add(session, new, at=context.clock())


def _cancel_of_gone(session: Session, parts: PartsToRead, *, nodes: Sequence[str]) -> None:
    """Cancel the tasks of this import for nodes that are not among those that run."""
    for task in task_queries.active_tasks(session, READ_PARTS):
        if task.node not in nodes and stored.decode(task.arguments, ReadPartsArguments).task == parts.import_task:
            task_queries.cancel(session, task.id, at=parts.context.clock())


def _other_nodes(context: TaskContext) -> list[str]:
    with context.db.read() as session:
        names = [node.name for node in node_queries.list_alive(session, at=context.clock())]
    return rules.other_nodes(names, node_of(context.task.worker_id or ""))
