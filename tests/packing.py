"""Archives of every format that is a version, made by the usual programs.

RAR archives are made byte by byte, because the program that writes them is not free.
"""

import shutil
import struct
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from zlib import crc32

import pytest


def _run(program: str, *arguments: str, folder: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run((program, *arguments), cwd=folder, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout + done.stderr


def seven_zip(folder: Path, archive: Path, *options: str) -> None:
    _run("7z", "a", "-bd", "-y", "-snl", *options, str(archive), ".", folder=folder)


def tar(folder: Path, archive: Path) -> None:
    _run("tar", "--auto-compress", "-cf", str(archive), ".", folder=folder)


def iso(folder: Path, archive: Path) -> None:
    """Write an image with Rock Ridge and Joliet."""
    _run("xorriso", "-as", "mkisofs", "-quiet", "-R", "-J", "-o", str(archive), ".", folder=folder)


def rar5(folder: Path, archive: Path) -> None:
    archive.write_bytes(rar5_of(_contents(folder)))


def rar4(folder: Path, archive: Path) -> None:
    archive.write_bytes(rar4_of(_contents(folder)))


PACKERS: Mapping[str, Callable[[Path, Path], None]] = {
    "7z": seven_zip,
    "tar": tar,
    "tar.gz": tar,
    "tar.bz2": tar,
    "tar.xz": tar,
    "tar.zst": tar,
    "iso": iso,
    "rar": rar5,
}


def pack(folder: Path, archive: Path) -> Path:
    """Pack a folder in the format that the name of the archive shows."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    PACKERS[next(suffix for suffix in PACKERS if archive.name.endswith("." + suffix))](folder, archive)
    return archive


def _contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _vint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*found, number))


def rar5_of(files: Mapping[str, bytes], *, sizes: Mapping[str, int] | None = None) -> bytes:
    """Return a RAR 5.0 archive of stored files, as in RARLAB's technote; ``sizes`` are false ones, by name."""

    def block(*fields: int, rest: bytes = b"") -> bytes:
        header = b"".join(map(_vint, fields)) + rest
        header = _vint(len(header)) + header
        return struct.pack("<I", crc32(header)) + header

    parts = [b"Rar!\x1a\x07\x01\x00", block(1, 0, 0)]
    for path, data in files.items():
        size, name = (sizes or {}).get(path, len(data)), path.encode()
        described = b"".join(map(_vint, (4, size, 0o100755))) + struct.pack("<I", crc32(data))
        described += b"".join(map(_vint, (0, 1, len(name)))) + name
        parts += [block(2, 2, len(data), rest=described), data]
    return b"".join((*parts, block(5, 0, 0)))


def rar4_of(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of stored files in the format before RAR 5.0."""

    def block(kind: int, flags: int, rest: bytes = b"") -> bytes:
        header = struct.pack("<BHH", kind, flags, 7 + len(rest)) + rest
        return struct.pack("<H", crc32(header) & 0xFFFF) + header

    parts = [b"Rar!\x1a\x07\x00", block(0x73, 0, bytes(6))]
    for path, data in files.items():
        name, size = path.encode(), len(data)
        described = struct.pack("<IIBIIBBHI", size, size, 3, crc32(data), 0, 29, 0x30, len(name), 0o100755) + name
        parts += [block(0x74, 0x8000, described), data]
    return b"".join((*parts, block(0x7B, 0x4000)))
