"""Rate limits of providers as pure functions of the times of calls."""

from collections.abc import Sequence

from msgspec import Struct


class RateLimit(Struct, frozen=True):
    """At most ``calls`` calls in any period of ``seconds`` seconds."""

    calls: int
    seconds: float

    def next_call(self, taken: Sequence[float], *, now: float) -> float:
        """Return the earliest time, in Unix seconds, at which one more call is allowed.

        ``taken`` are the times of previous calls in ascending order. Reserved calls are in the future.
        """
        if len(taken) < self.calls:
            return now
        return max(now, taken[-self.calls] + self.seconds)

    def with_call(self, taken: Sequence[float], at: float) -> list[float]:
        """Return the times that count towards the limit after a call at ``at``."""
        return sorted([*taken, at])[-self.calls :]
