"""Finding out which game a version is from what lies in it, be it a folder or an archive."""

import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from audit import told_of
from playdock.content.evidence import LONGEST, Clue
from playdock.storage.backends import Filesystem, FlatFilesystem
from playdock.storage.clues import find_clues
from playdock.storage.trees import Tree, open_tree
from playdock.storage.version_resource import version_strings

from . import windows
from .versions import without_rights

Files = Mapping[str, bytes]
Packer = Callable[[Files], Tree]
VALVES = ("version resource", "Portal")
PORTAL = windows.program({"CompanyName": "Valve", "ProductName": "Portal"})


def lay(root: Path, files: Files) -> Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def pack(path: Path, files: Files, *, method: int) -> Path:
    with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


@pytest.fixture(params=["folder", "stored", "deflated"])
def tree_of(request: pytest.FixtureRequest, tmp_path: Path) -> Packer:
    if request.param == "folder":
        return lambda files: open_tree(lay(tmp_path / "1.0", files))
    method = zipfile.ZIP_STORED if request.param == "stored" else zipfile.ZIP_DEFLATED
    return lambda files: open_tree(pack(tmp_path / "1.0.zip", files, method=method))


def peak_of(step: Callable[[], object]) -> int:
    """The most memory in bytes that a step takes at any time; it has to come to something."""
    tracemalloc.start()
    try:
        assert step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def told(clues: tuple[Clue, ...]) -> list[tuple[str, str]]:
    return [(clue.source, clue.value) for clue in clues]


def test_everything_that_tells_is_found_and_ids_come_first(tree_of: Packer) -> None:
    tree = tree_of(
        {
            ".egstore/9A.mancpn": b'{"AppName": "Sugar"}',
            "bin/steam_appid.txt": b"400",
            "portal_Data/app.info": b"Valve\nPortal 1",
            "portal.exe": PORTAL,
            "setup_portal_1.0.exe": b"MZ",
        }
    )

    assert told(find_clues(tree, game="Portal (2007)", folders=("1.0 (igdb-71)",))) == [
        ("IGDB", "71"),
        ("Epic", "Sugar"),
        ("Steam", "400"),
        ("Unity app.info", "Portal 1"),
        ("version resource", "Portal"),
        ("installer name", "portal"),
        ("folder name", "Portal"),
    ]


def test_the_likeliest_program_is_asked(tree_of: Packer) -> None:
    other = windows.program({"ProductName": "Microsoft Visual C++ 2015 Redistributable"})
    tree = tree_of(
        {"vc_redist.x64.exe": other, "_Redist/portal.exe": other, "data.bin": PORTAL, "bin/portal.exe": PORTAL}
    )

    assert told(find_clues(tree, game="Portal")) == [VALVES, ("folder name", "Portal")]


def test_a_tool_beside_the_game_is_not_asked(tree_of: Packer) -> None:
    tree = tree_of({"portal.exe": PORTAL, "tools/hammer.exe": windows.program({"ProductName": "Hammer"})})

    assert told(find_clues(tree, game="Portal")) == [VALVES, ("folder name", "Portal")]


def test_a_program_says_who_made_it(tree_of: Packer) -> None:
    (clue, *_) = find_clues(tree_of({"portal.exe": PORTAL}), game="Portal")

    assert clue.detail == "Valve"


def test_no_more_than_three_programs_are_asked(tree_of: Packer) -> None:
    tree = tree_of({f"zork{sign}.exe": windows.program({"ProductName": f"Zork {sign}"}) for sign in "abcdefgh"})

    assert [source for source, _ in told(find_clues(tree, game="Zork"))] == ["version resource"] * 3 + ["folder name"]


def test_a_file_is_read_no_further_than_it_needs(tree_of: Packer) -> None:
    tree = tree_of({"x_Data/app.info": b"Valve\n" + b" " * LONGEST + b"Portal\n"})

    assert told(find_clues(tree, game="(steam-1)")) == [("Steam", "1")]


def test_a_program_of_a_gigabyte_is_read_only_where_it_tells(tmp_path: Path) -> None:
    section = windows.resources(windows.version_info({"ProductName": "Portal"}))
    with (tmp_path / "portal.exe").open("wb") as file:
        file.write(windows.headers(len(section), code=1 << 30))
        file.seek(1 << 30, os.SEEK_CUR)
        file.write(section)

    assert peak_of(lambda: VALVES in told(find_clues(open_tree(tmp_path), game="Portal"))) < 2_000_000


def test_a_packed_program_is_unpacked_for_a_while_and_no_longer(tmp_path: Path) -> None:
    near, far = (windows.program({"ProductName": "Portal"}, code=size << 20) for size in (1, 64))
    tree = open_tree(pack(tmp_path / "1.0.zip", {"near.exe": near, "far.exe": far}, method=zipfile.ZIP_DEFLATED))

    assert [version_strings(tree, path) for path in ("near.exe", "far.exe")] == [{"ProductName": "Portal"}, {}]


