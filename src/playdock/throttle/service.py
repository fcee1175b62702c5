"""Checks and counts of failed attempts, inside the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from playdock.kit.errors import TooManyFailures
from playdock.throttle import queries, rules
from playdock.throttle.rules import Limit


class TooManyAttempts(TooManyFailures):
    """Too many failed attempts in a short time."""

    def __init__(self, *, retry_after: int) -> None:
        detail = f"Too many attempts. Wait {retry_after} seconds and try again."
        super().__init__(detail, retry_after=retry_after)


def refuse_if_exhausted(session: Session, limits: Sequence[Limit], *, at: datetime) -> None:
    """Check all limits.

    Raises:
        TooManyAttempts: a limit is reached.
    """
    seconds = max(_wait(session, limit, at=at) for limit in limits)
    if seconds:
        raise TooManyAttempts(retry_after=seconds)


def count(session: Session, limits: Sequence[Limit], *, at: datetime) -> None:
    """Count a failure for all its limits.

    Raises:
        TooManyAttempts: a concurrent request has reached a limit since it was checked; the failure is not counted.
    """
    queries.lock(session, [limit.key for limit in limits])
    refuse_if_exhausted(session, limits, at=at)
    queries.add(session, [limit.key for limit in limits], at=at)


def _wait(session: Session, limit: Limit, *, at: datetime) -> int:
    failures = queries.newest(session, limit.key, after=at - limit.window, limit=limit.most)
    return rules.wait(failures, limit, now=at)
