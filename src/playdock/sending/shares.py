"""What one of several processes may use of a rate.

Shares follow demand: each process writes what it wants and what it has of a rate, its *claim*, and takes as much of the
rate as its part of the demand of all. It may only take what the others do not have: one that wants less than it has
gives up the difference at once, and the others take it a moment later. So all of them together never exceed the rate.

Each process may always use the *floor*, a small part of each rate, so that a download begins at once.
"""

from collections.abc import Collection, Mapping
from time import monotonic

from msgspec import Struct

# With this, ten idle processes keep 4 % of a rate from a busy one, and a file of a megabyte begins at once.
_FLOOR_PARTS = 256
# Room to grow for a download that is slower than its share: it is seen to want more before it uses all of it.
_HEADROOM = 1.25
# A download that waits for bandwidth for longer than this part of the time wants more than it gets.
_HUNGRY = 0.5
# Four exchanges may be late before a process stops using its share.
MAX_SHARE_SECONDS = 2.0
# Later than that, so that a share is used by no two processes; their clock is the database's.
MAX_CLAIM_SECONDS = 5.0


class RateDemand(Struct, frozen=True):
    """A rate in bytes per second, and how many bytes per second this process could use of it."""

    rate: int
    demand: float


class Claim(Struct, frozen=True):
    """What another process wants and has of a rate, in bytes per second."""

    demand: float = 0.0
    share: int = 0


def floor_of(rate: int) -> int:
    """Return what each process may use of a rate without asking the others."""
    return max(1, rate // _FLOOR_PARTS)


def demand_of(rate: int, *, running: int, waited: float, used: int, seconds: float) -> float:
    """Return how many bytes per second a number of downloads (or users) could use, from what they did for a while.

    ``waited`` is for how long one of them waited for bandwidth, ``used`` how many bytes they got. Those that want more
    than they get count as much as the whole rate each, so that they share it equally, wherever they run.
    """
    if running and waited >= _HUNGRY * seconds:
        return float(rate * running)
    return _HEADROOM * used / seconds if seconds > 0 else 0.0


def share_of(own: RateDemand, others: Collection[Claim]) -> int:
    """Return the bytes per second that a process may use of a rate, given the claims of all others, idle ones too."""
    floor = floor_of(own.rate)
    total = own.demand + sum(other.demand for other in others)
    shared = max(0, own.rate - floor * (1 + len(others)))
    wanted = floor + (shared * own.demand / total if own.demand else 0)
    free = own.rate - sum(max(floor, other.share) for other in others)
    return max(1, min(int(wanted), free))


class Shares:
    """The shares of this process, by the subject of a rate. Used only in the thread of the event loop.

    Until processes exchange claims, and while they cannot, each of them has an equal part.
    """

    def __init__(self, processes: int = 1) -> None:
        self.processes = processes
        self._equal = True
        self._granted: dict[str, int] = {}
        self._until = 0.0

    def of(self, subject: str, rate: int) -> int:
        """Return the bytes per second that this process may use now of a rate, 0 if there is no limit."""
        if not rate:
            return 0
        if self._equal:
            return max(1, rate // self.processes)
        if monotonic() >= self._until:
            return floor_of(rate)
        if self.processes == 1:
            return rate
        return min(rate, self._granted.get(subject, floor_of(rate)))

    def shrink(self, shares: Mapping[str, int], *, processes: int) -> None:
        """Give up what will not be granted any more, before the other processes can take it."""
        had = self._granted
        self._granted = {subject: min(share, had[subject]) for subject, share in shares.items() if subject in had}
        self.processes, self._equal = processes, False

    def grant(self, shares: Mapping[str, int], *, processes: int, asked: float) -> None:
        """Set the shares, which one of ``processes`` asked for at a time of the monotonic clock."""
        self._granted, self.processes, self._equal = dict(shares), processes, False
        self._until = asked + MAX_SHARE_SECONDS

    def give_up(self) -> None:
        """Use only the floor until the next grant."""
        self._granted, self._until, self._equal = {}, 0.0, False

    def divide_equally(self) -> None:
        """Use an equal part, because claims cannot be exchanged."""
        self._equal = True
