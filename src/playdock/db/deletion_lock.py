"""The deletion lock: while a backup copies objects, no process deletes any.

A process that deletes an object shares the lock for that moment; a backup has it alone. A process that ends releases
it. On SQLite it is a lock on the folder of the database file, on PostgreSQL an advisory lock of a session.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from playdock.db.database import Database
from playdock.db.errors import DeletionLockLost, DeletionLockTaken

# An arbitrary key that every release must share.
_ADVISORY_LOCK = 7_103_202
_HELD = """
    SELECT EXISTS (
        SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = :key AND granted AND pid = pg_backend_pid()
    )
"""
# Deleting takes milliseconds; a process that has the lock for longer is making a backup.
_MAX_WAIT_SECONDS = 30.0
_RETRY_SECONDS = 0.1


@contextmanager
def deleting(db: Database) -> Iterator[bool]:
    """Yield whether objects may be deleted now. If so, no backup begins until this ends."""
    with _share_folder(db) if db.embedded else _share_advisory_lock(db) as shared:
        yield shared


@contextmanager
def deletions_held(db: Database) -> Iterator[Callable[[], None]]:
    """Keep all processes from deleting objects, and yield what checks that none could.

    That raises DeletionLockLost if the connection to the database was lost, so that objects may have been deleted.

    Raises:
        DeletionLockTaken: another backup is running.
    """
    with _own_folder(db) if db.embedded else _own_advisory_lock(db) as require_held:
        yield require_held


@contextmanager
def _share_folder(db: Database) -> Iterator[bool]:
    with _folder(db) as descriptor:
        yield _try_lock(descriptor, fcntl.LOCK_SH)


@contextmanager
def _own_folder(db: Database) -> Iterator[Callable[[], None]]:
    with _folder(db) as descriptor:
        deadline = time.monotonic() + _MAX_WAIT_SECONDS
        while not _try_lock(descriptor, fcntl.LOCK_EX):
            _wait(deadline)
        # The system takes no lock from a living process.
        yield lambda: None


@contextmanager
def _folder(db: Database) -> Iterator[int]:
    descriptor = os.open(Path(db.url.database or "").parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _share_advisory_lock(db: Database) -> Iterator[bool]:
    with _session(db) as connection:
        shared = _call(connection, "pg_try_advisory_lock_shared")
        try:
            yield shared
        finally:
            if shared:
                _call(connection, "pg_advisory_unlock_shared")


@contextmanager
def _own_advisory_lock(db: Database) -> Iterator[Callable[[], None]]:
    with _session(db) as connection:
        deadline = time.monotonic() + _MAX_WAIT_SECONDS
        while not _call(connection, "pg_try_advisory_lock"):
            _wait(deadline)
        try:
            yield lambda: _require_lock(connection)
        except BaseException:
            # A broken connection has released the lock already, and must not hide the reason.
            connection.invalidate()
            raise
        # With a connection that was lost, the lock was too.
        with suppress(DBAPIError):
            _call(connection, "pg_advisory_unlock")


def _require_lock(connection: Connection) -> None:
    try:
        held = connection.execute(text(_HELD), {"key": _ADVISORY_LOCK}).scalar_one()
    except DBAPIError:
        held = False
    if not held:
        raise DeletionLockLost


@contextmanager
def _session(db: Database) -> Iterator[Connection]:
    with db.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        yield connection


def _call(connection: Connection, function: str) -> bool:
    result: bool = connection.execute(text(f"SELECT {function}(:key)"), {"key": _ADVISORY_LOCK}).scalar_one()
    return result


def _wait(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise DeletionLockTaken
    time.sleep(_RETRY_SECONDS)
