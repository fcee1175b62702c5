"""Faults at the same time: those of each node of a cluster, and those that all nodes meet."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from torture.faults import Fault, Target

# In a cycle, a node has up to three faults, one after another, while the others have theirs.
_MAX_OF_NODE = 3
_MAX_SHARED = 2


class Lane(Struct, frozen=True):
    """Faults that are injected one after another, while other lanes have theirs."""

    name: str
    target: Target
    faults: Sequence[Fault]
    at_least: int
    at_most: int

    def count(self, random: Random) -> int:
        """Return how many faults there are in a cycle."""
        return random.randint(self.at_least, self.at_most)


def lanes(target: Target, faults: Sequence[Fault]) -> list[Lane]:
    """Return a lane for each node and one for what they share; a single process has one fault in each cycle."""
    if not target.is_cluster:
        return [Lane("all", target, faults, 1, 1)]
    own, shared = [each for each in faults if not each.shared], [each for each in faults if each.shared]
    nodes = [Lane(each.folder.name, replace(target, nodes=[each]), own, 0, _MAX_OF_NODE) for each in target.nodes]
    return [*nodes, Lane("shared", replace(target, nodes=[]), shared, 0, _MAX_SHARED)]
