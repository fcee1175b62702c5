"""How often processes write their heartbeat, and until when they count as running."""

from datetime import timedelta

# A process of PostgreSQL that does not answer for a minute is not waited for.
_PERIOD = timedelta(seconds=15)
# With SQLite all processes run on one machine, where they can see which of them have ended; a disk may sleep longer.
_PERIOD_EMBEDDED = timedelta(minutes=10)
# Heartbeats that may be missing.
_MISSING = 4


def heartbeat_period(*, embedded: bool) -> timedelta:
    """Return the time between two heartbeats of a process."""
    return _PERIOD_EMBEDDED if embedded else _PERIOD


def max_silence(*, embedded: bool) -> timedelta:
    """Return the time without a heartbeat after which a process counts as gone."""
    return _MISSING * heartbeat_period(embedded=embedded)
