"""Names that look the same, and names that nobody sees."""

import msgspec
import pytest

from playdock.kit.texts import Name, normalize, one_line

_WORD_JOINER, _ZERO_WIDTH_SPACE, _RIGHT_TO_LEFT = "\u2060", "\u200b", "\u202e"


@pytest.mark.parametrize(
    "name",
    [
        "racing games",
        " Racing  Games ",
        f"Racing{_ZERO_WIDTH_SPACE} Games",
        f"{_RIGHT_TO_LEFT}Ra\u00adcing Games\ufeff",
    ],
)
def test_names_that_look_the_same_are_the_same(name: str) -> None:
    assert normalize(name) == normalize("Racing Games")


@pytest.mark.parametrize("name", ["Racing-Games", "Racing Gamés", "RacingGames"])
def test_similar_names_differ(name: str) -> None:
    assert normalize(name) != normalize("Racing Games")


@pytest.mark.parametrize("name", ["", " ", "\t", _ZERO_WIDTH_SPACE, f" {_WORD_JOINER}\u200f", "\u3164"])
def test_a_name_can_be_seen(name: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(name, Name)
    assert msgspec.convert(f"{name}x", Name) == f"{name}x"


def test_a_name_does_not_turn_what_follows_it() -> None:
    assert one_line(f"Half-Life\t2 {_RIGHT_TO_LEFT}evil\u2067") == "Half-Life 2 evil"
    family = "\U0001f468\u200d\U0001f469"
    assert one_line(family) == family, "a joiner makes one picture of two"
