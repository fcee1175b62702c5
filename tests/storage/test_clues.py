"""Finding clues to which game a version contains, in folders and archives."""

import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from audit import told_of
from playdock.content.evidence import MAX_CLUE_FILE_BYTES, Clue
from playdock.storage.backends import Filesystem, FlatFilesystem
from playdock.storage.clues import find_clues
from playdock.storage.trees import Tree, open_tree
from playdock.storage.version_resource import version_strings

from . import windows
from .versions import at, without_permissions

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
        return lambda files: open_tree(at(lay(tmp_path / "1.0", files)))
    method = zipfile.ZIP_STORED if request.param == "stored" else zipfile.ZIP_DEFLATED
    return lambda files: open_tree(at(pack(tmp_path / "1.0.zip", files, method=method)))


def peak_of(step: Callable[[], object]) -> int:
    """Return the peak memory of a step in bytes; its result must not be empty."""
    # The first time, modules are loaded.
    assert step()
    tracemalloc.start()
    try:
        assert step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def told(clues: tuple[Clue, ...]) -> list[tuple[str, str]]:
    return [(clue.source, clue.value) for clue in clues]


def test_all_clues_are_found_and_ids_come_first(tree_of: Packer) -> None:
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


def test_the_most_likely_program_is_read(tree_of: Packer) -> None:
    other = windows.program({"ProductName": "Microsoft Visual C++ 2015 Redistributable"})
    tree = tree_of(
        {"vc_redist.x64.exe": other, "_Redist/portal.exe": other, "data.bin": PORTAL, "bin/portal.exe": PORTAL}
    )

    assert told(find_clues(tree, game="Portal")) == [VALVES, ("folder name", "Portal")]


def test_a_tool_of_the_game_is_not_read(tree_of: Packer) -> None:
    tree = tree_of({"portal.exe": PORTAL, "tools/hammer.exe": windows.program({"ProductName": "Hammer"})})

    assert told(find_clues(tree, game="Portal")) == [VALVES, ("folder name", "Portal")]


def test_the_company_of_a_program_is_a_clue(tree_of: Packer) -> None:
    (clue, *_) = find_clues(tree_of({"portal.exe": PORTAL}), game="Portal")

    assert clue.detail == "Valve"


def test_at_most_three_programs_are_read(tree_of: Packer) -> None:
    tree = tree_of({f"zork{sign}.exe": windows.program({"ProductName": f"Zork {sign}"}) for sign in "abcdefgh"})

    assert [source for source, _ in told(find_clues(tree, game="Zork"))] == ["version resource"] * 3 + ["folder name"]


def test_only_the_beginning_of_a_file_is_read(tree_of: Packer) -> None:
    tree = tree_of({"x_Data/app.info": b"Valve\n" + b" " * MAX_CLUE_FILE_BYTES + b"Portal\n"})

    assert told(find_clues(tree, game="(steam-1)")) == [("Steam", "1")]


def test_only_the_version_resource_of_a_large_program_is_read(tmp_path: Path) -> None:
    section = windows.resources(windows.version_info({"ProductName": "Portal"}))
    with (tmp_path / "portal.exe").open("wb") as file:
        file.write(windows.headers(len(section), code=1 << 30))
        file.seek(1 << 30, os.SEEK_CUR)
        file.write(section)

    assert peak_of(lambda: VALVES in told(find_clues(open_tree(at(tmp_path)), game="Portal"))) < 2_000_000


def test_the_decompression_of_a_program_is_limited(tmp_path: Path) -> None:
    near, far = (windows.program({"ProductName": "Portal"}, code=size << 20) for size in (1, 64))
    tree = open_tree(at(pack(tmp_path / "1.0.zip", {"near.exe": near, "far.exe": far}, method=zipfile.ZIP_DEFLATED)))

    assert [version_strings(tree, path) for path in ("near.exe", "far.exe")] == [{"ProductName": "Portal"}, {}]


def test_the_decompressed_program_is_freed_immediately(tmp_path: Path) -> None:
    program = windows.program({"ProductName": "Portal"}, code=20 << 20)
    tree = open_tree(at(pack(tmp_path / "1.0.zip", {"portal.exe": program}, method=zipfile.ZIP_DEFLATED)))

    assert peak_of(lambda: [version_strings(tree, "portal.exe") for _ in range(4)]) < 40_000_000


def _tables(count: int, *, languages: int) -> bytes:
    """Return a version resource in many identical languages, with tables that all extend to the end."""
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
def test_a_malicious_program_yields_no_clues(program: bytes, tree_of: Packer) -> None:
    tree = tree_of({"portal.exe": program})

    assert told(find_clues(tree, game="(steam-1)")) == [("Steam", "1")]
    assert peak_of(lambda: find_clues(tree, game="(steam-1)")) < 16_000_000


def test_an_unreadable_file_does_not_prevent_other_clues(readable: Path) -> None:
    lay(readable, {"steam_appid.txt": b"400", "portal.exe": PORTAL, "goggame-1.info": b'{"gameId": "1"}'})
    for name in ("steam_appid.txt", "portal.exe"):
        (readable / name).chmod(0)

    with without_permissions():
        assert told(find_clues(open_tree(at(readable)), game="(steam-1)")) == [("Steam", "1"), ("GOG", "1")]


def test_a_damaged_member_does_not_prevent_other_clues(tmp_path: Path) -> None:
    path = pack(tmp_path / "1.0.zip", {"steam_appid.txt": b"400", "goggame-1.info": b'{"gameId": "1"}'}, method=8)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"PK\3\4", b"PK\0\0", 1))

    assert told(find_clues(open_tree(at(path)), game="(steam-1)")) == [("Steam", "1"), ("GOG", "1")]


def test_loose_files_contain_clues_too(tmp_path: Path) -> None:
    lay(tmp_path / "Portal", {"steam_appid.txt": b"400", "1.0/goggame-1.info": b'{"gameId": "1"}', "1.1.zip": b"PK"})
    lay(tmp_path / "Portal", {".egstore/9A.mancpn": b'{"AppName": "Sugar"}'})
    loose = Filesystem(tmp_path).loose_files("Portal")

    assert loose
    assert told(find_clues(loose, game="(steam-1)")) == [("Steam", "1"), ("Steam", "400"), ("Epic", "Sugar")]


def test_versions_are_not_listed_with_the_loose_files(tmp_path: Path) -> None:
    lay(tmp_path / "Portal", {"1.0/a/b/c": b"", "steam_appid.txt": b"400"})
    loose = Filesystem(tmp_path).loose_files("Portal")
    scanned: list[object] = []

    with told_of("os.scandir", scanned.append):
        assert loose
        assert [entry.path for entry in loose.names()] == ["steam_appid.txt"]
    assert len(scanned) == 1


def test_a_flat_library_has_no_loose_files(tmp_path: Path) -> None:
    assert FlatFilesystem(lay(tmp_path, {"Portal/steam_appid.txt": b"400"})).loose_files("Portal") is None
