"""The order in which a transaction takes locks, and locks on things that have no row.

Two transactions that take the same locks in different orders wait for each other, and PostgreSQL ends one of them.
Every function that locks therefore records what it takes, and raises an error if a transaction takes a lock of a lower
level after one of a higher level. SQLite has one writer at a time and cannot deadlock, but the order is checked there,
so that tests on either database find a violation.
"""

from collections.abc import Iterable
from enum import IntEnum, auto

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from playdock.db.errors import LockOrderViolation

_HELD = "locks"


class LockLevel(IntEnum):
    """What can be locked, in the order in which a transaction takes locks.

    Tasks come first: a running task locks its own row before anything it changes. Companies and tags come before games
    because changing one of them changes all games that have it.
    """

    FAILED_ATTEMPTS = auto()
    NODE = auto()
    CPU_TASKS = auto()
    TASK = auto()
    RUN = auto()
    COMPANIES = auto()
    TAGS = auto()
    FIRST_LIBRARY = auto()
    LIBRARY = auto()
    GAME = auto()
    IMPORT_PART = auto()
    LINKS = auto()
    VERSION = auto()
    FIRST_INVITATION = auto()
    IDENTITY = auto()
    ADMINS = auto()
    USER = auto()
    SESSION = auto()
    PROVIDER = auto()
    SERVER_PROFILE = auto()
    WEBHOOK = auto()
    EVENTS = auto()


def record_lock(session: Session, level: LockLevel, *keys: str) -> None:
    """Record locks that a transaction takes; call it before the statement if the keys are known by then.

    Locks of one level are taken in the order of their keys. Taking a lock again that the transaction holds is allowed.

    Raises:
        LockOrderViolation: the transaction holds a lock that comes after one of these.
    """
    held: dict[LockLevel, set[str]] = session.info.setdefault(_HELD, {})
    of_level = held.get(level, set())
    new = [key for key in keys or ("",) if key not in of_level]
    if not new:
        return
    if held and (highest := max(held)) > level:
        raise LockOrderViolation(f"{level.name} is locked after {highest.name}.")
    if of_level and min(new) < max(of_level):
        raise LockOrderViolation(f"{level.name} {min(new)} is locked after {level.name} {max(of_level)}.")
    held[level] = of_level.union(new)


def record_locked(session: Session, level: LockLevel, keys: Iterable[str]) -> None:
    """Record locks on rows that a statement found in the order of their keys; there may be none."""
    if taken := list(keys):
        record_lock(session, level, *taken)


def advisory_lock(session: Session, level: LockLevel, key: str = "") -> None:
    """Wait until no other transaction holds the lock, and hold it until this one ends.

    On SQLite there is nothing to wait for, because a transaction that writes is the only one.

    Raises:
        LockOrderViolation: the transaction holds a lock that comes after this one.
    """
    record_lock(session, level, key)
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"{level.name}:{key}", 0))))
