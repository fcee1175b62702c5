"""Pure decisions about the parts of a version."""

from collections.abc import Iterable

# A smaller version is read sooner by one node alone than other nodes are told.
_MIN_PARTS = 2
# The share of an import's progress that is reading, in percent. The rest is storing the layer and the manifest.
READING_PERCENT = 99.0


def worth_sharing(parts: int, *, size: int, most: int) -> bool:
    """Return whether other nodes are to read parts of a version: their number, their size, and that of a usual one."""
    return parts >= _MIN_PARTS and size >= _MIN_PARTS * most


def other_nodes(names: Iterable[str], own: str) -> list[str]:
    """Return the nodes besides the own one, from the names of the nodes of all processes."""
    return sorted(set(names) - {own})
