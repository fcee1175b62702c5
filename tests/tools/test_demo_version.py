"""Converting Debian packages to versions: names, links, the tree and the archive."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_version import BuildError, LinkEnd, build_version, link_end, refused_names, settled_end
from playdock.content.names import check_links, check_names

from .packages import make_package, needs_dpkg


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a\\b", "its name contains a backslash"),
        ("a\tb", "its name contains a control character"),
        ("a\udcffb", "its name is not UTF-8"),
        ("NUL", "a part of its path is a reserved name on Windows"),
        ("con.txt", "a part of its path is a reserved name on Windows"),
        ("lpt¹", "a part of its path is a reserved name on Windows"),
        ("dot.", "a part of its path ends with a dot or a space, which Windows drops"),
    ],
)
def test_a_dangerous_name_is_rejected(name: str, reason: str) -> None:
    assert refused_names([name, "fine"]) == {name: reason}


@pytest.mark.parametrize("name", ["console", "nullify.txt", "com10", "Games::Bubble.3pm", "a b", ".hidden", "ünïcode"])
def test_a_harmless_name_is_kept(name: str) -> None:
    assert refused_names([name]) == {}


@pytest.mark.parametrize(("first", "second"), [("Data", "data"), ("STRASSE", "straße"), ("caf\u00e9", "cafe\u0301")])
def test_the_first_of_two_equivalent_names_is_kept(first: str, second: str) -> None:
    later = max(first, second)

    assert refused_names([first, second]).keys() == {later}
    assert refused_names([second, first]).keys() == {later}


@given(st.sets(st.text(st.characters(exclude_characters="/"), min_size=1).filter(lambda name: name not in {".", ".."})))
def test_the_remaining_names_are_valid_in_playdock(names: set[str]) -> None:
    # A letter with a colon is a drive only at the start of a path, and files of packages are in folders.
    check_names(f"usr/{name}" for name in sorted(names - refused_names(names).keys()))


MEMBERS = {"usr", "usr/games", "usr/games/x", "usr/share", "usr/share/x", "usr/share/x/data.bin"}


@pytest.mark.parametrize(
    ("target", "end"),
    [
        ("x", LinkEnd("usr/games/x", stayed=True)),
        ("./../games//x", LinkEnd("usr/games/x", stayed=True)),
        ("../share/x", LinkEnd("usr/share/x", stayed=True)),
        ("/usr/share/x/data.bin", LinkEnd("usr/share/x/data.bin", stayed=False)),
        ("../../../usr/share/x", LinkEnd("usr/share/x", stayed=False)),
        ("/usr/share/fonts/sans.ttf", None),
        ("../share/fonts/sans.ttf", None),
        ("../../..", None),
        ("link", None),
    ],
)
def test_a_link_is_kept_replaced_or_removed(target: str, end: LinkEnd | None) -> None:
    assert settled_end("usr/games/link", links={"usr/games/link": target}, members=MEMBERS) == end


@pytest.mark.parametrize(
    ("links", "end"),
    [
        ({"a": "b", "b": "c/d", "c": "usr"}, LinkEnd("usr/d", stayed=True)),
        ({"a": "b", "b": "/usr"}, LinkEnd("usr", stayed=False)),
        # The system resolves ".." relative to the target of a link, not to its location.
        ({"a": "deep/up/../x", "deep/up": ".."}, LinkEnd("x", stayed=False)),
        ({"a": "b", "b": "a"}, None),
    ],
)
def test_links_are_followed_through_links(links: Mapping[str, str], end: LinkEnd | None) -> None:
    assert link_end("a", links=links) == end


steps = st.lists(st.sampled_from(["a", "b", "c", ".."]), min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(st.sampled_from(["a", "b", "a/c", "b/c"]), steps))
def test_links_within_the_tree_are_valid_in_playdock(links: dict[str, str]) -> None:
    outermost = {path: target for path, target in links.items() if path.split("/")[0] == path or path[0] not in links}
    ends = {path: link_end(path, links=outermost) for path in outermost}

    check_links({path: target for path, target in outermost.items() if (end := ends[path]) and end.stayed})


@pytest.fixture
def game(tmp_path: Path) -> list[Path]:
    """Two packages of a game, with everything that a version must not contain."""
    program = make_package(
        tmp_path,
        name="bubble",
        files={"usr/games/bubble": "#!/bin/sh\n", "usr/share/bubble/con.txt": "", "usr/share/bubble/Level": "1"},
        links={"usr/share/bubble/pics": "/usr/share/bubble-data", "usr/games/play": "bubble"},
    )
    data = make_package(
        tmp_path,
        name="bubble-data",
        files={"usr/share/bubble/level": "2", "usr/share/bubble-data/pic.png": "blue", "usr/share/aux/lost": ""},
        links={"usr/share/bubble/logo.png": "/usr/share/bubble-data/pic.png", "usr/share/sans.ttf": "/usr/fonts/s.ttf"},
    )
    return [program, data]


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    folder = tmp_path / "workshop"
    folder.mkdir()
    return folder


@needs_dpkg
def test_packages_become_one_tree_that_playdock_accepts(game: list[Path], workshop: Path, tmp_path: Path) -> None:
    place = tmp_path / "Bubble" / "1.0"

    dropped = build_version(game, place=place, workshop=workshop)

    files = {
        str(path.relative_to(place)): path for path in place.rglob("*") if path.is_file() and not path.is_symlink()
    }
    assert files.keys() == {
        "usr/games/bubble",
        "usr/share/bubble/Level",
        "usr/share/bubble/logo.png",
        "usr/share/bubble-data/pic.png",
    }
    assert files["usr/share/bubble/logo.png"].read_text() == "blue"
    assert stat.S_IMODE(files["usr/games/bubble"].stat().st_mode) == 0o755
    assert {one.path for one in dropped} == {
        "usr/share/aux",
        "usr/share/bubble/con.txt",
        "usr/share/bubble/level",
        "usr/share/sans.ttf",
    }


@needs_dpkg
def test_a_link_to_a_folder_becomes_relative_and_others_are_kept(
    game: list[Path], workshop: Path, tmp_path: Path
) -> None:
    place = tmp_path / "Bubble" / "1.0"

    build_version(game, place=place, workshop=workshop)

    links = {path.name: os.fspath(path.readlink()) for path in place.rglob("*") if path.is_symlink()}
    assert links == {"pics": "../bubble-data", "play": "bubble"}


@needs_dpkg
def test_an_archive_keeps_modes_and_links(game: list[Path], workshop: Path, tmp_path: Path) -> None:
    place = tmp_path / "Bubble" / "1.0.zip"

    build_version(game, place=place, workshop=workshop)

    with ZipFile(place) as archive:
        assert archive.testzip() is None
        modes = {member.filename: member.external_attr >> 16 for member in archive.infolist()}
        target = archive.read("usr/games/play")
    assert modes["usr/games/bubble"] == stat.S_IFREG | 0o755
    assert stat.S_ISLNK(modes["usr/games/play"])
    assert target == b"bubble"
    assert stat.S_ISDIR(modes["usr/games/"])


@needs_dpkg
def test_a_damaged_package_leaves_no_version(game: list[Path], workshop: Path, tmp_path: Path) -> None:
    game[1].write_bytes(b"no package")

    with pytest.raises(BuildError, match=r"bubble-data\S* \S+ failed: "):
        build_version(game, place=tmp_path / "Bubble" / "1.0", workshop=workshop)

    assert not (tmp_path / "Bubble").exists()
