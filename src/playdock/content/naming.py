"""Names as people and packers write them: their words, how alike two are, the order of versions, titles of folders.

A *version key* sorts `1.9` before `1.10` and `1.0-beta` before `1.0`. A *title* is what is left of a folder's name when
versions, shops, platforms and packers' punctuation are taken off its end.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from rapidfuzz import fuzz

_ARCHITECTURE = (
    r"(?:win(?:dows)?|linux|mac|osx|macos)[ _-]?(?:32|64)(?:[ _-]?bits?)?|win(?:dows)?|linux|gnu|"
    r"mac(?:[ -]?os(?:[ -]?x)?)?|osx|x86(?:[_-](?:32|64))?|x(?:32|64)|amd64|i[3-6]86|"
    r"arm64|aarch64|armhf|armv[67]l?|(?:32|64)[ _-]?bits?|universal"
)
_SHOP = r"gog(?:\.com)?|steam|itch(?:\.io)?|epic|humble|drm[ -]?free|portable|repack|multi\d*"
_RELEASE = r"v\.?\d+(?:[._]\d+)*[a-z]?\d*|(?:build|rev|version|ver|update)[ ._-]?\d[\w.]*|\d+(?:\.\d+)+[a-z]?\d*"
_PHASE = r"alpha|beta|rc\d*|preview|nightly"

_NOISE = re.compile(
    rf"(?<![^\W_])(?:{_ARCHITECTURE}|gog|shipping|noeditor|bin|exe|v?\d+(?:\.\d+)+[a-z]?|v\d+)(?![^\W_])"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}


def words(text: str) -> tuple[str, ...]:
    """The words and numbers of a name, folded: no accents, case, platform, shop or version; II is 2.

    A name of nothing but such extras gives no words.
    """
    # Signs of trade go first: taken apart, ™ would be the word "tm".
    signless = re.sub("['\u2019\u2122\u00ae\u00a9]", "", text)
    letters = "".join(mark for mark in unicodedata.normalize("NFKD", signless) if not unicodedata.combining(mark))
    spaced = _CAMEL.sub(" ", letters.replace("&", " and ")).casefold()
    return tuple(_ROMAN.get(word, word) for word in _WORD.findall(_NOISE.sub(" ", spaced)))


_SMALL_WORDS = ((), ("the",), ("the", "and"), ("the", "and", "of", "a", "an"))
_SHORTEST_PART = 4
_SHORTEST_START = 3


@dataclass(frozen=True, slots=True)
class Name:
    """A name ready for comparison: its words, the same without blanks, and the abbreviations it may go by."""

    words: frozenset[str]
    joined: str
    abbreviations: frozenset[str]

    @classmethod
    def of(cls, found: Iterable[str]) -> Self:
        parts = tuple(found)
        abbreviations = ("".join(_initial(word) for word in parts if word not in small) for small in _SMALL_WORDS)
        return cls(frozenset(parts), "".join(parts), frozenset(text for text in abbreviations if len(text) > 1))


def _initial(word: str) -> str:
    return word if word.isdecimal() else word[0]


def likeness(short: Name, full: Name) -> float:
    """How much a program's name is like a game's, 0 to 1: the same, a part of it, its initials, or similar letters."""
    if not short.joined or not full.joined:
        return 0.0
    letters = fuzz.ratio(short.joined, full.joined) / 100
    return max(letters**2, _containment(short, full), _abbreviation(short.joined, full.abbreviations))


def _containment(one: Name, other: Name) -> float:
    shorter, longer = sorted((one, other), key=lambda name: len(name.joined))
    if len(shorter.joined) < _SHORTEST_PART or not (shorter.joined in longer.joined or shorter.words <= longer.words):
        return 0.0
    return 0.6 + 0.4 * len(shorter.joined) / len(longer.joined)


def _abbreviation(short: str, abbreviations: frozenset[str]) -> float:
    """`hl2` for Half-Life 2; `tesv`, the beginning of one, says a little less."""
    if short in abbreviations:
        return 0.8
    return 0.65 if len(short) >= _SHORTEST_START and any(text.startswith(short) for text in abbreviations) else 0.0


# A version's parts in rising order: before the release, nothing more, a word, a number.
_BEFORE, _END, _TEXT, _NUMBER = range(4)
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
_PLATFORM = re.compile(rf"(?<![^\W_])(?:{_ARCHITECTURE})(?![^\W_])")
_PART = re.compile(r"[0-9]+|[^\W\d_]+")

Part = tuple[int, int, str]


def version_key(name: str) -> tuple[tuple[Part, ...], str]:
    """A key for sorting version names, oldest first; only equal names have equal keys.

    Numbers compare as numbers, dates with and without hyphens alike; alpha, beta and rc come before their release, a
    letter (`1.0a`) after it. Names of platforms and the `v` before a number do not count.
    """
    folded = _PLATFORM.sub(" ", name.casefold()).strip(" ._-")
    plain = _DATE.sub(r"\1-\2-\3", _LEADING.sub("", folded))
    return (*_parts(_PART.findall(plain)), (_END, 0, "")), name


def _parts(tokens: list[str]) -> Iterator[Part]:
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        if token[0] in "0123456789":
            digits = token.lstrip("0")
            yield _NUMBER, len(digits), digits
        elif token in _STAGES and (token not in _PATCH_LETTERS or following.isdecimal()):
            yield _BEFORE, _STAGES[token], ""
        else:
            yield _TEXT, 0, token


TAG = re.compile(
    r"[(\[{]\s*(steam|gog|epic|igdb|pcgw|pcgamingwiki|giantbomb)\s*[-_:=]\s*([\w-]+)\s*[)\]}]", re.IGNORECASE | re.ASCII
)
"""An id at a provider in a name, as people write it there: `(steam-570)`, `[igdb-1942]`."""

_ARCHIVE = re.compile(r"\.(?:zip|7z|rar|tar(?:\.\w+)?|tgz)$", re.IGNORECASE)
_MARKED = re.compile(r"\[[^\]]*\]|\{[^}]*\}|\([^()]*\)")
_EXTRA = rf"(?:{_ARCHITECTURE}|{_SHOP}|{_RELEASE}|{_PHASE})"
_REMARK = re.compile(rf"{_EXTRA}|\d+|[a-z]{{2}}|usa|europe|japan|world|", re.IGNORECASE)
_REMARK_ENDS = re.compile(r"[\s,;+_]+")
_ENDING = re.compile(rf"(?<=[^\s._-])[\s._-]+{_EXTRA}[\s._-]*$", re.IGNORECASE)
_ACRONYM = re.compile(r"(?<!\w)(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_])\.?)?")
_BLANK_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
_SETUP = re.compile(r"^setup[ _-]+(?=\S)", re.IGNORECASE)
_ARTICLE = re.compile(r"^(.*), (the|a|an)$", re.IGNORECASE)
_KEPT_DOT = "\0"


def title(folder: str) -> str:
    """The game's title in the name of a folder or archive: `Half-Life.2.v1.0.GOG` gives `Half-Life 2`.

    Never empty unless the name is: a folder called `1.0` keeps its name. Case is left as it is.
    """
    bare = _SETUP.sub("", TAG.sub(" ", _ARCHIVE.sub("", folder.strip())).strip())
    unmarked = _MARKED.sub(_without_remark, bare).strip(" _-")
    return _ARTICLE.sub(r"\2 \1", _spaced(_without_ending(unmarked))) or folder.strip()


def _without_remark(found: re.Match[str]) -> str:
    """Nothing for square brackets and for a year, shop, version or language in round ones; `(Remastered)` stays."""
    told = found[0]
    said_aside = told[0] != "(" or all(_REMARK.fullmatch(part) for part in _REMARK_ENDS.split(told[1:-1]))
    return " " if said_aside else told


def _without_ending(text: str) -> str:
    while (shorter := _ENDING.sub("", text)) != text:
        text = shorter
    return text


def _spaced(text: str) -> str:
    """Blanks for the signs that stood for them: underscores, dots where no blank is, hyphens of a slug."""
    if " " not in text:
        kept = _ACRONYM.sub(lambda found: found[0].replace(".", _KEPT_DOT) + " ", text)
        text = _BLANK_DOT.sub(" ", kept).replace(_KEPT_DOT, ".")
    text = " ".join(text.replace("_", " ").split())
    return text.replace("-", " ") if " " not in text and text.count("-") > 1 and text.islower() else text


_LEADING_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)")
_DIGITS = re.compile(r"[0-9]+")
_SORTED_DIGITS = 8


def sort_name(name: str) -> str:
    """Give what orders names as people do: no case, accents or article in front, and 2 before 10."""
    letters = "".join(mark for mark in unicodedata.normalize("NFKD", name) if not unicodedata.combining(mark))
    plain = _LEADING_ARTICLE.sub("", " ".join(letters.casefold().split()))
    return _DIGITS.sub(lambda found: found[0].zfill(_SORTED_DIGITS), plain)
