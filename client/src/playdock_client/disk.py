"""What lies in an installation's folder, seen once; links are seen, never followed."""

import os
import stat
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import msgspec

from playdock_client.installation import OWN_FOLDER
from playdock_client.names import fold

# Windows has another kind of link to folders (IO_REPARSE_TAG_MOUNT_POINT).
_JUNCTION = 0xA0000003


class Kind(Enum):
    """What a name stands for."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A name below the folder, with parts joined by slashes; size in bytes, `mtime_ns` as the system has it."""

    path: str
    kind: Kind
    size: int
    mtime_ns: int
    mode: int
    target: str = ""


class Disk:
    """The entries of a folder, found as its file system finds them: in any case where case means nothing to it."""

    def __init__(self, entries: Iterator[Entry], *, caseless: bool) -> None:
        self._caseless = caseless
        self._entries = {self.key(entry.path): entry for entry in entries}

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def key(self, path: str) -> str:
        """Write a path so that two are equal when they are one for the file system."""
        return fold(path) if self._caseless else path

    def find(self, path: str) -> Entry | None:
        return self._entries.get(self.key(path))

    def file(self, path: str, *, size: int | None = None) -> Entry | None:
        """Find a regular file, of that size if one is given."""
        entry = self.find(path)
        if entry is None or entry.kind is not Kind.FILE or size not in (None, entry.size):
            return None
        return entry


def scan(folder: Path, *, caseless: bool) -> Disk:
    """Look at everything in a folder but what the client keeps there for itself; a missing folder is empty."""
    return Disk(_entries(folder), caseless=caseless)


def is_caseless(folder: Path) -> bool:
    """Tell whether upper and lower case are one in an installation's folder."""
    return (folder / OWN_FOLDER.upper()).exists()


def _entries(folder: Path) -> Iterator[Entry]:
    ahead = [""]
    while ahead:
        inside = ahead.pop()
        try:
            found = os.scandir(folder / inside)
        except FileNotFoundError:
            continue
        with found:
            for each in found:
                path = f"{inside}/{each.name}" if inside else each.name
                if path == OWN_FOLDER:
                    continue
                entry = _entry(each, path=path)
                if entry.kind is Kind.FOLDER:
                    ahead.append(path)
                yield entry


def _entry(found: os.DirEntry[str], *, path: str) -> Entry:
    status = found.stat(follow_symlinks=False)
    if found.is_symlink() or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
        target = Path(found.path).readlink().as_posix()
        return Entry(path, Kind.LINK, 0, status.st_mtime_ns, status.st_mode, target)
    kind = Kind.FOLDER if stat.S_ISDIR(status.st_mode) else Kind.FILE if stat.S_ISREG(status.st_mode) else Kind.OTHER
    return Entry(path, kind, status.st_size, status.st_mtime_ns, stat.S_IMODE(status.st_mode))
