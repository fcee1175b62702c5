"""Pure decisions about the parts of a version."""

from collections.abc import Iterable, Sequence

# A smaller version is read sooner by one node alone than other nodes are told.
_MIN_PARTS = 2
# The share of an import's progress that is reading, in percent. The rest is storing the layer and the manifest.
READING_PERCENT = 99.0


def worth_sharing(sizes: Sequence[int], *, most: int) -> bool:
    """Return whether other nodes are to read parts of a version, from their sizes and that of the largest possible."""
    return len(sizes) >= _MIN_PARTS and sum(sizes) >= _MIN_PARTS * most


def other_nodes(names: Iterable[str], own: str) -> int:
    """Return how many nodes there are besides the own one, from the names of all processes."""
    return len(set(names) - {own})
