"""What an installer of Inno Setup installs, extracted by the program innoextract without running the installer."""

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct

from playdock.content.errors import UnusableVersion
from playdock.content.names import check_names
from playdock.kit.messages import Message
from playdock.storage.entries import Check
from playdock.storage.folder_operations import closing, exists
from playdock.storage.installer_tree import InstallerTree
from playdock.storage.library_policy import require_within
from playdock.storage.staged_upload import free_bytes_of

APP_FOLDER = "app"
"""The folder of what is extracted that has the game; others are for the installer itself and for Windows."""

_PROGRAM = "innoextract"
_LIMITED = (sys.executable, "-P", "-m", "playdock.storage.limited_program")
# The program gets no secrets of the service.
_ENVIRONMENT = ("LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME")
# Slower than any decompression on a slow machine.
_BYTES_PER_SECOND = 1_000_000
_MIN_SECONDS = 60
# A list of a million files.
_MAX_LIST_BYTES = 256 * 1024**2
# Often enough to cancel soon, and to show progress.
_POLL_SECONDS = 0.5
_LINE = re.compile(r"(\d+) (.+)")


class InstallerContent(Struct, frozen=True):
    """The game in an installer: its paths and the bytes of its files. ``total`` are the bytes of all that it has."""

    paths: list[str]
    size: int
    total: int


def find_innoextract() -> str | None:
    """Return the path of innoextract, None if it is not installed."""
    return shutil.which(_PROGRAM)


def content_of(tree: InstallerTree) -> InstallerContent:
    """Return what an installer installs into the folder of its game, without extracting it.

    Raises:
        UnusableVersion: innoextract is not installed or cannot read the installer, or it has too many files or names
            that some systems cannot have.
    """
    with _running(tree, "--list", "--list-sizes", stdout=subprocess.PIPE) as process:
        assert process.stdout
        listed = process.stdout.read(_MAX_LIST_BYTES)
        if len(listed) == _MAX_LIST_BYTES or process.wait():
            raise UnusableVersion(Message("installer-unreadable"))
    lines = (_LINE.fullmatch(line) for line in listed.decode("utf-8", "replace").splitlines())
    sizes = [(int(line[1]), line[2]) for line in lines if line]
    inside = f"{APP_FOLDER}/"
    # One that replaces another one, for example in another language, is listed again.
    game = {path.removeprefix(inside): size for size, path in sizes if path.startswith(inside)}
    if not game:
        raise UnusableVersion(Message("installer-empty"))
    size = sum(game.values())
    require_within(tree.folder.location.policy.archives, files=len(game), size=size)
    check_names(sorted(game))
    return InstallerContent(list(game), size, sum(size for size, _ in sizes))


def extract(tree: InstallerTree, content: InstallerContent, folder: int, *, check: Check) -> None:
    """Extract an installer into an empty folder, with the game in `APP_FOLDER`.

    ``check`` is called often with the number of bytes extracted so far; if it raises, this ends.

    Raises:
        UnusableVersion: innoextract is not installed, or cannot read the installer.
        OSError: the disk fails or is full.
    """
    arguments = ("--extract", "--output-dir", f"/dev/fd/{folder}")
    with _running(tree, *arguments, content=content, passed=(folder,)) as process:
        while (status := _ended(process)) is None:
            extracted = _size_of(folder)
            check(extracted)
            if extracted > content.total:
                raise UnusableVersion(Message("installer-unreadable"))
    if status and free_bytes_of(folder) < content.total - _size_of(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if status or not exists(folder, APP_FOLDER):
        raise UnusableVersion(Message("installer-unreadable"))


@contextmanager
def _running(
    tree: InstallerTree,
    *arguments: str,
    content: InstallerContent | None = None,
    passed: Sequence[int] = (),
    stdout: int = subprocess.DEVNULL,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run innoextract for an installer; it is ended at the end."""
    program = find_innoextract()
    if program is None:
        raise UnusableVersion(Message("installer-no-innoextract"))
    size = content.total if content else 0
    limits = (str(_MIN_SECONDS + size // _BYTES_PER_SECOND), str(size))
    options = ("--silent", "--exclude-temp", "--no-warn-unused", *arguments)
    with closing(tree.folder.location.open()) as folder:
        installer = f"/dev/fd/{folder}/{tree.installer}"
        with subprocess.Popen(  # noqa: S603 - a fixed program
            [*_LIMITED, *limits, program, *options, "--", installer],
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | {"LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            pass_fds=(folder, *passed),
        ) as process:
            try:
                yield process
            finally:
                process.kill()


def _ended(process: subprocess.Popen[bytes]) -> int | None:
    """Wait a moment for the end of a process, and return its status."""
    try:
        return process.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return None


def _size_of(folder: int) -> int:
    total = 0
    for _, _, names, parent in os.fwalk(dir_fd=folder):
        for name in names:
            # It was renamed after it had been listed.
            with suppress(FileNotFoundError):
                total += os.stat(name, dir_fd=parent, follow_symlinks=False).st_size
    return total
