"""Invariants of the database and the storage, whatever was acknowledged: nothing lacks what belongs to it."""

import time
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import select
from sqlalchemy.exc import DatabaseError

from playdock import stored
from playdock.domain.installations.service import LAYERS, MANIFESTS
from playdock.domain.objects.service import KIND as OBJECTS
from playdock.features.patches.service import bytes_key, list_key
from playdock.kit.workers import is_dead
from playdock.models import PatchSet, Picture, StoredObject, Task, User, Version
from playdock.stored import StoredRendition
from playdock.tasks.context import LEASE
from playdock.tasks.lease_queries import MAX_AHEAD
from playdock.tasks.rules import delay_before_retry
from torture.invariants import Examination

# A runner looks for due tasks every second, on a busy machine less often.
MAX_IDLE_SECONDS = LEASE.total_seconds() + 20
_POLL_SECONDS = 0.2
# The clock is set back by at most this, or by more than any task is waited for.
_SMALL_SHIFT = timedelta(seconds=240)
# A lease that a busy runner has not renewed in time is not the end of the task.
_LATE = timedelta(seconds=10)


def database_is_intact(examination: Examination) -> Iterator[str]:
    """The file of SQLite is not corrupt, and every foreign key refers to a row. PostgreSQL checks both itself."""
    if not examination.database.embedded:
        return
    try:
        findings = [finding for (finding,) in examination.query("PRAGMA integrity_check")]
    except DatabaseError as error:
        findings = [str(error.orig)]
    if findings != ["ok"]:
        yield f"The database is corrupt: {', '.join(findings)}"
        return
    for row in examination.query("PRAGMA foreign_key_check"):
        yield f"The row {row[1]} of {row[0]} refers to a missing row of {row[2]}."


def no_row_is_orphaned(examination: Examination) -> Iterator[str]:
    """Every user can have signed up, and every object belongs to a user or to an image."""
    without_method = "SELECT username FROM users WHERE id NOT IN (SELECT user_id FROM sign_in_methods)"
    for (username,) in examination.query(without_method):
        yield f"The user {username} has no sign-in method."
    with examination.database.read() as session:
        objects = set(session.scalars(select(StoredObject.id)))
        referenced = {f"the user {name}": [picture] for name, picture in session.execute(_PICTURES_OF_USERS)}
        for image, renditions in session.execute(select(Picture.id, Picture.renditions)):
            referenced[f"the image {image}"] = [stored.decode(each, StoredRendition).object_id for each in renditions]
    for owner, ids in referenced.items():
        for missing in set(ids) - objects:
            yield f"The object {missing} of {owner} has no row."
    for unused in objects - {each for ids in referenced.values() for each in ids}:
        yield f"The object {unused} belongs to nothing."


_PICTURES_OF_USERS = select(User.username, User.picture_id)


def stored_bytes_exist(examination: Examination) -> Iterator[str]:
    """Everything that a row refers to is in the storage, completely."""
    with examination.database.read() as session:
        sizes: dict[str, int | None] = {
            f"{OBJECTS}/{row.id}": row.size for row in session.scalars(select(StoredObject))
        }
        for version in session.scalars(select(Version)):
            sizes |= {f"{kind}/{version.record_name}": None for kind in (LAYERS, MANIFESTS)}
        for patches in session.scalars(select(PatchSet)):
            sizes |= {bytes_key(patches.id): patches.size, list_key(patches.id): None}
    for key, size in sizes.items():
        kind, name = key.split("/")
        file = examination.objects / kind / name[:2] / name
        if not file.is_file():
            yield f"The storage lacks {key}."
        elif size is not None and file.stat().st_size != size:
            yield f"{key} has {file.stat().st_size} bytes in the storage instead of {size}."


class WaitingTask(Struct, frozen=True):
    """An active task that nothing works on."""

    id: str
    type: str
    attempt: int
    retries: int


def no_task_is_stuck(
    examination: Examination,
    *,
    now: datetime,
    behind: Mapping[str, timedelta] | None = None,
    seconds: float = MAX_IDLE_SECONDS,
) -> Iterator[str]:
    """A due task is claimed if its queue is idle; ``now`` is the time of the service's clock.

    ``behind`` is by how much the clocks of nodes are behind that, by name: such a node claims its tasks later.
    """
    began = time.monotonic()
    stuck = _waiting(examination, now, behind)
    while stuck and time.monotonic() - began < seconds:
        time.sleep(_POLL_SECONDS)
        stuck &= _waiting(examination, now + timedelta(seconds=time.monotonic() - began), behind)
    for task in stuck:
        yield f"The task {task.id} ({task.type}) is due, and nothing works on it."


def _waiting(examination: Examination, now: datetime, behind: Mapping[str, timedelta] | None) -> set[WaitingTask]:
    """Return the tasks that could be worked on and are not."""
    with examination.database.read() as session:
        active = session.scalars(select(Task).where(Task.ended.is_(None))).all()
    busy = {task.queue for task in active if _is_worked_on(task, now)}
    return {
        WaitingTask(task.id, task.task_type, task.attempt, task.retries)
        for task in active
        if task.queue not in busy and not _is_delayed(task, now - _delay(task, behind or {}))
    }


def _delay(task: Task, behind: Mapping[str, timedelta]) -> timedelta:
    """Return how much later than when it is due a task is claimed: by its node, or by the first of all."""
    return behind.get(task.node or "", min(behind.values(), default=timedelta()))


def _is_worked_on(task: Task, now: datetime) -> bool:
    return bool(
        task.worker_id and task.leased_until and task.leased_until > now - _LATE and not is_dead(task.worker_id)
    )


def _is_delayed(task: Task, now: datetime) -> bool:
    """Return whether a task waits as long as after its last failure, or less, or has postponed itself.

    If the clock was set back since, it may wait for that time too, but no longer than `MAX_AHEAD`.
    """
    if task.retries == 0:
        return task.created < task.due and now < task.due <= now + MAX_AHEAD
    longest = delay_before_retry(task.retries - 1) + _SMALL_SHIFT
    return now < task.due <= now + min(longest, MAX_AHEAD)


OF_STORAGE = (database_is_intact, no_row_is_orphaned, stored_bytes_exist)
