"""How alike games and versions are that may be the same at another place: by their names, and by a sample of files."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

# Of each version, so many files are compared by name and size.
_MAX_SAMPLED = 100
# With less than half of these files, a place is more likely that of another game or version.
_MIN_SHARE = 0.5
# A person chooses among them.
_MAX_CANDIDATES = 5
_Item = TypeVar("_Item")


class LikelyPlace(Protocol):
    """A place with a share of the sampled files, 0 to 1."""

    @property
    def share(self) -> float: ...


_Place = TypeVar("_Place", bound=LikelyPlace)


def sample(items: Sequence[_Item]) -> list[_Item]:
    """Return some items, evenly distributed from the first to the last, or all if these are not more."""
    if len(items) <= _MAX_SAMPLED:
        return list(items)
    return [items[len(items) * number // _MAX_SAMPLED] for number in range(_MAX_SAMPLED)]


def best(places: Iterable[_Place]) -> list[_Place]:
    """Return the places with most of the sampled files, the likeliest first."""
    likely = (each for each in places if each.share >= _MIN_SHARE)
    return sorted(likely, key=lambda each: each.share, reverse=True)[:_MAX_CANDIDATES]


def shared_words(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the words of two names that occur in both, 0 to 1."""
    return len(one & other) / (len(one | other) or 1)
