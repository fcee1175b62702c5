"""A scan of an installation's folder. Links are listed, but never followed."""

import os
import stat
from collections.abc import Iterable, Iterator
from enum import Enum
from operator import itemgetter
from pathlib import Path

import msgspec

from playdock_client.installation import OWN_FOLDER
from playdock_client.names import casefolded

# The reparse tag of junctions, Windows' other kind of links to folders (IO_REPARSE_TAG_MOUNT_POINT).
_MOUNT_POINT_TAG = 0xA0000003
_MAX_MTIME_NS = 2**63 - 1


class EntryKind(Enum):
    """The kind of an entry."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An entry below the folder. The path is separated by slashes, the size is in bytes."""

    path: str
    kind: EntryKind
    size: int
    mtime_ns: int
    mode: int
    target: str = ""


class Disk:
    """The entries of a folder, looked up like its file system does, ignoring case if it does."""

    def __init__(self, entries: Iterator[Entry], *, caseless: bool) -> None:
        self._caseless = caseless
        self._entries = {self.key(entry.path): entry for entry in entries}

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def key(self, path: str) -> str:
        """Return a key that is equal for paths that are the same for the file system."""
        return casefolded(path) if self._caseless else path

    def find(self, path: str) -> Entry | None:
        return self._entries.get(self.key(path))

    def file(self, path: str, *, size: int | None = None) -> Entry | None:
        """Return the regular file at a path, or None if there is none or it has another size."""
        entry = self.find(path)
        if entry is None or entry.kind is not EntryKind.FILE or size not in (None, entry.size):
            return None
        return entry


def scan(folder: Path, *, caseless: bool) -> Disk:
    """Return all entries of a folder except the client's own folder. A missing folder is empty."""
    return Disk((entry for _, entry in ordered_entries(folder)), caseless=caseless)


def look_up(folder: Path, paths: Iterable[str], *, caseless: bool) -> Disk:
    """Return those entries of a folder that have one of some paths."""
    return Disk(filter(None, (_entry_at(folder, path) for path in paths)), caseless=caseless)


def is_caseless(folder: Path) -> bool:
    """Return whether the file system of an installation's folder ignores case."""
    return (folder / OWN_FOLDER.upper()).exists()


def ordered_entries(folder: Path) -> Iterator[tuple[str, Entry]]:
    """Yield all entries of a folder except the client's own folder, with a slash after the path of each folder.

    They are in the order of these paths, which is the order of the files in a manifest.
    """
    open_folders = [iter(_ordered(folder, ""))]
    while open_folders:
        found = next(open_folders[-1], None)
        if found is None:
            open_folders.pop()
            continue
        yield found
        if found[1].kind is EntryKind.FOLDER:
            open_folders.append(iter(_ordered(folder, found[0])))


def _ordered(folder: Path, inner: str) -> list[tuple[str, Entry]]:
    """Return the entries of one folder, whose path ends with a slash. A missing folder is empty."""
    try:
        found = os.scandir(folder / inner)
    except FileNotFoundError:
        return []
    with found:
        entries = [_entry(each, path=inner + each.name) for each in found if inner + each.name != OWN_FOLDER]
    return sorted(((each.path + "/" * (each.kind is EntryKind.FOLDER), each) for each in entries), key=itemgetter(0))


def _entry_at(folder: Path, path: str) -> Entry | None:
    try:
        status = os.lstat(f"{folder}/{path}")
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _described(status, path=path, file=f"{folder}/{path}")


def _entry(found: os.DirEntry[str], *, path: str) -> Entry:
    return _described(found.stat(follow_symlinks=False), path=path, file=found.path)


def _described(status: os.stat_result, *, path: str, file: str) -> Entry:
    # Some file systems have times that need more than 64 bits.
    mtime_ns = max(-_MAX_MTIME_NS, min(status.st_mtime_ns, _MAX_MTIME_NS))
    if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _MOUNT_POINT_TAG:
        target = Path(file).readlink().as_posix()
        return Entry(path, EntryKind.LINK, 0, mtime_ns, status.st_mode, target)
    kind = (
        EntryKind.FOLDER
        if stat.S_ISDIR(status.st_mode)
        else EntryKind.FILE
        if stat.S_ISREG(status.st_mode)
        else EntryKind.OTHER
    )
    return Entry(path, kind, status.st_size, mtime_ns, stat.S_IMODE(status.st_mode))
