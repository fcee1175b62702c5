"""Folders that may contain files of games which were copied or installed by other means."""

import hashlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from playdock_client.installation import OWN_FOLDER
from playdock_client.responses import ApiStruct

# More than a list shows usefully.
_MAX_FOLDERS = 200


class AdoptableFolder(ApiStruct, frozen=True):
    """A folder in one of the folders for games, and an id by which pages select it."""

    id: str
    path: str


def adoptable_folders(bases: Sequence[Path], installed: Collection[str]) -> list[AdoptableFolder]:
    """Return the folders in the folders for games that are not empty and no installation."""
    found = []
    for base in bases:
        with suppress(OSError):
            for folder in sorted(base.iterdir()):
                if _may_be_game(folder) and str(folder) not in installed:
                    key = hashlib.sha256(str(folder).encode(errors="surrogateescape")).hexdigest()[:16]
                    found.append(AdoptableFolder(key, str(folder)))
    return found[:_MAX_FOLDERS]


def _may_be_game(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir() or not str(folder).isprintable() or (folder / OWN_FOLDER).exists():
        return False
    return any(folder.iterdir())
