"""Pure decisions of the search: the terms of a query, a game's index document, and the ranking of candidates."""

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cached_property, partial
from heapq import nlargest, nsmallest
from typing import Self

from msgspec import Struct
from rapidfuzz.distance import OSA

from playdock.kit.words import grams, grams_in_order, words

# The version of the index entries: increment it whenever `Document` or `kit.words` returns other words than before.
# A task then rewrites all entries.
INDEX_VERSION = 1

# Bounds the ranking, which runs in Python, even for a prefix of one letter; more results than a person looks through.
MAX_BY_WORDS = 300
MAX_BY_GRAMS = 200
# Limits the size of the statement and the comparisons per candidate; longer than nearly every title.
_MAX_WORDS = 16
# The same limit for grams, each of which is one more term of the statement.
_MAX_LETTERS = 64
# Bounds the size of an entry: providers may return whole web pages as descriptions.
_MAX_TEXT_CHARACTERS = 20_000
# Those of 13 letters: two wrong letters leave a gram of each half. In a large store, most titles have some gram of a
# long query.
_MIN_GRAMS_OF_HALVES = 14
# Nearly every description has a word that starts with any given 1 or 2 letters.
_MIN_PREFIX_LENGTH = 3
# Words of 3 letters or fewer differ from many others in a single letter, so they must match exactly.
_MIN_FUZZY_LENGTH = 4
# One error from 3 letters per 4, at most 4 in long titles, where more errors make another title.
_LETTERS_PER_ERROR = 4
_MAX_ERRORS = 4
_ARTICLES = frozenset({"the", "a", "an"})
_ROMAN = ("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi")
_NUMERALS = {numeral: str(number) for number, numeral in enumerate(_ROMAN, start=2)}


class SearchTerms(Struct, frozen=True, dict=True):
    """The words of a query; the last may be a prefix."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the terms of a query; there are none if the text has no letters or digits."""
        return cls(words(text)[:_MAX_WORDS])

    @cached_property
    def forms(self) -> tuple["TitleForm", ...]:
        return _forms(self.words)

    @cached_property
    def grams(self) -> tuple[tuple[str, ...], ...]:
        """Groups of grams: a similar title has one of each group. A long query has one group for each of its halves."""
        found = grams_in_order(["".join(self.words)[:_MAX_LETTERS]])
        middle = len(found) // 2 if len(found) >= _MIN_GRAMS_OF_HALVES else 0
        return tuple(tuple(sorted(set(half))) for half in (found[:middle], found[middle:]) if half)

    @property
    def is_initial(self) -> bool:
        """Return whether this is only the beginning of a word, so short that most games have one that begins so."""
        return len(self.words) == 1 and self.names_only

    @property
    def names_only(self) -> bool:
        """Return whether the last word is too short to search descriptions."""
        return len(self.words[-1]) < _MIN_PREFIX_LENGTH


class TitleForm(Struct, frozen=True):
    """One reading of a title: its words without a leading article, these joined, and all words joined."""

    words: tuple[str, ...]
    joined: str
    whole: str

    @classmethod
    def of(cls, found: tuple[str, ...]) -> Self:
        bare = found[1:] if len(found) > 1 and found[0] in _ARTICLES else found
        return cls(bare, "".join(bare), "".join(found))


def _forms(found: tuple[str, ...]) -> tuple[TitleForm, TitleForm]:
    """Return the forms of a title: as written, and with Roman numerals replaced by digits."""
    return TitleForm.of(found), TitleForm.of(tuple(_NUMERALS.get(word, word) for word in found))


class Document(Struct, frozen=True):
    """A game's content for the index: the words of its title, of each company and tag, and of its descriptions."""

    title: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    text: frozenset[str]

    @classmethod
    def of(cls, name: str, *, labels: Iterable[str], text: str) -> Self:
        return cls(words(name), tuple(words(label) for label in labels), frozenset(words(text[:_MAX_TEXT_CHARACTERS])))

    @property
    def label_words(self) -> frozenset[str]:
        return frozenset(word for label in self.labels for word in label)

    @property
    def grams(self) -> tuple[str, ...]:
        return grams(self.title)


def fts5_words(query: SearchTerms) -> str:
    """Return the FTS5 query that requires all words, in any column searched."""
    columns = "title labels" if query.names_only else "title labels text"
    return f"{{{columns}}} : ({' AND '.join(map(_phrase, query.words))} *)"


def fts5_grams(query: SearchTerms) -> str:
    """Return the FTS5 query for any gram of the title, or of each half."""
    groups = (f"({' OR '.join(map(_phrase, group))})" for group in query.grams)
    return f"grams : ({' AND '.join(groups)})"


def tsquery_words(query: SearchTerms) -> str:
    """Return the PostgreSQL tsquery that requires all words."""
    return f"{' & '.join(map(_lexeme, query.words))}:*"


def tsquery_grams(query: SearchTerms) -> str:
    """Return the PostgreSQL tsquery for any gram of the title, or of each half."""
    return " & ".join(f"({' | '.join(map(_lexeme, group))})" for group in query.grams)


def _phrase(word: str) -> str:
    return f'"{word}"'


def _lexeme(word: str) -> str:
    return f"'{word}'"


# Above every score, so that a key (this minus the score) has one digit before the point and sorts as text.
_ABOVE_ALL = 9.0


class MatchTier(IntEnum):
    """What matched, in ascending order of relevance."""

    TEXT = 1
    LABELS = 2
    LIKENESS = 3
    WORDS = 4
    BEGINNING = 5
    TITLE = 6


