"""Clocks that tests control."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass
class StillClock:
    """A clock that advances only by sleeping."""

    now: datetime = datetime(2026, 11, 20, 12, tzinfo=UTC)
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.advance(seconds=seconds)

    def advance(self, **duration: float) -> None:
        self.now += timedelta(**duration)
