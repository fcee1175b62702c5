"""Limits, and which play sessions are accepted."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Protocol

from playdock.kit.clock import as_utc

# Some thousand are recorded in a year by somebody who plays every day; adding them all up takes milliseconds.
MAX_SESSIONS = 100_000
# A device that was without a connection for months sends its sessions in several requests.
MAX_UPLOADED = 500
# A game may run for weeks; longer ones come from a clock that was wrong.
MAX_SECONDS = 366 * 24 * 3600
MAX_NOTE = 10_000
# What clocks of devices differ from that of the server.
CLOCK_DIFFERENCE = timedelta(minutes=10)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Run(Protocol):
    """A play session: when it started, and its length in seconds."""

    @property
    def id(self) -> str: ...
    @property
    def started(self) -> datetime: ...
    @property
    def seconds(self) -> int: ...


def start_of(moment: datetime) -> datetime:
    """Return when a session started in UTC: not before 1970, the time of computers whose clock was not set."""
    return max(as_utc(moment), _EPOCH)


def from_the_future(sessions: Iterable[Run], *, now: datetime) -> str | None:
    """Return the id of a session that ends after now, None if there is none."""
    limit = now + CLOCK_DIFFERENCE
    # Nothing is added to a start, which might be the last moment that can be represented.
    return next((each.id for each in sessions if as_utc(each.started) > limit - timedelta(seconds=each.seconds)), None)
