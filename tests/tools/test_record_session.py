"""The recorded session: the terminal, the recording, masked details, and the picture of the last screen."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record_session import code_in
from session_picture import picture
from session_recording import Disguise, Recording
from session_terminal import Ended, NotUnderstood, Run, Size, Terminal, shown_by

SIZE = Size(columns=20, rows=4)
DOCS = Path(__file__).parents[2] / "docs"


def shown(text: str, size: Size = SIZE) -> list[str]:
    terminal = Terminal(size)
    terminal.write(text)
    return ["".join(f"{' ' * (run.column and 1)}{run.text}" for run in line) for line in terminal.lines()]


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("\r\none", ["", "one"]),
        ("12345678901234567890\r\nnext", ["12345678901234567890", "next"]),
        ("12345678901234567890.", ["12345678901234567890", "."]),
        ("half\r\x1b[2Kdone", ["done"]),
        ("\x1b[?25lbar\r\nmore\r\x1b[2K\x1b[1A\x1b[2K\x1b[?25hend", ["end"]),
        ("1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]),
    ],
)
def test_a_terminal_shows_the_resulting_screen(written: str, lines: Sequence[str]) -> None:
    assert shown(written) == lines


def test_characters_with_the_same_style_form_one_run() -> None:
    terminal = Terminal(SIZE)
    terminal.write("\x1b[1;32m$\x1b[0m \x1b[1ml\x1b[0m\x1b[1ms\x1b[0m")

    assert terminal.lines() == [[Run(0, "$", "1;32"), Run(2, "ls", "1")]]


@pytest.mark.parametrize("written", ["\x1b[3B", "\x1b[K", "\a", "\x1b]0;title\a"])
def test_unsupported_control_sequences_are_reported(written: str) -> None:
    with pytest.raises(NotUnderstood, match="does not understand"):
        shown(f"text{written}")


def test_a_program_runs_in_a_terminal_of_that_size() -> None:
    program = "import os, sys; print(os.isatty(2), *os.get_terminal_size(), os.environ['MOOD'], 'ü')"
    written = "".join(shown_by([sys.executable, "-c", program], size=SIZE, environment={"MOOD": "fine"}))

    assert written == "True 20 4 fine ü\r\n"


def test_a_failing_program_ends_the_recording() -> None:
    with pytest.raises(Ended, match="status 3"):
        list(shown_by([sys.executable, "-c", "raise SystemExit(3)"], size=SIZE, environment={}))


def test_a_terminal_leaves_no_open_files() -> None:
    before = sorted(Path("/dev/fd").iterdir())
    list(shown_by([sys.executable, "-c", ""], size=SIZE, environment={}))

    assert sorted(Path("/dev/fd").iterdir()) == before


WHOLE = "at http://127.0.0.1:4321/device in /home/x/games/Doom, not /home/y or http:/"


@given(st.lists(st.integers(0, len(WHOLE))))
def test_local_details_are_masked_across_any_boundaries(cuts: Sequence[int]) -> None:
    disguise = Disguise({"http://127.0.0.1:4321": "https://example.org", "/home/x": "~"})
    edges = sorted({0, len(WHOLE), *cuts})
    covered = "".join(disguise.cover(WHOLE[start:end]) for start, end in pairwise(edges)) + disguise.rest()

    assert covered == "at https://example.org/device in ~/games/Doom, not /home/y or http:/"


@pytest.fixture
def at() -> Callable[[float], Recording]:
    """Return a function that creates a recording whose clock advances by some seconds with each reading."""

    def recording(step: float) -> Recording:
        moments = (step * count for count in range(1000))
        return Recording(SIZE, lambda: next(moments))

    return recording


def events(recording: Recording) -> Iterator[tuple[float, str]]:
    _, *lines = recording.cast(title="client")
    for moment, kind, text in map(json.loads, lines):
        assert kind == "o"
        yield moment, text


def test_a_recording_starts_with_the_size_of_its_terminal(at: Callable[[float], Recording]) -> None:
    header, *_ = at(1).cast(title="client")

    assert json.loads(header) == {"version": 2, "width": 20, "height": 4, "title": "client"}


def test_long_pauses_are_shortened_and_short_ones_kept(at: Callable[[float], Recording]) -> None:
    for step, kept in ((60, 1.5), (0.25, 0.25)):
        recording = at(step)
        recording.type("")
        recording.show("first")
        recording.show("second")
        _, (first, _), (second, _) = events(recording)

        assert second - first == pytest.approx(kept)


def test_a_command_appears_character_by_character_after_the_prompt(at: Callable[[float], Recording]) -> None:
    recording = at(0)
    recording.prompt()
    recording.type("ls")
    moments, texts = zip(*events(recording), strict=True)

    assert list(moments) == sorted(set(moments))
    assert len(texts) == 4
    assert shown("".join(texts)) == ["$ ls"]


def test_the_code_is_found_in_the_output_of_the_client() -> None:
    assert code_in("\r\n  Code   W D J B - M J H T\r\n\r\nWaiting") == "WDJB-MJHT"
    assert code_in("\r\n  Code   W D J B - M J") is None


def test_an_image_contains_every_run_at_its_position() -> None:
    lines = [[Run(0, "$", "1;32"), Run(2, 'a <b> & "c"', "1")], [], [Run(4, "plain", "38;5;9")]]
    svg = ET.fromstring(picture(lines, size=SIZE, title="a & b"))
    title, *texts = svg.findall("{*}text")

    assert title.text == "a & b"
    assert [(each.get("class"), each.text) for each in texts] == [
        ("prompt", "$"),
        ("typed", 'a <b> & "c"'),
        (None, "plain"),
    ]
    assert [float(each.get("x", 0)) for each in texts] == pytest.approx([20, 36.8, 53.6])
    assert float(texts[2].get("y", 0)) - float(texts[0].get("y", 0)) == 40


def test_the_recorded_session_contains_no_details_of_the_machine() -> None:
    kept = [(DOCS / f"session.{kind}").read_text(encoding="utf-8") for kind in ("cast", "svg")]
    header, *lines = map(json.loads, kept[0].splitlines())
    told = "".join(text for _, _, text in lines)

    assert header["version"] == 2
    assert all(real not in text for real in ("127.0.0.1", "/tmp", "/home") for text in (told, kept[1]))
    assert "0.11.10 is intact" in told
    assert "0.11.10 is intact" in kept[1]


def test_the_image_is_self_contained() -> None:
    svg = (DOCS / "session.svg").read_text(encoding="utf-8")

    assert len(svg) < 60_000
    assert not any(word in svg for word in ("<script", "url(", "href", "@import", "@font-face"))
