"""How names, sizes and times are put for a person."""

import shlex

import pytest

from playdock_client.wording import bulleted, command_line, duration, plain, size


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


@pytest.mark.parametrize("name", ["Doom", "Tom's game", 'a" & calc & "', "$(reboot) `reboot`", "%PATH%", "a;b|c"])
def test_nothing_in_names_is_run_by_a_shell_into_which_a_command_is_copied(name: str) -> None:
    posix = command_line("adopt", name, "--folder", f"/games/{name}", windows=False)
    assert shlex.split(posix) == ["playdock-client", "adopt", name, "--folder", f"/games/{name}"]
    windows = command_line("adopt", name, "--folder", f"C:\\games\\{name}", windows=True)
    assert [windows.count(sign) for sign in '"`$%'] == [8, 0, 0, 0]
    assert "".join(windows.split('"')[::2]) == "playdock-client    "


def test_a_command_is_shown_on_one_line() -> None:
    assert command_line("adopt", "a\nb\x1b[2J", windows=False) == "playdock-client adopt 'a�b�[2J'"