def test_what_was_unpacked_is_let_go_at_once(tmp_path: Path) -> None:
    program = windows.program({"ProductName": "Portal"}, code=20 << 20)
    tree = open_tree(pack(tmp_path / "1.0.zip", {"portal.exe": program}, method=zipfile.ZIP_DEFLATED))

    assert peak_of(lambda: [version_strings(tree, "portal.exe") for _ in range(4)]) < 40_000_000


def _tables(count: int, *, languages: int) -> bytes:
    """A version in so many languages, which are all the same, of tables that each go to the end."""
    table = struct.pack("<HHH", 8, 0, 0) + b"a\0"
    information = struct.pack("<HHH", 0xFFFF, 0, 0) + "StringFileInfo\0".encode("utf-16-le")
    data = windows.block("VS_VERSION_INFO", information + table * count, value=struct.pack("<I48x", 0xFEEF04BD))
    return windows.resources(data, languages=languages)


_DEEP = b"".join(struct.pack("<12xHHIIII", 0, 2, 1, 1 << 31 | 32 * n, 2, 1 << 31 | 32 * n) for n in range(1, 99))
_LARGE = windows.program({"ProductName": "Portal"}, code=8192)
_MANY_SECTIONS = _LARGE[:70] + b"\x80\0" + _LARGE[72:408] + _LARGE[328:368] * 126 + _LARGE[5448:]
HOSTILE = {
    "nothing": b"",
    "no more than the mark": b"MZ",
    "rubbish": b"MZ" + bytes(range(256)) * 8,
    "cut in its headers": PORTAL[:400],
    "cut in its resources": PORTAL[:-200],
    "directories in themselves": windows.image(struct.pack("<12xHHII", 0, 1, 16, 1 << 31)),
    "directories in directories": windows.image(_DEEP),
    "more directories than there are": windows.image(struct.pack("<12xHH", 0xFFFF, 0xFFFF)),
    "tables in tables in every language": windows.image(_tables(4000, languages=4000)),
    "a version of a gigabyte": windows.image(windows.resources(b"", length=1 << 30)),
    "more sections than can be loaded": _MANY_SECTIONS,
}


@pytest.mark.parametrize("program", HOSTILE.values(), ids=[*HOSTILE])
def test_a_program_made_to_do_harm_tells_nothing(program: bytes, tree_of: Packer) -> None:
    tree = tree_of({"portal.exe": program})

    assert told(find_clues(tree, game="(steam-1)")) == [("Steam", "1")]
    assert peak_of(lambda: find_clues(tree, game="(steam-1)")) < 16_000_000


def test_a_file_that_may_not_be_read_keeps_no_other_from_telling(readable: Path) -> None:
    lay(readable, {"steam_appid.txt": b"400", "portal.exe": PORTAL, "goggame-1.info": b'{"gameId": "1"}'})
    for name in ("steam_appid.txt", "portal.exe"):
        (readable / name).chmod(0)

    with without_rights():
        assert told(find_clues(open_tree(readable), game="(steam-1)")) == [("Steam", "1"), ("GOG", "1")]


def test_a_damaged_member_keeps_no_other_from_telling(tmp_path: Path) -> None:
    path = pack(tmp_path / "1.0.zip", {"steam_appid.txt": b"400", "goggame-1.info": b'{"gameId": "1"}'}, method=8)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"PK\3\4", b"PK\0\0", 1))

    assert told(find_clues(open_tree(path), game="(steam-1)")) == [("Steam", "1"), ("GOG", "1")]


def test_what_lies_beside_the_versions_counts_too(tmp_path: Path) -> None:
    lay(tmp_path / "Portal", {"steam_appid.txt": b"400", "1.0/goggame-1.info": b'{"gameId": "1"}', "1.1.zip": b"PK"})
    lay(tmp_path / "Portal", {".egstore/9A.mancpn": b'{"AppName": "Sugar"}'})
    beside = Filesystem(tmp_path).beside("Portal")

    assert beside
    assert told(find_clues(beside, game="(steam-1)")) == [("Steam", "1"), ("Steam", "400"), ("Epic", "Sugar")]


def test_no_version_is_looked_through_for_what_lies_beside_it(tmp_path: Path) -> None:
    lay(tmp_path / "Portal", {"1.0/a/b/c": b"", "steam_appid.txt": b"400"})
    beside = Filesystem(tmp_path).beside("Portal")
    scanned: list[object] = []

    with told_of("os.scandir", scanned.append):
        assert beside
        assert [entry.path for entry in beside.names()] == ["steam_appid.txt"]
    assert len(scanned) == 1


def test_nothing_lies_beside_the_version_of_a_flat_library(tmp_path: Path) -> None:
    assert FlatFilesystem(lay(tmp_path, {"Portal/steam_appid.txt": b"400"})).beside("Portal") is None
