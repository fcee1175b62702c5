"""Time: always timezone-aware and in UTC. The clock is a callable, so that tests can set the time."""

import re
from collections.abc import Callable
from datetime import MINYEAR, UTC, datetime, time, timedelta

Clock = Callable[[], datetime]

# What is dated further ahead comes from a clock that was wrong. Less than that: clocks of several machines differ, and
# a request may wait for the lock of another one that is dated later.
MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def utc_now() -> datetime:
    return datetime.now(UTC)


def as_utc(moment: datetime) -> datetime:
    """Return a time in UTC. A naive time is taken as UTC; one outside the range of `datetime` becomes its limit."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == MINYEAR else _LAST


def time_of_day(text: str) -> time | None:
    """Return a time such as ``4:30``, None if it is not one."""
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text)
    return time(int(found.group(1)), int(found.group(2))) if found else None


def timestamp(moment: datetime) -> str:
    """Return a time in the format of the API, such as ``2026-11-20T05:38:00.000Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
