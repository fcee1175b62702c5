"""The switch from the old version to the new one. It is recorded before it begins, so that any process can complete it.

Each step can be repeated. The first step clears the paths that are in the way. The second one moves the new files into
place; it starts only when the first has been recorded, so that no new file is mistaken for an old one.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from playdock_client.atomic_files import write_atomically
from playdock_client.deciding import UpdatePlan
from playdock_client.errors import DiskError
from playdock_client.names import folders_of, path_problem, quoted
from playdock_client.own_folder import OwnFolder


class Switch(msgspec.Struct, frozen=True):
    """The changes to a folder: paths to remove, files to set aside (path, new path), links (path, target)."""

    remove: tuple[str, ...]
    aside: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    execute: tuple[str, ...]
    step: Literal["clear", "fill"] = "clear"


def begin_switch(own: OwnFolder, plan: UpdatePlan) -> None:
    """Record the switch once all staged files are on disk. From here on the update cannot be cancelled."""
    if plan.build and hasattr(os, "sync"):
        os.sync()
    links = tuple((link.path, link.target) for link in plan.links)
    _write(own, Switch(tuple(plan.remove), tuple(plan.aside), links, tuple(plan.execute)))


def finish_switch(own: OwnFolder) -> bool:
    """Complete a recorded switch, and return whether there was one. The caller must hold the folder's lock."""
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
    own.activate_next()
    own.journal.unlink(missing_ok=True)
    own.switch.unlink()
    return True


def _write(own: OwnFolder, switch: Switch) -> None:
    write_atomically(own.switch, msgspec.json.encode(switch))


def _read(own: OwnFolder) -> Switch | None:
    try:
        switch = msgspec.json.decode(own.switch.read_bytes(), type=Switch)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DiskError(f"{own.switch} is damaged. Remove it and run “repair”.") from error
    asides = (path for pair in switch.aside for path in pair)
    for path in (*switch.remove, *asides, *switch.execute, *(path for path, _ in switch.links)):
        # The file may have been copied from another machine with the folder.
        if path_problem(path):
            raise DiskError(f"{own.switch} names {quoted(path)}, which is not in the installation. Remove it.")
    return switch


def _clear(folder: Path, switch: Switch) -> None:
    for path in switch.remove:
        if _is_inside(folder, path):
            with suppress(FileNotFoundError, IsADirectoryError):
                (folder / path).unlink()
    for path in switch.remove:
        remove_empty_folders(folder, path)
    for path, aside in switch.aside:
        if _is_inside(folder, path) and os.path.lexists(folder / path):
            (folder / path).rename(_free(folder / aside))


def remove_empty_folders(folder: Path, path: str) -> None:
    """Remove the parent folders of a path that are empty."""
    for each in reversed(folders_of(path)):
        try:
            (folder / each).rmdir()
        except OSError:
            return


def _is_inside(folder: Path, path: str) -> bool:
    """Return whether no parent folder of a path is a link."""
    return not any((folder / each).is_symlink() for each in folders_of(path))


def _free(path: Path) -> Path:
    """Return a path that does not exist, even if the intended one has been created since."""
    name, number = path, 2
    while os.path.lexists(name):
        name, number = path.with_name(f"{path.name}-{number}"), number + 1
    return name


def _move_in(source: Path, target: Path) -> None:
    """Move all entries of a folder. A folder that does not exist in the target is moved as a whole."""
    with os.scandir(source) as found:
        entries = list(found)
    for each in entries:
        to = target / each.name
        if not each.is_dir(follow_symlinks=False):
            Path(each.path).replace(to)
        elif not os.path.lexists(to):
            Path(each.path).rename(to)
        elif to.is_symlink():
            raise DiskError(f"{to} is a link, which the client does not follow. Rename it and try again.")
        else:
            _move_in(Path(each.path), to)
    source.rmdir()


def _link(folder: Path, *, path: str, target: str) -> None:
    """Create a link, or a copy of its target where the system does not allow links."""
    if not _is_inside(folder, path):
        raise DiskError(f"{folder / path} is behind a link, which the client does not follow. Rename that link.")
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
    """Make a file executable for those who may read it."""
    if file.is_file() and not file.is_symlink():
        mode = file.stat().st_mode
        file.chmod(mode | (mode & 0o444) >> 2)
