"""A folder of games in all the forms in which people have them."""

import zipfile
from pathlib import Path
from random import Random

import packing
from storage import windows

ARCHIVES = ("zip", "7z", "rar", "iso", "tar.gz", "tar.zst")
# What cannot be played, and a part of the reason.
UNUSABLE = {
    "Scans": "No program that starts the game was found.",
    "Broken half": "The archive is damaged or incomplete. Copy it here again.",
    "Broken part": "The archive consists of several files.",
    "secret-1.0.7z": "The archive is encrypted.",
}
_SCRIPT = b"#!/bin/sh\necho played $(cat data/level.txt)\n"


def _game(folder: Path, level: str) -> Path:
    for name, data in (("start.sh", _SCRIPT), ("data/level.txt", level.encode()), ("data/empty", b"")):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    (folder / "data/large.pak").write_bytes(Random(level).randbytes(400_000))
    (folder / "start.sh").chmod(0o755)
    return folder


def _pack(folder: Path, archive: Path) -> None:
    if archive.suffix != ".zip":
        packing.pack(folder, archive)
        return
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(folder.rglob("*")):
            packed.write(file, file.relative_to(folder))


def put_games(games: Path, sources: Path) -> None:
    """Write everything into a folder: games that can be played, and those in `UNUSABLE`; packed in another folder."""
    _game(games / "Folder/Folder v1.5 (GOG)", "folder")
    for suffix in ARCHIVES:
        _pack(_game(sources / suffix, suffix), games / f"Packed {suffix}" / f"packed-1.2.{suffix}")
    setup = windows.program({"Comments": "This installation was built with Inno Setup."})
    (games / "setup_quake_1.07.exe").write_bytes(setup)
    (games / "setup_quake_1.07-1.bin").write_bytes(bytes(123_456))
    # What cannot be played.
    (games / "Scans/1.0").mkdir(parents=True)
    (games / "Scans/1.0/manual.pdf").write_bytes(b"%PDF")
    whole = (games / "Packed 7z/packed-1.2.7z").read_bytes()
    for name, content in (("half-copied-1.0.7z", whole[: len(whole) // 2]), ("part-1.0.part1.rar", b"Rar!")):
        archive = games / f"Broken {name[:4]}" / name
        archive.parent.mkdir()
        archive.write_bytes(content)
    packing.seven_zip(_game(sources / "secret", "secret"), games / "secret-1.0.7z", "-psecret", "-mhe=on")
