"""Names that a server may not give."""

import pytest

from playdock_client.names import fault_of_links, fault_of_names, fold, folders_of, quoted, refusal

GOOD = [
    "game.exe",
    "data/levels/01 first.pak",
    "Spiel/Übung/日本語.txt",
    ".hidden",
    "a...b",
    "console",
    "com10",
    "x" * 255,
]
BAD = [
    ("", "empty"),
    ("/etc/passwd", "absolute"),
    ("C:/x", "absolute"),
    ("c:x", "absolute"),
    ("..", "dots"),
    ("a/../b", "dots"),
    ("a/./b", "dots"),
    ("a//b", "empty"),
    ("a/", "empty"),
    ("a\\b", "every system"),
    ("..\\..\\b", "every system"),
    ("a\nb", "every system"),
    ("a\x00b", "every system"),
    ("a\ud800", "every system"),
    ("a.", "ends with"),
    ("folder /x", "ends with"),
    ("con", "device"),
    ("data/NUL.txt", "device"),
    ("lpt1 .txt/x", "device"),
    ("COM¹", "device"),
    (".playdock/installation.json", "for itself"),
    (".PlayDock", "for itself"),
    ("x" * 256, "too long"),
    ("ü" * 128, "too long"),
    ("/".join(["x" * 200] * 30), "too long"),
]


@pytest.mark.parametrize("path", GOOD)
def test_names_that_every_system_takes_are_taken(path: str) -> None:
    assert refusal(path) is None


@pytest.mark.parametrize(("path", "reason"), BAD)
def test_names_that_could_do_harm_are_refused_with_the_reason(path: str, reason: str) -> None:
    assert reason in (refusal(path) or "taken")


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
    ],
)
def test_names_that_are_one_name_somewhere_are_refused(paths: list[str]) -> None:
    assert "twice" in (fault_of_names(paths) or "taken")


def test_the_same_folder_may_have_many_files() -> None:
    assert fault_of_names(["a/b/1", "a/b/2", "a/c", "d"]) is None


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
    ],
)
def test_links_that_leave_the_folder_are_refused(links: dict[str, str]) -> None:
    assert fault_of_links(links)


def test_links_that_stay_are_taken() -> None:
    assert fault_of_links({"lib/libx.so": "libx.so.1", "d/up": "../bin/game", "here": "."}) is None


def test_what_is_quoted_moves_no_cursor() -> None:
    assert quoted("a\x1b[2Jb") == "“a\\x1b[2Jb”"


def test_folders_are_given_from_the_outermost() -> None:
    assert folders_of("a/b/c") == ["a", "a/b"]
    assert fold("ÀB") == fold("a\u0300b")
