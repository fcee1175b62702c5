"""Ranking: how well what a provider found fits what was looked for."""

from collections.abc import Iterable

from rapidfuzz import fuzz

from playdock.content.naming import words

_EXTRA_WEIGHT = 0.1
_ELSEWHERE_WEIGHT = 0.5
_CONTAINED_WEIGHT = 0.95
_OTHER_NUMBER_WEIGHT = 0.7
_EXTRAS = frozenset(
    ("demo", "soundtrack", "ost", "prologue", "playtest", "beta", "artbook", "wallpaper", "trailer", "dlc", "bonus")
)


def likeness(query: str, name: str) -> float:
    """Give how alike two titles are, 0 to 1: 1 if they are the same but for case, accents, signs and numerals.

    A title without the number that was asked for is that of another game, however alike its letters are.
    """
    asked, found = words(query), words(name)
    if not asked or not found:
        return 1.0 if query.strip().casefold() == name.strip().casefold() else 0.0
    if asked == found:
        return 1.0
    letters = fuzz.ratio("".join(asked), "".join(found)) / 100
    parts = fuzz.token_sort_ratio(" ".join(asked), " ".join(found)) / 100
    shared = fuzz.token_set_ratio(" ".join(asked), " ".join(found)) / 100
    covered = len(set(asked)) / len(set(found)) if set(asked) <= set(found) else 0.0
    alike = max(letters, parts, shared * (0.5 + 0.5 * covered) if covered else 0.0)
    return round((_CONTAINED_WEIGHT if _numbers(asked) <= _numbers(found) else _OTHER_NUMBER_WEIGHT) * alike, 4)


def is_extra(name: str, *, among: Iterable[str]) -> bool:
    """Tell whether a name is that of a demo, a soundtrack or the like, which none of those looked for is."""
    return not _EXTRAS.isdisjoint(set(words(name)).difference(*map(words, among)))


def _numbers(title: Iterable[str]) -> set[str]:
    return {word for word in title if word.isdecimal()}


def rank(query: str, name: str, *, on_pc: bool = True, extra: bool = False) -> float:
    """Give a search result's place, 0 to 1: demos and soundtracks come last, games of other machines before them."""
    if extra or is_extra(name, among=[query]):
        return round(_EXTRA_WEIGHT * likeness(query, name), 4)
    return round((1.0 if on_pc else _ELSEWHERE_WEIGHT) * likeness(query, name), 4)
