"""The program of a game that an installer has installed.

The server lets installers that it knows install below `INSTALLED_FOLDER`, in the folder with the installer. GOG's
installers record the program there; otherwise the most likely one is taken.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from playdock_client.decoding import decode_json
from playdock_client.machine import WINDOWS

INSTALLED_FOLDER = "Installed"
_MAX_DEPTH = 4
_MAX_INFO_BYTES = 1024 * 1024
_OWNER_EXECUTE = 0o100
# Programs that come with games, but are not the game.
_HELPER = re.compile(
    r"unins|uninst|setup|install|redist|dxwebsetup|directx|dotnet|crash|report|update|config|settings|server|"
    r"language|register|cleanup|helper",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[\W_]+")


class _Task(msgspec.Struct, rename="camel"):
    path: str = ""
    arguments: str = ""
    working_dir: str = ""
    is_primary: bool = False


class _Info(msgspec.Struct, rename="camel"):
    game_id: str
    root_game_id: str = ""
    play_tasks: list[_Task] = []


class InstalledProgram(msgspec.Struct, frozen=True):
    """A program and the folder in which it runs, by their paths below the installation's folder, and its arguments."""

    command: str
    arguments: str = ""
    working_folder: str = INSTALLED_FOLDER


def find_program(folder: Path, *, name: str, platform: str) -> InstalledProgram | None:
    """Return the program that an installer has installed for the game ``name``, None if there is none."""
    installed = folder / INSTALLED_FOLDER
    if not installed.is_dir() or installed.is_symlink():
        return None
    if platform == WINDOWS and (recorded := _recorded(installed)):
        return recorded
    found = [file for file in _files(installed, 0) if _is_program(file, platform) and not _is_helper(file, name)]
    if not found:
        return None
    best = min(found, key=lambda file: _rank(file, installed, name))
    return InstalledProgram(best.relative_to(folder).as_posix())


def _recorded(installed: Path) -> InstalledProgram | None:
    """Return the primary task of the game in the files ``goggame-<id>.info``, if its program is there."""
    for file in sorted(installed.glob("goggame-*.info")):
        try:
            with file.open("rb") as opened:
                info = decode_json(opened.read(_MAX_INFO_BYTES).removeprefix(b"\xef\xbb\xbf"), _Info)
        except (OSError, msgspec.MsgspecError):
            continue
        task = next((each for each in info.play_tasks if each.is_primary and each.path), None)
        if task is None or info.root_game_id not in ("", info.game_id):
            continue
        program, folder = _in_any_case(installed, task.path), _in_any_case(installed, task.working_dir)
        if program is not None and program.is_file():
            working = folder if folder is not None and folder.is_dir() else installed
            return InstalledProgram(_below(program, installed), task.arguments, _below(working, installed))
    return None


def _in_any_case(folder: Path, path: str) -> Path | None:
    """Return what has a path of Windows, whose case may differ."""
    current = folder
    for part in filter(None, path.replace("\\", "/").split("/")):
        try:
            current = next(each for each in current.iterdir() if each.name.lower() == part.lower())
        except (OSError, StopIteration):
            return None
    return current


def _below(path: Path, installed: Path) -> str:
    return path.relative_to(installed.parent).as_posix()


def _files(folder: Path, depth: int) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif depth < _MAX_DEPTH and entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path), depth + 1)


def _is_program(file: Path, platform: str) -> bool:
    if platform == WINDOWS:
        return file.suffix.lower() == ".exe"
    return bool(file.stat().st_mode & _OWNER_EXECUTE) and file.suffix.lower() in ("", ".sh", ".x86_64", ".x86")


def _is_helper(file: Path, name: str) -> bool:
    return _HELPER.search(file.stem) is not None and _letters(file.stem) not in _letters(name)


def _rank(file: Path, installed: Path, name: str) -> tuple[bool, bool, bool, int, int, str]:
    """Return what orders programs: the most likely one first."""
    game, own = _letters(name), _letters(file.stem)
    depth = len(file.relative_to(installed).parts)
    # GOG's installers for Linux write a script that starts the game.
    is_start = file.name == "start.sh"
    return (not is_start, own != game, own not in game, depth, -file.stat().st_size, file.name)


def _letters(text: str) -> str:
    return _LETTERS.sub("", text).lower()
