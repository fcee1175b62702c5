"""What is missing to launch a game is found without running anything of it."""

import struct
import sys
from pathlib import Path

import pytest

from playdock_client.elf import read_elf
from playdock_client.installation import Installation
from playdock_client.launch_problems import LaunchProblemKind, launch_problems
from playdock_client.library_packages import package_advice
from playdock_client.machine import Machine
from playdock_client.responses import GameInfo, VersionInfo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Libraries are looked for on Linux.")


def elf(*needed: str, runpath: str = "", loader: str = "/bin/sh", machine: int = 62, bits: int = 64) -> bytes:
    """Return a program that has only what is read: its segments and dynamic entries."""
    wide = bits == 64
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*needed, runpath))
    offsets, at = [], 1
    for name in (*needed, runpath):
        offsets.append(at)
        at += len(name.encode()) + 1
    header, entry = (64, 56) if wide else (52, 32)
    dynamic_at = header + 3 * entry
    tags = [(1, offset) for offset in offsets[:-1]] + ([(29, offsets[-1])] if runpath else [])
    pair = "<qQ" if wide else "<iI"
    names_at = dynamic_at + (len(tags) + 3) * struct.calcsize(pair)
    tags += [(5, 0x1000 + names_at), (10, len(names)), (0, 0)]
    dynamic = b"".join(struct.pack(pair, *each) for each in tags)
    loader_at = names_at + len(names)
    end = loader_at + len(loader) + 1
    parts = [
        (1, 0, 0x1000, end),
        (2, dynamic_at, 0x1000 + dynamic_at, len(dynamic)),
        (3, loader_at, 0, len(loader) + 1),
    ]
    if wide:
        segments = b"".join(struct.pack("<IIQQQQQQ", k, 4, o, a, 0, size, size, 8) for k, o, a, size in parts)
        rest = struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0)
    else:
        segments = b"".join(struct.pack("<IIIIIIII", k, o, a, 0, size, size, 4, 4) for k, o, a, size in parts)
        rest = struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0, 52, 0, 0, 52, 32, 3, 0, 0, 0)
    head = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9) + rest
    return head + segments + dynamic + names + loader.encode() + b"\0"


def problems(folder: Path, files: dict[str, bytes], platform: str = "Linux", umu: str | None = None) -> list[str]:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    version = VersionInfo(id="v", name="1.0", platform=platform, launch=next(iter(files), "doom"))
    installation = Installation(
        server="https://a.example", game=GameInfo(id="g", name="Doom"), version=version, etag="e"
    )
    found = launch_problems(installation, folder, Machine("Linux", umu), {})
    assert all("Doom" in each.message or each.kind is LaunchProblemKind.PROGRAM for each in found)
    return [f"{each.kind} {each.name}" for each in found]


@pytest.fixture(autouse=True)
def _processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


def test_an_elf_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "doom").write_bytes(elf("libfoo.so.1", "libc.so.6", runpath="$ORIGIN/lib:/opt/x"))
    found = read_elf(tmp_path / "doom")

    assert found is not None
    assert (found.bits, found.machine, found.loader) == (64, 62, "/bin/sh")
    assert (found.needed, found.search_path) == (("libfoo.so.1", "libc.so.6"), ("$ORIGIN/lib", "/opt/x"))
    interpreter = read_elf(Path(sys.executable).resolve())
    assert interpreter is not None
    assert "libc.so.6" in interpreter.needed


def test_damaged_files_are_no_elf_files_or_need_nothing(tmp_path: Path) -> None:
    whole = elf("libfoo.so.1", runpath="x")
    for length in range(0, len(whole), 7):
        (tmp_path / "doom").write_bytes(whole[:length] + b"\xff" * (len(whole) - length))
        read_elf(tmp_path / "doom")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"doom": elf("libc.so.6")}, []),
        ({"doom": elf("libmissing.so.1", "libc.so.6")}, ["library-missing libmissing.so.1"]),
        ({"bin/doom": elf("libx.so", runpath="$ORIGIN/../lib"), "lib/libx.so": elf()}, []),
        ({"doom": elf("libx.so", runpath="${ORIGIN}"), "libx.so": elf("libno.so")}, ["library-missing libno.so"]),
        ({"doom": elf("libx.so"), "lib/libx.so": elf()}, ["library-not-searched libx.so"]),
        ({"doom": elf("libx.so", runpath="$ORIGIN"), "libx.so": elf(bits=32)}, ["library-not-searched libx.so"]),
        ({"doom": elf(loader="/lib/none.so", bits=32, machine=3)}, ["loader-missing /lib/none.so"]),
        ({"doom": elf(machine=183)}, ["other-processor doom"]),
        ({"doom": b"#!/bin/sh\n"}, []),
        ({"doom": b"#!/no/such/shell -x\n"}, ["program-missing /no/such/shell"]),
        ({"doom": b"anything else"}, []),
        ({}, ["program-missing doom"]),
    ],
)
def test_what_a_linux_game_misses_is_found(tmp_path: Path, files: dict[str, bytes], expected: list[str]) -> None:
    assert problems(tmp_path, files) == expected


def test_a_windows_game_needs_umu(tmp_path: Path) -> None:
    assert problems(tmp_path, {"doom.exe": b"MZ"}, "Windows") == ["umu-missing umu-run"]
    assert problems(tmp_path, {"doom.exe": b"MZ"}, "Windows", umu="/usr/bin/umu-run") == []
    assert problems(tmp_path, {"doom": b"x"}, "macOS") == ["other-platform macOS"]


def test_advice_contains_no_names_that_a_shell_would_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, **_: f"/usr/bin/{name}")

    assert package_advice("libSDL2-2.0.so.0", bits=64) == "Run: sudo dnf install 'libSDL2-2.0.so.0()(64bit)'"
    assert "sudo" not in package_advice("x'; rm -rf ~ #", bits=64)
