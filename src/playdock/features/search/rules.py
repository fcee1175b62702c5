"""Pure decisions of the search: what is asked for, what a game is found by, and how good a candidate is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Self

from rapidfuzz.distance import OSA

from playdock.kit.words import grams, words

_MOST_WORDS = 16
_MOST_LETTERS = 64
_MOST_TEXT = 20_000
_SHORTEST_BEGINNING = 3
_SHORTEST_FORGIVEN = 4
_LETTERS_AN_ERROR = 4
_MOST_ERRORS = 4
_ARTICLES = frozenset({"the", "a", "an"})
_ROMAN = ("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi")
_NUMERALS = {numeral: str(number) for number, numeral in enumerate(_ROMAN, start=2)}


@dataclass(frozen=True)
class Asked:
    """What somebody looks for, word by word; the last may be the beginning of one."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Read what was typed; without any letter or digit it asks for nothing."""
        return cls(words(text)[:_MOST_WORDS])

    @cached_property
    def forms(self) -> tuple["Form", ...]:
        return _forms(self.words)

    @property
    def grams(self) -> tuple[str, ...]:
        return grams(["".join(self.words)[:_MOST_LETTERS]])

    @property
    def names_only(self) -> bool:
        """Tell whether the last word is so short that nearly every description has one that begins so."""
        return len(self.words[-1]) < _SHORTEST_BEGINNING


@dataclass(frozen=True, slots=True)
class Form:
    """A way to read a title: its words without the article in front, the same without blanks, and that with it."""

    words: tuple[str, ...]
    joined: str
    whole: str

    @classmethod
    def of(cls, found: tuple[str, ...]) -> Self:
        bare = found[1:] if len(found) > 1 and found[0] in _ARTICLES else found
        return cls(bare, "".join(bare), "".join(found))


def _forms(found: tuple[str, ...]) -> tuple[Form, Form]:
    """Read a title as it is written, and with numbers for Roman numerals."""
    return Form.of(found), Form.of(tuple(_NUMERALS.get(word, word) for word in found))


@dataclass(frozen=True, slots=True)
class Document:
    """What a game is found by: the words of its title, of each company and tag, and of its descriptions."""

    title: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    text: frozenset[str]

    @classmethod
    def of(cls, name: str, *, labels: Iterable[str], text: str) -> Self:
        return cls(words(name), tuple(words(label) for label in labels), frozenset(words(text[:_MOST_TEXT])))

    @property
    def label_words(self) -> frozenset[str]:
        return frozenset(word for label in self.labels for word in label)

    @property
    def grams(self) -> tuple[str, ...]:
        return grams(self.title)


def fts5_words(asked: Asked) -> str:
    """Ask FTS5 for all words, wherever they stand."""
    columns = "title labels" if asked.names_only else "title labels text"
    return f"{{{columns}}} : ({' AND '.join(map(_phrase, asked.words))} *)"


def fts5_grams(asked: Asked) -> str:
    """Ask FTS5 for any gram of a title."""
    return f"grams : ({' OR '.join(map(_phrase, asked.grams))})"


def tsquery_words(asked: Asked) -> str:
    """Ask PostgreSQL for all words."""
    return f"{' & '.join(map(_lexeme, asked.words))}:*"


def tsquery_grams(asked: Asked) -> str:
    """Ask PostgreSQL for any gram of a title."""
    return " | ".join(map(_lexeme, asked.grams))


def _phrase(word: str) -> str:
    return f'"{word}"'


def _lexeme(word: str) -> str:
    return f"'{word}'"


_ABOVE_ALL = 9.0


class Tier(IntEnum):
    """What a game is found by, the best last."""

    TEXT = 1
    LABELS = 2
    LIKENESS = 3
    WORDS = 4
    BEGINNING = 5
    TITLE = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A game that the database found: the words of its title, its companies and tags, one a line; by words or grams."""

    game_id: str
    title: str
    labels: str
    has_words: bool


@dataclass(frozen=True, order=True, slots=True)
class Hit:
    """A game that was found. In rising order of ``key`` the best comes first, and equals come by title."""

    key: str
    game_id: str


def ranked(asked: Asked, candidates: Iterable[Candidate]) -> list[Hit]:
    """Sort candidates, the best first, without those that only look a little alike."""
    return sorted(_hits(asked, candidates))


def _hits(asked: Asked, candidates: Iterable[Candidate]) -> Iterator[Hit]:
    for candidate in candidates:
        score = _score(asked, candidate)
        if score is not None:
            yield Hit(f"{_ABOVE_ALL - score:.6f} {candidate.title}", candidate.game_id)


def _score(asked: Asked, candidate: Candidate) -> float | None:
    title = tuple(candidate.title.split())
    if title == asked.words:
        return Tier.TITLE + 1.0
    scores = map(_score_of_title, asked.forms, _forms(title))
    best = max((score for score in scores if score is not None), default=None)
    if best is not None or not candidate.has_words:
        return best
    return _score_of_labels(asked, candidate)


def _score_of_labels(asked: Asked, candidate: Candidate) -> float:
    if " ".join(asked.words) in candidate.labels.split("\n"):
        return Tier.LABELS + 0.5
    return Tier.LABELS if _begin(asked.words, f"{candidate.title} {candidate.labels}".split()) else Tier.TEXT


def _score_of_title(asked: Form, title: Form) -> float | None:
    """Give the tier with the share of the title that was asked for, None if the title does not tell."""
    if title.joined == asked.joined:
        return Tier.TITLE
    share = len(asked.joined) / (len(asked.joined) + len(title.joined))
    if title.joined.startswith(asked.joined):
        return Tier.BEGINNING + share
    if _begin(asked.words, title.words):
        return Tier.WORDS + share
    errors = _errors(asked, title)
    return None if errors is None else Tier.LIKENESS + (1 + share) / (2 + errors)


def _begin(asked: Sequence[str], found: Sequence[str]) -> bool:
    """Tell whether all words are there, the last at least as the beginning of one."""
    return set(asked[:-1]) <= set(found) and any(word.startswith(asked[-1]) for word in found)


def _errors(asked: Form, title: Form) -> int | None:
    """Count the wrong, missing, doubled and swapped letters; None if there are too many for the same name."""
    counts = (_errors_together(asked, title), _errors_by_word(asked, title))
    return min((count for count in counts if count is not None), default=None)


def _errors_together(asked: Form, title: Form) -> int | None:
    """Compare without blanks, with what begins at any word of the title: blanks may be missing or too many."""
    tails = ("".join(title.words[at:]) for at in range(len(title.words)))
    return _fewest(asked.joined, {title.whole, *tails})


def _errors_by_word(asked: Form, title: Form) -> int | None:
    """Compare word by word: their order may differ, and words may be left out."""
    counts = [_fewest(word, title.words) for word in asked.words]
    return None if None in counts else sum(count for count in counts if count is not None)


def _fewest(asked: str, found: Iterable[str]) -> int | None:
    """Count the errors to the beginning of what is most alike, None if there are more than so many letters allow."""
    most = _errors_allowed(len(asked))
    counts = (
        OSA.distance(asked, each[:length], score_cutoff=most)
        for each in found
        for length in range(max(len(asked) - most, 1), min(len(asked) + most, len(each)) + 1)
    )
    fewest = min(counts, default=most + 1)
    return fewest if fewest <= most else None


def _errors_allowed(letters: int) -> int:
    """None in very short words, which are too much alike; one from four letters on, two from seven."""
    return min((letters + 1) // _LETTERS_AN_ERROR, _MOST_ERRORS) if letters >= _SHORTEST_FORGIVEN else 0
