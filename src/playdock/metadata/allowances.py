"""Allowances: how often a provider may be asked. Pure: moments in, moments out."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowance:
    """At most so many calls in any stretch of so many seconds."""

    calls: int
    seconds: float

    def next_call(self, taken: Sequence[float], *, now: float) -> float:
        """Give the first moment at which one more call is allowed, after the moments ``taken`` in rising order."""
        if len(taken) < self.calls:
            return now
        return max(now, taken[-self.calls] + self.seconds)

    def with_call(self, taken: Sequence[float], at: float) -> list[float]:
        """Give the moments that still count once a call was made."""
        return [*taken[-self.calls + 1 :], at] if self.calls > 1 else [at]
