"""The switch from the old version to the new one: written down whole before it begins, so that anyone can finish it.

Each step can be done again from its beginning. First goes what is in the way; only when that is noted do the new files
come in, so that none of them is taken for an old one.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from playdock_client.deciding import Decision
from playdock_client.errors import DiskTrouble
from playdock_client.names import folders_of, quoted, refusal
from playdock_client.own_folder import OwnFolder, write_whole


class Switch(msgspec.Struct, frozen=True):
    """What to do to an installation's folder: paths to remove, to put aside (path, new path), links (path, target)."""

    remove: tuple[str, ...]
    aside: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    execute: tuple[str, ...]
    step: Literal["clear", "fill"] = "clear"


def begin_switch(own: OwnFolder, decision: Decision) -> None:
    """Write down what to do when all that it needs is on disk for good; from here on there is no way back."""
    if decision.make and hasattr(os, "sync"):
        os.sync()
    links = tuple((link.path, link.target) for link in decision.links)
    _write(own, Switch(tuple(decision.remove), tuple(decision.aside), links, tuple(decision.execute)))


def finish_switch(own: OwnFolder) -> bool:
    """Do what is written down and tell whether there was anything. The folder's lock must be held."""
    switch = _read(own)
    if switch is None:
        return False
    if switch.step == "clear":
        _clear(own.folder, switch)
        switch = msgspec.structs.replace(switch, step="fill")
        _write(own, switch)
    if own.staging.is_dir():
        _move_in(own.staging, own.folder)
    for path, target in switch.links:
        _link(own.folder, path=path, target=target)
    for path in switch.execute:
        _allow_execution(own.folder / path)
    own.take_next()
    own.journal.unlink(missing_ok=True)
    own.switch.unlink()
    return True


def _write(own: OwnFolder, switch: Switch) -> None:
    write_whole(own.switch, msgspec.json.encode(switch))


def _read(own: OwnFolder) -> Switch | None:
    try:
        switch = msgspec.json.decode(own.switch.read_bytes(), type=Switch)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DiskTrouble(f"{own.switch} is damaged. Remove it and run “repair”.") from error
    asides = (path for pair in switch.aside for path in pair)
    for path in (*switch.remove, *asides, *switch.execute, *(path for path, _ in switch.links)):
        # The file may have come with the folder from somebody else.
        if refusal(path):
            raise DiskTrouble(f"{own.switch} names {quoted(path)}, which is not in the installation. Remove it.")
    return switch


def _clear(folder: Path, switch: Switch) -> None:
    for path in switch.remove:
        if _is_reached(folder, path):
            with suppress(FileNotFoundError, IsADirectoryError):
                (folder / path).unlink()
    for path in switch.remove:
        remove_empty_folders(folder, path)
    for path, aside in switch.aside:
        if _is_reached(folder, path) and os.path.lexists(folder / path):
            (folder / path).rename(_free(folder / aside))


def remove_empty_folders(folder: Path, path: str) -> None:
    """Remove the folders that a path lay in, as far as they are empty."""
    for each in reversed(folders_of(path)):
        try:
            (folder / each).rmdir()
        except OSError:
            return


def _is_reached(folder: Path, path: str) -> bool:
    """Tell whether a path is reached without following a link."""
    return not any((folder / each).is_symlink() for each in folders_of(path))


def _free(path: Path) -> Path:
    """Give a name that is free even if somebody took the intended one meanwhile."""
    name, number = path, 2
    while os.path.lexists(name):
        name, number = path.with_name(f"{path.name}-{number}"), number + 1
    return name


def _move_in(source: Path, target: Path) -> None:
    """Move everything in; a folder that is not there yet is moved with all that is in it."""
    with os.scandir(source) as found:
        entries = list(found)
    for each in entries:
        to = target / each.name
        if not each.is_dir(follow_symlinks=False):
            Path(each.path).replace(to)
        elif not os.path.lexists(to):
            Path(each.path).rename(to)
        elif to.is_symlink():
            raise DiskTrouble(f"{to} is a link, which the client does not follow. Rename it and try again.")
        else:
            _move_in(Path(each.path), to)
    source.rmdir()


def _link(folder: Path, *, path: str, target: str) -> None:
    """Make a link, or where the system does not let us, a copy of what it points to."""
    if not _is_reached(folder, path):
        raise DiskTrouble(f"{folder / path} lies behind a link, which the client does not follow. Rename that link.")
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink():
        place.unlink()
    pointed = place.parent / target
    try:
        place.symlink_to(target, target_is_directory=pointed.is_dir())
    except OSError:
        if os.name != "nt":
            raise
        _copy(pointed, place)


def _copy(source: Path, place: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, place, dirs_exist_ok=True)
    elif source.is_file():
        shutil.copy2(source, place)


def _allow_execution(file: Path) -> None:
    """Let those execute a file who may read it."""
    if file.is_file() and not file.is_symlink():
        mode = file.stat().st_mode
        file.chmod(mode | (mode & 0o444) >> 2)
