"""All statements on what an import has read, and on the parts that it has yet to read."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import case, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, record_lock
from playdock.db.moments import shared_time
from playdock.models import ImportCheckpoint, ImportPart, Task
from playdock.tasks import lease_queries

# A node whose disk does not respond keeps its tasks: other threads renew their leases.
MAX_STANDSTILL = timedelta(minutes=5)


class PartProgress(Struct, frozen=True):
    """How many bytes of an import's parts have been read, of how many, and how many parts are left."""

    read: int
    total: int
    left: int


def add_checkpoint(session: Session, game_id: str, version: str, *, at: datetime, records: bytes) -> None:
    session.add(ImportCheckpoint(game_id=game_id, version_name=version, at=at, records=records))


def checkpoints(session: Session, game_id: str, version: str) -> list[int]:
    """Return the ids of the checkpoints of earlier runs of an import, oldest first."""
    statement = select(ImportCheckpoint.id).where(
        ImportCheckpoint.game_id == game_id, ImportCheckpoint.version_name == version
    )
    return list(session.scalars(statement.order_by(ImportCheckpoint.id)))


def checkpoint(session: Session, checkpoint_id: int) -> bytes | None:
    """Return the records of a checkpoint."""
    return session.scalar(select(ImportCheckpoint.records).where(ImportCheckpoint.id == checkpoint_id))


def delete_checkpoints(session: Session, game_id: str, version: str) -> None:
    session.execute(
        delete(ImportCheckpoint).where(ImportCheckpoint.game_id == game_id, ImportCheckpoint.version_name == version)
    )


def delete_old_checkpoints(session: Session, *, before: datetime) -> None:
    session.execute(delete(ImportCheckpoint).where(ImportCheckpoint.at < before))


def add_parts(session: Session, task_id: str, parts: Sequence[tuple[int, bytes]]) -> None:
    """Store parts of an import, sizes and contents."""
    record_lock(session, LockLevel.IMPORT_PART)
    values = [{"task_id": task_id, "size": size, "content": content, "complete": False} for size, content in parts]
    session.execute(insert(ImportPart), values)


def claim_part(session: Session, task_id: str, reader: Task, *, at: datetime) -> ImportPart | None:
    """Claim the first part of an import that no task has read, or reads with progress. None if there is none."""
    record_lock(session, LockLevel.IMPORT_PART)
    running = lease_queries.is_running(session, ImportPart.reader_id, ImportPart.reader_attempt, at=at)
    stands_still = ImportPart.seen < shared_time(session, at, after=-MAX_STANDSTILL)
    free = or_(ImportPart.reader_id.is_(None), ~running, stands_still)
    first = (
        select(ImportPart.id)
        .where(ImportPart.task_id == task_id, ImportPart.complete.is_(False), free)
        .order_by(ImportPart.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    claimed = update(ImportPart).where(ImportPart.id == first)
    return session.scalar(
        claimed.values(reader_id=reader.id, reader_attempt=reader.attempt, seen=shared_time(session, at)).returning(
            ImportPart
        ),
        execution_options={"synchronize_session": False},
    )


def keep_part(session: Session, part_id: int, reader: Task, *, at: datetime, complete: bool = False) -> bool:
    """Keep a claimed part for this transaction, and record progress and whether it has been read.

    False if it is another's now, or if the import has ended.
    """
    record_lock(session, LockLevel.IMPORT_PART)
    own = (ImportPart.reader_id == reader.id) & (ImportPart.reader_attempt == reader.attempt)
    is_needed = exists().where(Task.id == ImportPart.task_id, Task.ended.is_(None))
    kept = update(ImportPart).where(ImportPart.id == part_id, own, is_needed)
    kept = kept.values(complete=complete, seen=shared_time(session, at))
    return session.scalar(kept.returning(ImportPart.id)) is not None


def part_progress(session: Session, task_id: str) -> PartProgress:
    read = func.coalesce(func.sum(case((ImportPart.complete, ImportPart.size), else_=0)), 0)
    left = func.coalesce(func.sum(case((ImportPart.complete, 0), else_=1)), 0)
    counted = select(read, func.coalesce(func.sum(ImportPart.size), 0), left).where(ImportPart.task_id == task_id)
    # PostgreSQL sums to decimals.
    return PartProgress(*map(int, session.execute(counted).one()))


def delete_parts(session: Session, task_id: str) -> None:
    record_lock(session, LockLevel.IMPORT_PART)
    session.execute(delete(ImportPart).where(ImportPart.task_id == task_id))


def delete_abandoned_parts(session: Session) -> None:
    """Delete the parts of imports that have ended."""
    record_lock(session, LockLevel.IMPORT_PART)
    ended = select(Task.id).where(Task.ended.is_not(None))
    session.execute(delete(ImportPart).where(ImportPart.task_id.in_(ended)))
