"""Pure decisions about moved games."""

from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def spread(items: Sequence[_Item], *, most: int) -> list[_Item]:
    """Return at most ``most`` items, evenly distributed from the first to the last."""
    if len(items) <= most:
        return list(items)
    return [items[len(items) * number // most] for number in range(most)]


def shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the words of two names that occur in both, 0 to 1."""
    return len(one & other) / (len(one | other) or 1)


def occurring(name: frozenset[str], among: frozenset[str]) -> float:
    """Return the share of a name's words that occur among others, 0 to 1."""
    return len(name & among) / (len(name) or 1)
