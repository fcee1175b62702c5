"""Pure decisions about lost versions."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from playdock.content.likeness import shared_words
from playdock.content.naming import words


def by_word(names: Iterable[str]) -> dict[str, list[str]]:
    """Return names by each of their words."""
    found: dict[str, list[str]] = {}
    for name in names:
        for word in set(words(name)):
            found.setdefault(word, []).append(name)
    return found


def similar(titles: Collection[str], names: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return those of some names, given by word, that have words of a title, and the share of these, most first."""
    wanted = [frozenset(words(title)) for title in titles]
    sharing = {name for title in wanted for word in title for name in names.get(word, ())}
    similarity = {name: max(shared_words(frozenset(words(name)), title) for title in wanted) for name in sharing}
    return dict(sorted(similarity.items(), key=lambda each: (-each[1], each[0])))
