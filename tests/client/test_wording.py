"""How names, sizes and times are put for a person."""

import pytest

from playdock_client.wording import bulleted, duration, plain, size


@pytest.mark.parametrize("letter", ["\x1b", "\n", "\r", "\t", "\x9b", "\x7f", "\u202e", "\u2028", "\ud800"])
def test_control_characters_are_replaced(letter: str) -> None:
    assert plain(f"a{letter}[2Jb") == "a�[2Jb"


@pytest.mark.parametrize("text", ["Ōkami ²", "[bold]Doom[/]", "नमस्ते", "क्\u200dष", "👩\u200d🚀 Ace"])
def test_letters_of_all_scripts_are_kept_unchanged(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (4_294_967_296, "4.3 GB"),
        (10**18, "1000.0 PB"),
    ],
)
def test_sizes_are_formatted_in_decimal_units(count: int, told: str) -> None:
    assert size(count) == told


@pytest.mark.parametrize(("seconds", "told"), [(0, "0:00"), (42.4, "0:42"), (725, "12:05"), (10_800, "3:00:00")])
def test_durations_are_formatted_like_clocks(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_a_long_list_is_shortened_and_the_rest_counted() -> None:
    shown = bulleted("Files:", [str(number) for number in range(25)])

    assert shown[:2] == ["Files:", "  0"]
    assert shown[-1] == "  … and 5 more"


def test_an_empty_list_has_no_heading() -> None:
    assert bulleted("Files:", []) == []
