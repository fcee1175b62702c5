"""Reads the folder of an installed game: how large it is, and what it says about copy protection."""

import os
from pathlib import Path

import msgspec

from playdock_client.installation import OWN_FOLDER
from playdock_client.stores.copy_protection import HEAD_BYTES, Assessment, assess, has_steam_wrapper, library_of
from playdock_client.stores.found_game import FoundGame

# What the client and Epic's launcher keep in the folder of a game.
FOREIGN_FOLDERS = (OWN_FOLDER, ".egstore")


class ExaminedGame(msgspec.Struct, frozen=True):
    """An installed game with the number of its files and their size in bytes."""

    game: FoundGame
    files: int
    size: int
    assessment: Assessment


def examine(game: FoundGame) -> ExaminedGame:
    """Return what the files of a game say. Folders and files that cannot be read are not counted."""
    files = size = 0
    wrapped, libraries = "", set()
    for parent, folders, names in os.walk(game.folder):
        if parent == str(game.folder):
            folders[:] = [name for name in folders if name not in FOREIGN_FOLDERS]
        for name in names:
            try:
                size += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - much faster for many files
            except OSError:
                continue
            files += 1
            if store := library_of(name):
                libraries.add(store)
            if not wrapped and name.lower().endswith(".exe") and has_steam_wrapper(_head(Path(parent) / name)):
                wrapped = name
    return ExaminedGame(game, files, size, assess(game, wrapped=wrapped, libraries=libraries))


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(HEAD_BYTES)
    except OSError:
        return b""
