"""Words as a search compares them: without case, accents and signs; and the grams that like spellings share."""

import re
import unicodedata
from collections.abc import Sequence

_LONGEST = 40
_PAD = "_"
_GRAM = 3
# The signs of trade marks, which Unicode takes for letters; and apostrophes, which people leave out.
_DROPPED = dict.fromkeys(map(ord, "\u2122\u2120\u00ae\u00a9'\u2019\u2018\u02bc`\u00b4"))
# Letters with a stroke or joined ones, which Unicode does not take apart.
_PLAIN = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "þ": "th", "\u0131": "i"}
)
# Scripts that are written without blanks: every character is a word.
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"(?=[^\W_])[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def words(text: str) -> tuple[str, ...]:
    """Give the words and numbers of a text, in order; they consist of letters and digits and nothing else."""
    bare = unicodedata.normalize("NFKD", text.translate(_DROPPED).replace("&", " and "))
    folded = unicodedata.normalize("NFKD", bare.casefold())
    letters = "".join(mark for mark in folded if not unicodedata.combining(mark)).translate(_PLAIN)
    return tuple(word[:_LONGEST] for word in _WORD.findall(letters))


def grams(found: Sequence[str]) -> tuple[str, ...]:
    """Give the runs of three letters of words written together, with where they begin and end; sorted, each once.

    Words that are glued or split give the same grams, and a wrong letter spoils three of them.
    """
    padded = f"{2 * _PAD}{''.join(found)}{_PAD}"
    return tuple(sorted({padded[at : at + _GRAM] for at in range(len(padded) - _GRAM + 1)}))
