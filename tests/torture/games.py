"""The library of a run: games whose content follows from their names, so that every byte of a download can be checked.

Consecutive versions of a game differ in a few places, so that there are patches between them.
"""

import shutil
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from random import Random

from msgspec import Struct

KIB = 1024
# A few small files, and one that is cut into several chunks.
_SMALL_FILES = 6
_DATA_BYTES = 160 * KIB
# Large enough that a kill interrupts the import between checkpoints.
_LARGE_BYTES = 24 * 1024 * KIB
# Every so many games has a large file.
_LARGE_EVERY = 8
_EDITS = 4
# Content of versions that are likely to be requested again.
_CACHED_VERSIONS = 24


class Release(Struct, frozen=True):
    """A version of a game on disk."""

    game: str
    version: str


def game_name(number: int) -> str:
    return f"Game {number:04}"


def version_name(number: int) -> str:
    return f"1.{number}"


def lay(library: Path, release: Release) -> None:
    """Write the files of a version, and make it visible in the library at once.

    Raises:
        FileNotFoundError: the library is not there.
    """
    folder = library / release.game / release.version
    unfinished = library / release.game / f".{release.version}"
    folder.parent.mkdir(exist_ok=True)
    if folder.exists():
        return
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    for path, data in content(release).items():
        (unfinished / path).parent.mkdir(exist_ok=True)
        (unfinished / path).write_bytes(data)
    unfinished.rename(folder)


@lru_cache(_CACHED_VERSIONS)
def content(release: Release) -> Mapping[str, bytes]:
    """Return the bytes of each file of a version."""
    version = int(release.version.partition(".")[2])
    files = {"start.sh": f"#!/bin/sh\necho {release.game} {release.version}\n".encode()}
    for number in range(_SMALL_FILES):
        files[f"data/{number}.txt"] = Random(f"{release.game}/{number}").randbytes(2 * KIB)
    files["data/assets.pak"] = _edited(release.game, version)
    if int(release.game.split()[1]) % _LARGE_EVERY == 0:
        block = Random(f"{release.game}/large").randbytes(1024 * KIB)
        files["data/large.pak"] = f"{version:8}".encode() + block * (_LARGE_BYTES // len(block))
    return files


def _edited(game: str, version: int) -> bytes:
    data = bytearray(Random(game).randbytes(_DATA_BYTES))
    for number in range(1, version + 1):
        edits = Random(f"{game}/{number}")
        for _ in range(_EDITS):
            at = edits.randrange(_DATA_BYTES - 8)
            data[at : at + 8] = edits.randbytes(8)
    return bytes(data)
