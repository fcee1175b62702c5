"""Checks and counts of failed attempts, inside the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.kit.clock import MAX_CLOCK_DIFFERENCE
from playdock.kit.errors import TooManyFailures
from playdock.throttle import queries, rules
from playdock.throttle.rules import Limit

# Longer than any window.
_KEPT = timedelta(days=1)


class TooManyAttempts(TooManyFailures):
    """Too many failed attempts in a short time."""

    def __init__(self, *, retry_after: int) -> None:
        detail = f"Too many attempts. Wait {retry_after} seconds and try again."
        super().__init__(detail, retry_after=retry_after)


class CountedAttempt(Struct, frozen=True):
    """An attempt that counts as a failure unless it is forgiven."""

    ids: tuple[int, ...]


def refuse_if_exhausted(session: Session, limits: Sequence[Limit], *, at: datetime) -> None:
    """Check all limits.

    Raises:
        TooManyAttempts: a limit is reached.
    """
    seconds = max(_wait(session, limit, at=at) for limit in limits)
    if seconds:
        raise TooManyAttempts(retry_after=seconds)


def count(session: Session, limits: Sequence[Limit], *, at: datetime) -> CountedAttempt:
    """Count a failure for all its limits. Count a guess before it is checked, so that concurrent ones are limited too.

    Raises:
        TooManyAttempts: a limit is reached; the failure is not counted.
    """
    queries.lock(session, [limit.key for limit in limits])
    refuse_if_exhausted(session, limits, at=at)
    return CountedAttempt(tuple(queries.add(session, [limit.key for limit in limits], at=at)))


def forgive(session: Session, attempt: CountedAttempt) -> None:
    """Delete an attempt that was successful."""
    queries.remove(session, attempt.ids)


def forgive_user(session: Session, *, normalized_name: str, user_id: str) -> None:
    """Delete all failures that count for an account."""
    queries.remove_keys(session, rules.keys_of_user(normalized_name, user_id))


def clean(session: Session, *, at: datetime) -> None:
    """Delete failures that no longer count, and those that a clock dated which was ahead."""
    queries.remove_outside(session, before=at - _KEPT, after=at + MAX_CLOCK_DIFFERENCE)


def _wait(session: Session, limit: Limit, *, at: datetime) -> int:
    failures = queries.newest(
        session,
        limit.key,
        after=at - limit.window,
        until=at + MAX_CLOCK_DIFFERENCE,
        limit=limit.most,
    )
    return rules.wait(failures, limit, now=at)
