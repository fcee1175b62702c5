"""Refusing and counting, inside the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from playdock.kit.errors import TooManyFailures
from playdock.throttle import queries, rules
from playdock.throttle.rules import Limit


class TooManyAttempts(TooManyFailures):
    """Too many wrong attempts in a short time."""

    def __init__(self, *, retry_after: int) -> None:
        detail = f"There were too many attempts. Wait {retry_after} seconds and try again."
        super().__init__(detail, retry_after=retry_after)


def refuse_if_exhausted(session: Session, limits: Sequence[Limit], *, at: datetime) -> None:
    """Go on only below every limit.

    Raises:
        TooManyAttempts: with the seconds to wait.
    """
    seconds = max(_wait(session, limit, at=at) for limit in limits)
    if seconds:
        raise TooManyAttempts(retry_after=seconds)


def count(session: Session, limits: Sequence[Limit], *, at: datetime) -> None:
    """Count one failure against everything it is limited by.

    Raises:
        TooManyAttempts: the limit was reached meanwhile, so that racers never get one failure more than it allows.
    """
    queries.hold(session, [limit.key for limit in limits])
    refuse_if_exhausted(session, limits, at=at)
    queries.add(session, [limit.key for limit in limits], at=at)


def _wait(session: Session, limit: Limit, *, at: datetime) -> int:
    failures = queries.newest(session, limit.key, after=at - limit.window, most=limit.most)
    return rules.wait(failures, limit, now=at)
