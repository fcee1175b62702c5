"""How much may be sent, and when: the arithmetic of limits, on whatever clock.

A *bucket* fills with its rate, up to what 0.15 seconds give. What is sent is taken out of it in portions of at most a
tenth of a second, smaller ones where many are under way, so that nobody waits long for a turn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Self

from playdock.auth.actor import Person
from playdock.settings import Settings

_BURST_SECONDS = 0.15
_PORTION_SECONDS = 0.1
# Smaller ones would cost more than the sending.
_SMALL_PORTION = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes a second, and transfers at once; 0 stands for no limit."""

    rate: int = 0
    at_once: int = 0

    def share(self, processes: int) -> Self:
        """Give what one of several processes may let through, at least one transfer and one byte a second."""
        return type(self)(_share(self.rate, processes), _share(self.at_once, processes))


def _share(limit: int, processes: int) -> int:
    return max(1, limit // processes) if limit else 0


def limits_of_server(settings: Settings) -> Limits:
    return Limits(settings.download_rate, settings.downloads_at_once)


def limits_of(person: Person, settings: Settings) -> Limits:
    """Give somebody's own limits, and the general ones where there are none."""
    rate, at_once = person.download_rate, person.downloads_at_once
    return Limits(
        settings.download_rate_per_user if rate is None else rate,
        settings.downloads_at_once_per_user if at_once is None else at_once,
    )


@dataclass(slots=True)
class Bucket:
    """What may be sent now: ``rate`` bytes a second, 0 for any number. Times are seconds of ``clock``."""

    clock: Callable[[], float]
    rate: int = 0
    _level: float = 0.0
    _since: float = -inf

    def portion(self, wanted: int, *, among: int) -> int:
        """Give how much may be taken at a time by one of so many, at least one."""
        if not self.rate:
            return wanted
        most = self.rate * _PORTION_SECONDS
        return max(1, min(wanted, int(max(most / among, min(most, _SMALL_PORTION)))))

    def seconds_until(self, amount: int) -> float:
        """Give how long it takes until so much is in it; it must not be more than a portion."""
        return max(0.0, (amount - self._filled()) / self.rate) if self.rate else 0.0

    def take(self, amount: int) -> None:
        """Take out what is going to be sent."""
        if self.rate:
            self._level, self._since = self._filled() - amount, self.clock()

    def give_back(self, amount: int) -> None:
        """Put in what was taken and not sent."""
        self.take(-amount)

    def _filled(self) -> float:
        return min(self._level + (self.clock() - self._since) * self.rate, self._most)

    @property
    def _most(self) -> float:
        return max(1.0, self.rate * _BURST_SECONDS)
