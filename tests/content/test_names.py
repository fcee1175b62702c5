"""Unsafe names and links."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.errors import UnusableVersion
from playdock.content.names import check_links, check_names, normalized_name, parents, unsafe_reason

GOOD = (
    "game.exe",
    "data/levels/01 first.pak",
    "content/common/config.ini",
    "Spiel/Übung/日本語.txt",
    ".hidden",
    "..data/file",
    "a...b",
    "console",
    "auxiliary.dat",
    "com",
    "com10",
    "nullable.dll",
    "usr/share/man/man3/Game::Sound.3pm",
    "what's (new) [2].txt",
    "data/.playdock/file",
    "playdock",
    ".playdocks/file",
    "playdo~one",
    "data/PLAYDO~1",
    "plan~1.txt",
    "plague~1",
    "x" * 255,
)
BAD = (
    ("", "empty"),
    ("/etc/passwd", "absolute"),
    ("C:/Windows/x", "absolute"),
    ("c:x", "absolute"),
    ("../x", "`..`"),
    ("a/../b", "`..`"),
    ("a/..", "`..`"),
    ("..", "`..`"),
    (".", "empty"),
    ("a/./b", "empty"),
    ("a//b", "empty"),
    ("a/", "empty"),
    ("a\\b", "backslash"),
    ("a\nb", "control"),
    ("a\x00b", "control"),
    ("a\x7f", "control"),
    ("a\x9bb", "control"),
    ("a.", "dot or a space"),
    ("folder /x", "dot or a space"),
    ("...", "dot or a space"),
    ("con", "reserved"),
    ("data/NUL.txt", "reserved"),
    ("Aux/x", "reserved"),
    ("lpt1", "reserved"),
    ("COM9.tar.gz", "reserved"),
    ("com¹", "reserved"),
    ("nul .txt", "reserved"),
    ("conin$", "reserved"),
    ("PRN:stream", "reserved"),
    ("caf\udce9", "UTF-8"),
    (".playdock", "client"),
    (".playdock/installation.json", "client"),
    (".PlayDock/staging/x", "client"),
    (".play\u200cdock/x", "client"),
    ("\ufeff.play\u00addoc\u212a", "client"),
    (".playdock:stream", "client"),
    (".playdock::$INDEX_ALLOCATION/x", "client"),
    ("PLAYDO~1", "client"),
    ("playdo~1/installation.json", "client"),
    ("PlayD~12/x", "client"),
    ("pl1a2b~1/x", "client"),
    ("play\u200ddo~2/x", "client"),
    ("x" * 256, "too long"),
    ("abcdefg/" * 512 + "x", "too long"),
)


@pytest.mark.parametrize("path", GOOD)
def test_common_names_are_accepted(path: str) -> None:
    assert unsafe_reason(path) is None


@pytest.mark.parametrize(("path", "reason"), BAD)
def test_unsafe_names_are_rejected_with_the_reason(path: str, reason: str) -> None:
    assert reason in (unsafe_reason(path) or "")
    with pytest.raises(UnusableVersion, match=re.escape(reason)) as caught:
        check_names([path])
    assert str(caught.value).isprintable()


@given(st.text(alphabet=st.sampled_from("aAcConNuUlL1$. /\\:\n\u00e9*"), max_size=12))
def test_the_fast_check_accepts_no_unsafe_name(path: str) -> None:
    parts = path.split("/")
    devices = {"con", "nul", "conin$"}
    hurts = (
        "\\" in path
        or "\n" in path
        or re.match("[a-zA-Z]:", path) is not None
        or any(not part or part[-1] in ". " for part in parts)
        or any(re.split("[.:]", part)[0].rstrip(" ").lower() in devices for part in parts)
    )
    assert (unsafe_reason(path) is not None) == hurts


@pytest.mark.parametrize(
    "paths",
    [
        ["Readme.txt", "README.TXT"],
        ["Data/x", "data/x"],
        ["Data/x", "data/y"],
        ["data", "Data/x"],
        ["Data/x", "data"],
        ["\u00e9", "e\u0301"],
        ["stra\u00dfe", "STRASSE"],
        ["save", "sa\u200bve"],
        ["\u00fc", "\ufeffu\u0308"],
    ],
)
def test_names_that_differ_only_by_case_are_rejected(paths: list[str]) -> None:
    with pytest.raises(UnusableVersion, match="only by case"):
        check_names(paths)


@pytest.mark.parametrize(("paths", "what"), [(["a", "a"], "twice"), (["a", "a/b"], "both a file and a folder")])
def test_duplicate_and_conflicting_paths_are_rejected(paths: list[str], what: str) -> None:
    for order in (paths, paths[::-1]):
        with pytest.raises(UnusableVersion, match=what):
            check_names(order)


@given(
    st.sets(st.lists(st.sampled_from(["a", "A", "b", "b-", "\u00e9", "e\u0301"]), min_size=1, max_size=3).map("/".join))
)
def test_every_conflict_is_found_and_nothing_else(paths: set[str]) -> None:
    names = [normalized_name(path) for path in paths]
    folders = {folder for path in paths for folder in parents(path)}
    is_unique = len({*names, *map(normalized_name, folders)}) == len(paths) + len(folders)

    if is_unique:
        check_names(paths)
    else:
        with pytest.raises(UnusableVersion):
            check_names(paths)


def test_many_files_in_one_folder_are_accepted() -> None:
    check_names(f"data/{folder}/{number}" for folder in "abc" for number in range(100))


@pytest.mark.parametrize(
    "links",
    [
        {"a": "b"},
        {"a": "gone/or/not/yet"},
        {"lib/a.so": "a.so.1", "lib/a.so.1": "../lib/./a.so.1.2"},
        {"deep/er/up": "../.."},
        {"a": "b", "b": "c/", "x": "a/y"},
    ],
)
def test_links_within_the_version_are_accepted(links: dict[str, str]) -> None:
    check_links(links)


@pytest.mark.parametrize(
    ("links", "reason"),
    [
        ({"a": ".."}, "points outside the version"),
        ({"a/b": "../../etc/passwd"}, "points outside the version"),
        ({"a": "b/../../c"}, "points outside the version"),
        ({"deep/root": "..", "out": "deep/root/../x"}, "points outside the version"),
        ({"Deep/root": "..", "out": "deep/ROOT/../x"}, "points outside the version"),
        ({"deep": ".", "out": "de\u200cep/../x"}, "points outside the version"),
        ({"a": "/etc/passwd"}, "absolute"),
        ({"a": "C:\\x"}, "absolute"),
        ({"a": "b\\c"}, "backslash"),
        ({"a": "b\x00"}, "control"),
        ({"a": "caf\udce9"}, "UTF-8"),
        ({"a": ""}, "empty"),
        ({"a": "a"}, "circular"),
        ({"a": "b", "b": "a"}, "circular"),
        ({"a": "a/x"}, "circular"),
    ],
)
def test_links_that_are_circular_or_leave_the_version_are_rejected(links: dict[str, str], reason: str) -> None:
    with pytest.raises(UnusableVersion, match=reason):
        check_links(links)
