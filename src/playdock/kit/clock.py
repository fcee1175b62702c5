"""Time: always timezone-aware and in UTC. The clock is a callable, so that tests can set the time."""

from collections.abc import Callable
from datetime import MINYEAR, UTC, datetime, timedelta

Clock = Callable[[], datetime]

# What is dated further ahead comes from a clock that was wrong. Less than that: clocks of several machines differ, and
# a request may wait for the lock of another one that is dated later.
MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def utc_now() -> datetime:
    return datetime.now(UTC)


def as_utc(time: datetime) -> datetime:
    """Return a time in UTC. A naive time is taken as UTC; one outside the range of `datetime` becomes its limit."""
    if time.tzinfo is None:
        return time.replace(tzinfo=UTC)
    try:
        return time.astimezone(UTC)
    except OverflowError:
        return _FIRST if time.year == MINYEAR else _LAST


def timestamp(time: datetime) -> str:
    """Return a time in the format of the API, such as ``2026-11-20T05:38:00.000Z``."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"
