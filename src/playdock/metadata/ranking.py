"""Ranking of search results by how well they match the query."""

from collections.abc import Iterable

from rapidfuzz import fuzz

from playdock.content.naming import words

# Demos and soundtracks rank below every game whose title has at least a tenth in common with the query.
_EXTRA_WEIGHT = 0.1
# A game for other platforms must not rank above a PC game with a similar title.
_OTHER_PLATFORM_WEIGHT = 0.5
# Anything but the same title stays below a similarity of 1.
_INEXACT_WEIGHT = 0.95
# "Doom" and "Doom 2" share most of their letters but are different games.
_OTHER_NUMBER_WEIGHT = 0.7
# From this similarity on a match is taken for the game, and no other search is made.
LIKELY_SIMILARITY = 0.85
# Fewer letters begin too many names.
_MIN_PART_LENGTH = 4
_EXTRAS = frozenset(
    ("demo", "soundtrack", "ost", "prologue", "playtest", "beta", "artbook", "wallpaper", "trailer", "dlc", "bonus")
)


def similarity(query: str, name: str) -> float:
    """Return the similarity of two titles from 0 to 1.

    It is 1 if they differ only in case, accents, punctuation or the notation of numerals. A title that lacks a number
    of the query belongs to another game and scores lower, no matter how similar its letters are.
    """
    query_words, name_words = words(query), words(name)
    if not query_words or not name_words:
        return 1.0 if query.strip().casefold() == name.strip().casefold() else 0.0
    if query_words == name_words:
        return 1.0
    letters = fuzz.ratio("".join(query_words), "".join(name_words)) / 100
    sorted_words = fuzz.token_sort_ratio(" ".join(query_words), " ".join(name_words)) / 100
    shared = fuzz.token_set_ratio(" ".join(query_words), " ".join(name_words)) / 100
    coverage = len(set(query_words)) / len(set(name_words)) if set(query_words) <= set(name_words) else 0.0
    ratio = max(letters, sorted_words, shared * (0.5 + 0.5 * coverage) if coverage else 0.0)
    has_numbers = _numbers(query_words) <= _numbers(name_words)
    return round((_INEXACT_WEIGHT if has_numbers else _OTHER_NUMBER_WEIGHT) * ratio, 4)


def parts_of(query: str) -> list[str]:
    """Return parts of a query, at least one of which is right if another has a typing error.

    The parts of a name are its longest word and the others, that of a word is its beginning: most errors are later.
    """
    parts = [word for word in words(query) if not word.isdecimal()]
    longest = max(parts, key=len, default="")
    if len(longest) < _MIN_PART_LENGTH:
        return []
    others = " ".join(word for word in parts if word != longest)
    if len(others) < _MIN_PART_LENGTH:
        return [longest[: max(_MIN_PART_LENGTH, len(longest) // 2)]] + ([longest] if others else [])
    return [longest, others]


def is_extra(name: str, *, among: Iterable[str]) -> bool:
    """Return whether a name is that of a demo, a soundtrack or the like, unless one of ``among`` says so too."""
    return not _EXTRAS.isdisjoint(set(words(name)).difference(*map(words, among)))


def _numbers(title: Iterable[str]) -> set[str]:
    return {word for word in title if word.isdecimal()}


def rank(query: str, name: str, *, on_pc: bool = True, extra: bool = False) -> float:
    """Return the score of a search result from 0 to 1.

    Demos and soundtracks rank last, games for other platforms above them.
    """
    if extra or is_extra(name, among=[query]):
        return round(_EXTRA_WEIGHT * similarity(query, name), 4)
    return round((1.0 if on_pc else _OTHER_PLATFORM_WEIGHT) * similarity(query, name), 4)
