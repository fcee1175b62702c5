"""Normalized words for searching, without case, accents and punctuation, and trigrams for similar spellings."""

import re
from collections.abc import Sequence

from playdock.kit.texts import without_accents

# Longer than any word of a title; it bounds the size of the index.
_MAX_WORD_LENGTH = 40
_PAD = "_"
_GRAM = 3
# Trademark signs, which Unicode normalization turns into letters, and apostrophes, which people often omit.
_DROPPED = dict.fromkeys(map(ord, "\u2122\u2120\u00ae\u00a9'\u2019\u2018\u02bc`\u00b4"))
# Letters with strokes and ligatures, which Unicode does not decompose.
_PLAIN = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "þ": "th", "\u0131": "i"}
)
# Scripts without spaces between words: every character is indexed as a word.
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"(?=[^\W_])[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def words(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text, in order. They contain only letters and digits."""
    letters = without_accents(text.translate(_DROPPED).replace("&", " and ")).translate(_PLAIN)
    return tuple(word[:_MAX_WORD_LENGTH] for word in _WORD.findall(letters))


def grams(words: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct trigrams of the joined words, including the start and the end, sorted.

    Joined or split words have the same trigrams, and a wrong letter changes three of them.
    """
    return tuple(sorted(set(grams_in_order(words))))


def grams_in_order(words: Sequence[str]) -> list[str]:
    """Return the trigrams of `grams` as they follow each other, including those that occur again."""
    padded = f"{2 * _PAD}{''.join(words)}{_PAD}"
    return [padded[at : at + _GRAM] for at in range(len(padded) - _GRAM + 1)]
