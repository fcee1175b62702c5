"""Names that a server may not give."""

import pytest

from playdock_client.names import casefolded, folders_of, link_problem, name_problem, path_problem, quoted

GOOD = [
    "game.exe",
    "data/levels/01 first.pak",
    "Spiel/Übung/日本語.txt",
    ".hidden",
    "a...b",
    "console",
    "com10",
    "data/.playdock/file",
    "plan~1.txt",
    "x" * 255,
]
BAD = [
    ("", "empty"),
    ("/etc/passwd", "absolute"),
    ("C:/x", "absolute"),
    ("c:x", "absolute"),
    ("..", "empty, “.” or"),
    ("a/../b", "empty, “.” or"),
    ("a/./b", "empty, “.” or"),
    ("a//b", "empty"),
    ("a/", "empty"),
    ("a\\b", "some systems"),
    ("..\\..\\b", "some systems"),
    ("a\nb", "some systems"),
    ("a\x00b", "some systems"),
    ("a\ud800", "some systems"),
    ("a.", "ends with"),
    ("folder /x", "ends with"),
    ("con", "device"),
    ("data/NUL.txt", "device"),
    ("lpt1 .txt/x", "device"),
    ("COM¹", "device"),
    (".playdock/installation.json", "own folder"),
    (".PlayDock", "own folder"),
    (".play\u200cdock/x", "own folder"),
    ("\ufeff.play\u00addoc\u212a", "own folder"),
    (".playdock:stream", "own folder"),
    ("PLAYDO~1", "own folder"),
    ("playdo~1/installation.json", "own folder"),
    ("PlayD~12/x", "own folder"),
    ("pl1a2b~1/x", "own folder"),
    ("play\u200ddo~2/x", "own folder"),
    ("x" * 256, "too long"),
    ("ü" * 128, "too long"),
    ("/".join(["x" * 200] * 30), "too long"),
]


@pytest.mark.parametrize("path", GOOD)
def test_names_valid_on_every_system_are_accepted(path: str) -> None:
    assert path_problem(path) is None


@pytest.mark.parametrize(("path", "reason"), BAD)
def test_unsafe_names_are_rejected_with_the_reason(path: str, reason: str) -> None:
    assert reason in (path_problem(path) or "taken")


@pytest.mark.parametrize(
    "paths",
    [
        ["a", "a"],
        ["Data/x", "data/y"],
        ["a", "a/b"],
        ["a/b", "a"],
        ["é", "e\u0301"],
        ["A/b/c", "a"],
        ["straße", "STRASSE"],
        ["save", "sa\u200bve"],
    ],
)
def test_names_equal_on_some_systems_are_rejected(paths: list[str]) -> None:
    assert "twice" in (name_problem(paths) or "taken")


def test_a_folder_can_contain_many_files() -> None:
    assert name_problem(["a/b/1", "a/b/2", "a/c", "d"]) is None


@pytest.mark.parametrize(
    "links",
    [
        {"a": "/etc"},
        {"a": ".."},
        {"d/a": "../../x"},
        {"a": "c:/x"},
        {"a": "..\\x"},
        {"a": ""},
        {"d": ".", "x": "d/../y"},
        {"a": "b", "b": "a"},
        {"A": "x/..", "b": "a/../../y"},
        {"deep": ".", "b": "dee\u200cp/../y"},
    ],
)
def test_links_that_leave_the_folder_are_rejected(links: dict[str, str]) -> None:
    assert link_problem(links)


def test_links_inside_the_folder_are_accepted() -> None:
    assert link_problem({"lib/libx.so": "libx.so.1", "d/up": "../bin/game", "here": "."}) is None


def test_quoted_paths_contain_no_control_characters() -> None:
    assert quoted("a\x1b[2Jb") == "“a\\x1b[2Jb”"


def test_parent_folders_are_listed_outermost_first() -> None:
    assert folders_of("a/b/c") == ["a", "a/b"]
    assert casefolded("ÀB") == casefolded("a\u0300b")
