"""The rules of the search: how good a candidate is."""

from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.domain.search.rules import (
    INDEX_VERSION,
    MAX_BY_GRAMS,
    MAX_BY_WORDS,
    Document,
    SearchCandidate,
    SearchTerms,
    fts5_grams,
    fts5_words,
    likeliest,
    ranked,
    tsquery_words,
)
from playdock.kit.words import words


def _candidate(title: str, labels: Sequence[str] = (), *, has_words: bool = False) -> SearchCandidate:
    lines = "\n".join(" ".join(words(label)) for label in labels)
    return SearchCandidate(title, " ".join(words(title)), lines, has_words)


def _ranked(typed: str, *candidates: SearchCandidate) -> list[str]:
    return [hit.game_id for hit in ranked(SearchTerms.of(typed), reversed(candidates))]


def test_matches_are_ranked_by_title_prefix_words_similarity_labels_and_text() -> None:
    rising = (
        _candidate("Portal"),
        _candidate("The Portal"),
        _candidate("Portal 2"),
        _candidate("Portal Stories"),
        _candidate("Bridge Constructor Portal"),
        _candidate("Potral"),
        _candidate("Valve Index", ["Portal"], has_words=True),
        _candidate("Labelled", ["Portal games"], has_words=True),
        _candidate("Somewhere described", has_words=True),
    )
    assert _ranked("portal", *rising) == [each.game_id for each in rising]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("final fantasy 7", "Final Fantasy VII"),
        ("final fantasy vii", "Final Fantasy 7"),
        ("gta v", "GTA 5"),
        ("wild hunt", "The Witcher 3: Wild Hunt"),
        ("wichter 3", "The Witcher 3: Wild Hunt"),
        ("assassins odyssey", "Assassin's Creed Odyssey"),
        ("asassin odysey", "Assassin's Creed Odyssey"),
        ("starcraft", "Star Craft"),
        ("star craft", "StarCraft"),
        ("tthe witcher", "The Witcher"),
        ("civilizashun", "Civilization"),
    ],
)
def test_a_title_is_recognized(typed: str, title: str) -> None:
    assert _ranked(typed, _candidate(title)) == [title]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("doom", "Portal"),
        ("ark", "Arc"),
        ("halo", "Hollow Knight"),
        ("witcher 3", "Switch 3"),
        ("portal", "Poker Night"),
    ],
)
def test_a_dissimilar_title_is_left_out(typed: str, title: str) -> None:
    assert _ranked(typed, _candidate(title)) == []


def test_of_two_titles_with_all_words_the_shorter_ranks_first() -> None:
    assert _ranked("doom", _candidate("Doom 3"), _candidate("Doom Eternal Deluxe")) == ["Doom 3", "Doom Eternal Deluxe"]


def test_titles_with_fewer_errors_rank_first() -> None:
    assert _ranked("wichter", _candidate("Wichner"), _candidate("Witcher")) == ["Wichner", "Witcher"]


def test_equal_ranks_are_sorted_by_title() -> None:
    same = [_candidate(name, has_words=True) for name in ("Alpha", "Beta", "Gamma")]
    assert _ranked("dragons", *same) == ["Alpha", "Beta", "Gamma"]


def test_a_game_without_words_in_its_title_is_found_by_its_labels_only() -> None:
    assert _ranked("valve", _candidate("???", ["Valve"], has_words=True)) == ["???"]


def test_of_too_many_candidates_those_whose_titles_begin_so_are_kept() -> None:
    with_words = [_candidate(f"Big sea {number}", has_words=True) for number in range(MAX_BY_WORDS)]
    beginning = [_candidate(f"The spaceship number {number}", has_words=True) for number in range(9)]
    similar = [_candidate(f"Saa {number}") for number in range(MAX_BY_GRAMS + 9)]
    kept = likeliest(SearchTerms.of("s"), [*with_words, *similar, *beginning])
    assert kept[: len(beginning)] == beginning
    assert len(kept) == MAX_BY_WORDS + MAX_BY_GRAMS


def test_which_of_too_many_candidates_are_kept_does_not_depend_on_their_order() -> None:
    candidates = [_candidate(f"Sea {number:04}", has_words=number % 2 == 0) for number in range(1000)]
    kept = likeliest(SearchTerms.of("s"), candidates)
    assert likeliest(SearchTerms.of("s"), candidates[::-1]) == kept
    assert len(kept) == MAX_BY_WORDS + MAX_BY_GRAMS


def test_a_short_last_word_is_searched_in_names_only() -> None:
    assert fts5_words(SearchTerms.of("half li")) == '{title labels} : ("half" AND "li" *)'
    assert fts5_words(SearchTerms.of("half lif")) == '{title labels text} : ("half" AND "lif" *)'


def test_the_number_of_search_terms_is_bounded() -> None:
    asked = SearchTerms.of("word " * 200 + "x" * 300)
    assert len(asked.words) <= 16
    assert len(asked.grams) <= 67


@given(st.text())
def test_user_input_cannot_inject_query_syntax(text: str) -> None:
    asked = SearchTerms.of(text)
    if asked.words:
        told = " ".join(asked.words)
        plain = fts5_words(asked) + fts5_grams(asked) + tsquery_words(asked)
        assert {sign for sign in plain if not sign.isalnum() and sign not in told} <= set("{} :()\"*|&'_ ")


@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=10), max_size=3), st.booleans())
def test_any_candidate_can_be_ranked(typed: str, title: str, labels: list[str], has_words: bool) -> None:  # noqa: FBT001
    asked = SearchTerms.of(typed)
    if asked.words:
        hits = ranked(asked, [_candidate(title, labels, has_words=has_words)])
        assert len(hits) <= 1
        assert len(hits) == 1 or not has_words


def test_a_document_contains_the_words_of_its_fields() -> None:
    document = Document.of("Half-Life", labels=["Valve", "First person"], text="Run. Think. Run.")
    assert document.title == ("half", "life")
    assert document.label_words == {"valve", "first", "person"}
    assert document.text == {"run", "think"}


# Names with accents, trade marks, ligatures, numerals, other scripts, and a word that is too long.
_NAMES = (
    "Pok\u00e9mon\u2122 Snap | \u00c6on Flux & \u0141\u00f3d\u017a | Final Fantasy VII | \u6771\u4eac Xanadu | x"
    + 50 * "y"
)


def test_entries_of_one_index_version_have_the_same_words() -> None:
    document = Document.of(_NAMES, labels=["id Software", "Role-playing (RPG)"], text=f"{_NAMES}\nDon't starve!")
    held = (document.title, document.labels, sorted(document.text), document.grams)
    written = sha256(repr(held).encode()).hexdigest()[:16]
    assert (INDEX_VERSION, written) == (1, "8c2c605e0421c1da"), "The index holds other words: count INDEX_VERSION up."
