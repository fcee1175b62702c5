"""Moves an installation to another folder, possibly on another disk."""

import os
import shutil
from pathlib import Path

from playdock_client.errors import DiskFull, FolderTaken
from playdock_client.installer import explained_disk_errors, opened
from playdock_client.names import readable
from playdock_client.progress import Phase, Progress

_COPY_BYTES = 4 * 1024 * 1024
_UNFINISHED = ".moving"


def move_installation(folder: Path, target: Path, *, progress: Progress) -> None:
    """Move a folder to ``target``, which must not exist. Until everything is copied, the original stays as it is.

    Raises FolderTaken, DiskFull, DiskError, and what ``progress.check`` raises.
    """
    if target.exists():
        raise FolderTaken(f"{target} exists already. Choose another folder.")
    # Completes an interrupted update, and fails if another process uses the installation.
    with opened(folder, must_exist=True):
        pass
    with explained_disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.parent.stat().st_dev == folder.stat().st_dev:
            folder.rename(target)
            return
        _require_space(folder, target)
        partial = target.with_name(target.name + _UNFINISHED)
        shutil.rmtree(partial, ignore_errors=True)
        try:
            _copy(folder, partial, progress)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        partial.rename(target)
    with explained_disk_errors(folder):
        shutil.rmtree(folder)


def _require_space(folder: Path, target: Path) -> None:
    needed, free = size_of(folder), shutil.disk_usage(target.parent).free
    if needed > free:
        raise DiskFull(f"{readable(needed)} are needed at {target.parent}, but only {readable(free)} are free.")


def _copy(folder: Path, target: Path, progress: Progress) -> None:
    """Copy a folder with the modification times, which show that files are unchanged."""
    progress.begin(Phase.COPY, total=size_of(folder))

    def copy_file(source: str, destination: str) -> str:
        with Path(source).open("rb") as reader, Path(destination).open("xb") as writer:
            while piece := reader.read(_COPY_BYTES):
                progress.check()
                writer.write(piece)
                progress.advance(len(piece))
            writer.flush()
            os.fsync(writer.fileno())
        shutil.copystat(source, destination)
        return destination

    shutil.copytree(folder, target, symlinks=True, copy_function=copy_file)


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum((Path(base) / name).lstat().st_size for base, _, names in os.walk(folder) for name in names)
