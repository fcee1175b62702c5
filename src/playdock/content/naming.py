"""Names of games and versions: words, similarity, sort keys, and titles from folder names.

A *version key* sorts `1.9` before `1.10` and `1.0-beta` before `1.0`. A *title* is a folder name without versions,
stores, platforms and the punctuation that replaces spaces.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Self

from msgspec import Struct
from rapidfuzz import fuzz

from playdock.content import archive_names

ARCHITECTURE = (
    r"(?:win(?:dows)?|linux|mac|osx|macos)[ _-]?(?:32|64)(?:[ _-]?bits?)?|win(?:dows)?|linux|gnu|"
    r"mac(?:[ -]?os(?:[ -]?x)?)?|osx|x86(?:[_-](?:32|64))?|x(?:32|64)|amd64|i[3-6]86|"
    r"arm64|aarch64|armhf|armv[67]l?|(?:32|64)[ _-]?bits?|universal"
)
STORE = r"gog(?:\.com)?|steam|itch(?:\.io)?|epic|humble|drm[ -]?free|portable|repack|multi\d*"
_RELEASE = r"v\.?\d+(?:[._]\d+)*[a-z]?\d*|(?:build|rev|version|ver|update)[ ._-]?\d[\w.]*|\d+(?:\.\d+)+[a-z]?\d*"
PHASE = r"alpha|beta|rc\d*|preview|nightly"

_NOISE = re.compile(
    rf"(?<![^\W_])(?:{ARCHITECTURE}|gog|shipping|noeditor|bin|exe|v?\d+(?:\.\d+)+[a-z]?|v\d+)(?![^\W_])"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}


def words(text: str) -> tuple[str, ...]:
    """Return the normalized words and numbers of a name, without accents, platform, store and version; II becomes 2.

    The result is empty for a name that consists only of such parts.
    """
    # Trademark signs are removed first, because normalization would turn ™ into the word "tm".
    unmarked = re.sub("['\u2019\u2122\u00ae\u00a9]", "", text)
    letters = "".join(char for char in unicodedata.normalize("NFKD", unmarked) if not unicodedata.combining(char))
    spaced = _CAMEL.sub(" ", letters.replace("&", " and ")).casefold()
    return tuple(_ROMAN.get(word, word) for word in _WORD.findall(_NOISE.sub(" ", spaced)))


# Each of these sets may be left out of an abbreviation.
_SMALL_WORDS = ((), ("the",), ("the", "and"), ("the", "and", "of", "a", "an"))
# Shorter strings occur in unrelated names too often.
_MIN_PART_LENGTH = 4
_MIN_PREFIX_LENGTH = 3
# Weights of the kinds of similarity. A contained name scores more the more of the other it covers, an abbreviation less
# than most contained names, and the beginning of an abbreviation less still.
_MIN_CONTAINED_SIMILARITY = 0.6
_ABBREVIATION_SIMILARITY = 0.8
_ABBREVIATION_PREFIX_SIMILARITY = 0.65


class Name(Struct, frozen=True):
    """A name prepared for comparison: its words, their concatenation, and its possible abbreviations."""

    words: frozenset[str]
    joined: str
    abbreviations: frozenset[str]

    @classmethod
    def of(cls, name_words: Iterable[str]) -> Self:
        parts = tuple(name_words)
        abbreviations = ("".join(_initial(word) for word in parts if word not in small) for small in _SMALL_WORDS)
        return cls(frozenset(parts), "".join(parts), frozenset(text for text in abbreviations if len(text) > 1))


def _initial(word: str) -> str:
    return word if word.isdecimal() else word[0]


def similarity(short: Name, full: Name) -> float:
    """Return the similarity of a program's name and a game's, from 0 to 1.

    It is high if the names are equal, one contains the other, one abbreviates the other, or their letters are similar.
    """
    if not short.joined or not full.joined:
        return 0.0
    letters = fuzz.ratio(short.joined, full.joined) / 100
    return max(letters**2, _containment(short, full), _abbreviation(short.joined, full.abbreviations))


def _containment(one: Name, other: Name) -> float:
    shorter, longer = sorted((one, other), key=lambda name: len(name.joined))
    if len(shorter.joined) < _MIN_PART_LENGTH or not (shorter.joined in longer.joined or shorter.words <= longer.words):
        return 0.0
    share = len(shorter.joined) / len(longer.joined)
    return _MIN_CONTAINED_SIMILARITY + (1 - _MIN_CONTAINED_SIMILARITY) * share


def _abbreviation(short: str, abbreviations: frozenset[str]) -> float:
    """Return the similarity of an abbreviation such as `hl2` for Half-Life 2, or of its beginning such as `tesv`."""
    if short in abbreviations:
        return _ABBREVIATION_SIMILARITY
    is_prefix = len(short) >= _MIN_PREFIX_LENGTH and any(text.startswith(short) for text in abbreviations)
    return _ABBREVIATION_PREFIX_SIMILARITY if is_prefix else 0.0


# The kinds of parts of a version in ascending order: a pre-release stage, the end of the name, a word, a number.
_PRERELEASE, _END, _TEXT, _NUMBER = range(4)
_STAGES = {
    name: stage
    for stage, names in enumerate(
        ("dev nightly", "prealpha", "alpha a", "beta b early access", "preview pre", "rc candidate")
    )
    for name in names.split()
}
_PATCH_LETTERS = {"a", "b"}
_LEADING = re.compile(r"^(?:version|ver|v|build|release|rev|r|update)[ ._-]*(?=\d)")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)")
_PLATFORM = re.compile(rf"(?<![^\W_])(?:{ARCHITECTURE})(?![^\W_])")
_PART = re.compile(r"[0-9]+|[^\W\d_]+")

Part = tuple[int, int, str]


def version_key(name: str) -> tuple[tuple[Part, ...], str]:
    """Return the key that sorts version names from old to new; different names have different keys.

    Numbers compare numerically, and dates with and without hyphens alike. Alpha, beta and rc sort before their release,
    a letter (`1.0a`) after it. Names of platforms and a `v` before a number are ignored.
    """
    normalized_name = _PLATFORM.sub(" ", name.casefold()).strip(" ._-")
    plain = _DATE.sub(r"\1-\2-\3", _LEADING.sub("", normalized_name))
    return (*_parts(_PART.findall(plain)), (_END, 0, "")), name


def _parts(tokens: list[str]) -> Iterator[Part]:
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        if token[0] in "0123456789":
            digits = token.lstrip("0")
            yield _NUMBER, len(digits), digits
        elif token in _STAGES and (token not in _PATCH_LETTERS or following.isdecimal()):
            yield _PRERELEASE, _STAGES[token], ""
        else:
            yield _TEXT, 0, token


TAG = re.compile(
    r"[(\[{]\s*(steam|gog|epic|igdb|pcgw|pcgamingwiki|giantbomb)\s*[-_:=]\s*([\w-]+)\s*[)\]}]", re.IGNORECASE | re.ASCII
)
"""The id of a provider in a name: `(steam-570)`, `[igdb-1942]`."""

_BRACKETED = re.compile(r"\[[^\]]*\]|\{[^}]*\}|\([^()]*\)")
_EXTRA = rf"(?:{ARCHITECTURE}|{STORE}|{_RELEASE}|{PHASE})"
_REMARK = re.compile(rf"{_EXTRA}|\d+|[a-z]{{2}}|usa|europe|japan|world|final|full|portable|retail|", re.IGNORECASE)
_REMARK_ENDS = re.compile(r"[\s,;+_]+")
_ENDING = re.compile(rf"(?<=[^\s._-])[\s._-]+{_EXTRA}[\s._-]*$", re.IGNORECASE)
_ACRONYM = re.compile(r"(?<!\w)(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_])\.?)?")
_SPACE_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
_SETUP = re.compile(r"^setup[ _-]+(?=\S)", re.IGNORECASE)
_ARTICLE = re.compile(r"^(.*), (the|a|an)$", re.IGNORECASE)
_PROTECTED_DOT = "\0"


def title(folder: str) -> str:
    """Return the game's title in the name of a folder, archive or installer: `Half-Life 2` for `Half-Life.2.v1.0.GOG`.

    A name that would become empty, such as `1.0`, is returned unchanged. Case is kept.
    """
    unmarked = _BRACKETED.sub(_without_remark, without_suffix(folder)).strip(" _-")
    return _ARTICLE.sub(r"\2 \1", _spaced(_without_ending(unmarked))).strip() or folder.strip()


def without_suffix(name: str) -> str:
    """Return a name without the suffix of an archive, ids of providers, and `setup` at its beginning."""
    return _SETUP.sub("", TAG.sub(" ", archive_names.without_suffix(name.strip())).strip())


def _without_remark(match: re.Match[str]) -> str:
    """Return a space for square brackets and for a year, store, version or language in parentheses.

    Other text in parentheses, such as `(Remastered)`, is kept.
    """
    text = match[0]
    is_remark = text[0] != "(" or all(_REMARK.fullmatch(part) for part in _REMARK_ENDS.split(text[1:-1]))
    return " " if is_remark else text


def _without_ending(text: str) -> str:
    while (shorter := _ENDING.sub("", text)) != text:
        text = shorter
    return text


def _spaced(text: str) -> str:
    """Return a name with spaces instead of underscores, dots (if it has no spaces) and the hyphens of a slug."""
    if " " not in text:
        protected = _ACRONYM.sub(lambda match: match[0].replace(".", _PROTECTED_DOT) + " ", text)
        text = _SPACE_DOT.sub(" ", protected).replace(_PROTECTED_DOT, ".")
    text = " ".join(text.replace("_", " ").split())
    return text.replace("-", " ") if " " not in text and text.count("-") > 1 and text.islower() else text


_LEADING_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)")
_DIGITS = re.compile(r"[0-9]+")
# Numbers in names have at most eight digits: dates.
_SORT_DIGITS = 8


def sort_name(name: str) -> str:
    """Return a natural sort key of a name: without case, accents and a leading article, and with 2 before 10."""
    letters = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    plain = _LEADING_ARTICLE.sub("", " ".join(letters.casefold().split()))
    return _DIGITS.sub(lambda match: match[0].zfill(_SORT_DIGITS), plain)
