"""Normalized words and trigrams of similar spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.kit.words import grams, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Half-Life 2", ("half", "life", "2")),
        ("Baldur's Gate\u2122 III", ("baldurs", "gate", "iii")),
        ("Baldur\u2019s", ("baldurs",)),
        ("Pokémon: Ærø & Łódź", ("pokemon", "aero", "and", "lodz")),
        ("STRASSE straße", ("strasse", "strasse")),
        ("snake_case", ("snake", "case")),
        ("原神 2", ("原", "神", "2")),
        ("a\u0301", ("a",)),
        ("?! \U0001f3ae _ \u0301", ()),
        ("", ()),
        ("x" * 50, ("x" * 40,)),
    ],
)
def test_words_are_normalized(text: str, found: tuple[str, ...]) -> None:
    assert words(text) == found


@given(st.text())
def test_words_contain_only_letters_and_digits(text: str) -> None:
    assert all(word.replace("_", " ").isalnum() for word in words(text))


@given(st.text())
def test_normalizing_words_twice_changes_nothing(text: str) -> None:
    assert words(" ".join(words(text))) == words(text)


def test_grams_mark_the_start_and_end_of_a_text() -> None:
    assert grams(["doom"]) == ("__d", "_do", "doo", "om_", "oom")


def test_joined_words_have_the_same_grams() -> None:
    assert grams(["half", "life"]) == grams(["halflife"])


def test_a_wrong_letter_affects_at_most_three_grams() -> None:
    assert len({*grams(["witcher"])} - {*grams(["watcher"])}) == 3


def test_an_empty_text_has_one_blank_gram() -> None:
    assert grams([]) == ("___",)
