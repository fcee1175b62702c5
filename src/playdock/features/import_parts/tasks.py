"""Reading the parts of a version: by the task that imports it, and by the tasks of other nodes."""

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.permissions import Permission
from playdock.content.records import Checkpoint, encode_checkpoint
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.import_parts import queries, rules
from playdock.features.import_parts.errors import failures_translated, game_deleted
from playdock.kit.messages import Message
from playdock.kit.workers import node_of
from playdock.models import Game, ImportPart
from playdock.nodes import queries as node_queries
from playdock.storage.entries import Tree, TreeEntry
from playdock.storage.ingest import Earlier
from playdock.storage.parts import (
    PartLimits,
    can_seek,
    consists_of_single_files,
    decode_part,
    encode_part,
    parts_of,
    read_part,
    unread,
)
from playdock.stored import version_subject
from playdock.stored_import_parts import ReadPartsArguments
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Postponed, RetryableFailure, TaskFailed
from playdock.tasks.new_task import NewTask, Queue
from playdock.tasks.rules import classify_failure

READ_PARTS = "read:parts"
LIMITS = PartLimits()
# Other nodes may start, or give up, while the version is read.
_TIME_BETWEEN_CALLS = timedelta(minutes=1)
# How soon the import continues when other nodes have read the last parts.
_WAIT_SECONDS = 0.5


class _PartTaken(Exception):
    """The part is another task's, or is gone, because the import has ended or begun again."""


class PartsToRead(Struct, frozen=True):
    """The parts of a version for a task: the one that imports it, or one of another node."""

    context: TaskContext
    import_task: str
    game_id: str
    version: str

    def read_next(self, tree: Tree) -> bool:
        """Read the first part that no task reads. False if there is none."""
        context = self.context
        with context.checkpoint() as session:
            part = queries.claim_part(session, self.import_task, context.task, at=context.clock())
        if part is None:
            return False
        keep = partial(self._keep, part)
        try:
            read_part(tree, decode_part(part.content), workers=os.cpu_count() or 1, checkpoint=keep)
            with context.checkpoint() as session:
                queries.keep_part(session, part.id, context.task, complete=True)
        except _PartTaken:
            return False
        return True

    def _keep(self, part: ImportPart, checkpoint: Checkpoint) -> None:
        self.context.check()
        if not (checkpoint.files or checkpoint.partials or checkpoint.ranges):
            return
        with self.context.checkpoint() as session:
            store_checkpoint(session, checkpoint, at=self.context.clock(), game_id=self.game_id, version=self.version)
            if not queries.keep_part(session, part.id, self.context.task):
                raise _PartTaken


class ReadParts(Struct, frozen=True):
    """Reads a part of a version that another node imports, and then lets other tasks run before the next one."""

    backends: LibraryBackends
    task_type: str = READ_PARTS

    def run(self, context: TaskContext) -> None:
        try:
            with failures_translated():
                more = self._read(context)
        except (TaskFailed, RetryableFailure, OSError) as failure:
            # The import reads the part itself, and fails if it cannot either.
            context.log(Message("parts-left", reason=classify_failure(failure).detail), level="warn")
            return
        if more:
            raise Postponed(context.clock())

    def _read(self, context: TaskContext) -> bool:
        arguments = context.arguments(ReadPartsArguments)
        with context.db.read() as session:
            importing = task_queries.find(session, arguments.task)
            found = game_queries.find_library_of(session, arguments.game)
        if importing is None or importing.ended or found is None:
            return False
        game, library = found
        tree = self.backends.of_game(game, library).open(game.path, arguments.name)
        return PartsToRead(context, arguments.task, game.id, arguments.name).read_next(tree)


def read_together(
    context: TaskContext, tree: Tree, entries: Sequence[TreeEntry], *, game: Game, version: str, earlier: Earlier
) -> bool:
    """Read what is not known of a large version, as checkpoints of its import, if other nodes can read parts of it.

    ``entries`` are those of the tree. Return whether that was done. Raises as `ingest` does.
    """
    others = _other_nodes(context)
    if not others or not consists_of_single_files(tree):
        return False
    with tree.reader() as reader:
        seeks = partial(can_seek, reader)
        parts = list(parts_of(unread(entries, earlier), LIMITS, can_seek=seeks))
    if not rules.worth_sharing([part.size for part in parts], most=LIMITS.size):
        return False
    with context.checkpoint() as session:
        queries.replace_parts(session, context.task.id, ((part.size, encode_part(part)) for part in parts))
    context.log(Message("parts-shared", parts=len(parts), nodes=others + 1))
    _read_all(context, PartsToRead(context, context.task.id, game.id, version), tree, game=game)
    return True


def store_checkpoint(session: Session, checkpoint: Checkpoint, *, at: datetime, game_id: str, version: str) -> None:
    """Store what an import has read. Raises TaskFailed if the game has been deleted."""
    if not game_queries.lock_game(session, game_id):
        raise game_deleted()
    queries.add_checkpoint(session, game_id, version, at=at, records=encode_checkpoint(checkpoint))


def _read_all(context: TaskContext, parts: PartsToRead, tree: Tree, *, game: Game) -> None:
    """Read parts until none is left, and wait for those that other nodes read."""
    called = None
    while True:
        with context.db.read() as session:
            progress = queries.part_progress(session, context.task.id)
        context.advance(rules.READING_PERCENT * progress.read, 100.0 * progress.total)
        if not progress.left:
            return
        if called is None or context.clock() - called >= _TIME_BETWEEN_CALLS:
            called = context.clock()
            _call_others(context, parts, game=game)
        if not parts.read_next(tree):
            context.stopping.wait(_WAIT_SECONDS)


def _call_others(context: TaskContext, parts: PartsToRead, *, game: Game) -> None:
    """Enqueue a task for each other node, unless it is there already."""
    arguments = ReadPartsArguments(task=parts.import_task, game=game.id, name=parts.version)
    others = _other_nodes(context)
    with context.db.write() as session:
        for number in range(others):
            new = NewTask(
                task_type=READ_PARTS,
                name=Message("read-parts", game=game.name, version=parts.version),
                subject=f"{version_subject(game.id, parts.version)}/parts/{number}",
                queue=Queue.CPU,
                acls=(Permission.IMPORT_VERSION,),
                arguments=arguments,
            )
            task_queries.add(session, new, at=context.clock())


def _other_nodes(context: TaskContext) -> int:
    with context.db.read() as session:
        names = [node.name for node in node_queries.list_alive(session, at=context.clock())]
    return rules.other_nodes(names, node_of(context.task.worker_id or ""))
