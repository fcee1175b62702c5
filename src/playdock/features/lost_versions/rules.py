"""Pure decisions about lost versions."""

from collections.abc import Sequence

from playdock.content.naming import words
from playdock.features.moved_games.rules import shared


def similarity(name: str, titles: Sequence[frozenset[str]]) -> float:
    """Return the largest share of words, 0 to 1, that a name has in common with one of some titles."""
    said = frozenset(words(name))
    return max(shared(said, title) for title in titles)