class SearchCandidate(Struct, frozen=True):
    """A game returned by the database: the words of its title and of its labels (one per line), and how it matched."""

    game_id: str
    title: str
    labels: str
    has_words: bool


class SearchHit(Struct, frozen=True, order=True):
    """A search result. Sorting by ``key`` puts the best first; equally good results are sorted by title."""

    key: str
    game_id: str


def have_words(query: SearchTerms, *names: str) -> bool:
    """Return whether some names have all words of a query; the last may be the beginning of one of theirs."""
    return _begin(query.words, " ".join(names).split())


def likeliest(query: SearchTerms, candidates: Sequence[SearchCandidate]) -> list[SearchCandidate]:
    """Return the candidates with all words, and others with similar titles, but only the best of too many."""
    with_words = (each for each in candidates if each.has_words)
    others = ((_similarity(query, each), each) for each in candidates if not each.has_words)
    similar = nlargest(MAX_BY_GRAMS, (each for each in others if each[0]), key=lambda each: (each[0], each[1].game_id))
    best = nsmallest(MAX_BY_WORDS, with_words, key=partial(_place, query))
    return [*best, *(candidate for _, candidate in similar)]


def _place(query: SearchTerms, candidate: SearchCandidate) -> tuple[bool, bool, int, str]:
    """Return what sorts candidates with all words: those whose titles begin so first, and shorter titles before others.

    The id comes last, so that all pages of the results are of the same candidates.
    """
    title = tuple(candidate.title.split())
    begins = TitleForm.of(title).joined.startswith(TitleForm.of(query.words).joined)
    return not begins, not _begin(query.words, title), len(candidate.title), candidate.game_id


def _similarity(query: SearchTerms, candidate: SearchCandidate) -> float:
    """Return the share of grams that a query and a title have in common; 0 unless the title has one of each group."""
    found = set(grams_in_order(candidate.title.split()))
    common = [len(found.intersection(group)) for group in query.grams]
    return sum(common) / (len(found) + sum(map(len, query.grams))) if all(common) else 0.0


def ranked(query: SearchTerms, candidates: Iterable[SearchCandidate]) -> list[SearchHit]:
    """Return hits, best first, without candidates that are not similar enough."""
    return sorted(_hits(query, candidates))


def _hits(query: SearchTerms, candidates: Iterable[SearchCandidate]) -> Iterator[SearchHit]:
    for candidate in candidates:
        score = _score(query, candidate)
        if score is not None:
            yield SearchHit(f"{_ABOVE_ALL - score:.6f} {candidate.title}", candidate.game_id)


def _score(query: SearchTerms, candidate: SearchCandidate) -> float | None:
    title = tuple(candidate.title.split())
    if title == query.words:
        return MatchTier.TITLE + 1.0
    scores = map(_score_of_title, query.forms, _forms(title))
    best = max((score for score in scores if score is not None), default=None)
    if best is not None or not candidate.has_words:
        return best
    return _score_of_labels(query, candidate)


def _score_of_labels(query: SearchTerms, candidate: SearchCandidate) -> float:
    if " ".join(query.words) in candidate.labels.split("\n"):
        return MatchTier.LABELS + 0.5
    return MatchTier.LABELS if _begin(query.words, f"{candidate.title} {candidate.labels}".split()) else MatchTier.TEXT


def _score_of_title(query: TitleForm, title: TitleForm) -> float | None:
    """Return the tier plus the share of the title that was typed, or None if the title does not match."""
    if title.joined == query.joined:
        return MatchTier.TITLE
    share = len(query.joined) / (len(query.joined) + len(title.joined))
    if title.joined.startswith(query.joined):
        return MatchTier.BEGINNING + share
    if _begin(query.words, title.words):
        return MatchTier.WORDS + share
    errors = _errors(query, title)
    return None if errors is None else MatchTier.LIKENESS + (1 + share) / (2 + errors)


def _begin(query: Sequence[str], found: Sequence[str]) -> bool:
    """Return whether all words are present, the last one at least as a prefix."""
    return set(query[:-1]) <= set(found) and any(word.startswith(query[-1]) for word in found)


def _errors(query: TitleForm, title: TitleForm) -> int | None:
    """Count the wrong, missing, extra and swapped letters; None if there are too many."""
    counts = (_errors_together(query, title), _errors_by_word(query, title))
    return min((count for count in counts if count is not None), default=None)


def _errors_together(query: TitleForm, title: TitleForm) -> int | None:
    """Compare without spaces, starting at any word of the title: spaces may be missing or superfluous."""
    tails = ("".join(title.words[at:]) for at in range(len(title.words)))
    return _fewest(query.joined, {title.whole, *tails})


def _errors_by_word(query: TitleForm, title: TitleForm) -> int | None:
    """Compare word by word: the order may differ, and words of the title may be missing."""
    counts = [_fewest(word, title.words) for word in query.words]
    return None if None in counts else sum(count for count in counts if count is not None)


def _fewest(query: str, found: Iterable[str]) -> int | None:
    """Count the errors compared with the most similar prefix; None if there are more than the length allows."""
    most = _errors_allowed(len(query))
    counts = (
        OSA.distance(query, each[:length], score_cutoff=most)
        for each in found
        for length in range(max(len(query) - most, 1), min(len(query) + most, len(each)) + 1)
    )
    fewest = min(counts, default=most + 1)
    return fewest if fewest <= most else None


def _errors_allowed(letters: int) -> int:
    """Return how many errors a word may have: none below 4 letters, one from 4, two from 7."""
    return min((letters + 1) // _LETTERS_PER_ERROR, _MAX_ERRORS) if letters >= _MIN_FUZZY_LENGTH else 0
