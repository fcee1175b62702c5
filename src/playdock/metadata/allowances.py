"""Allowances: how often a provider may be asked. Pure: moments in, moments out."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowance:
    """At most so many calls in any stretch of so many seconds."""

    calls: int
    seconds: float

    def next_call(self, taken: Sequence[float], *, now: float) -> float:
        """Give the first moment at which one more call is allowed; ``taken`` are moments in rising order.

        They may lie ahead: calls that wait for their turn.
        """
        if len(taken) < self.calls:
            return now
        return max(now, taken[-self.calls] + self.seconds)

    def with_call(self, taken: Sequence[float], at: float) -> list[float]:
        """Give the moments that still count once a call was made."""
        return sorted([*taken, at])[-self.calls :]
