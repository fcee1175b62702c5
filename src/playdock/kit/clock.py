"""Time: always aware, always UTC; passed in as a callable so that tests can move it."""

from collections.abc import Callable
from datetime import MINYEAR, UTC, datetime

Clock = Callable[[], datetime]

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def utc_now() -> datetime:
    return datetime.now(UTC)


def as_utc(moment: datetime) -> datetime:
    """Read a moment without a zone as UTC; one that lies before or after the calendar in UTC becomes its edge."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == MINYEAR else _LAST


def timestamp(moment: datetime) -> str:
    """Write a moment as the interface answers it: ``2026-11-20T05:38:00.000Z`` (decisions 4)."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
