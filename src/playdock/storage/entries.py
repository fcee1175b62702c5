"""Trees: a version as it lies in a library, whatever it is packed in.

Paths are relative to the version and separated by slashes, also in messages: where a library lies is nobody's business.
"""

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self

import msgspec

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.names import shown


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A file or, if it has a target, a link; `mode` is permission bits. Packed files have a CRC-32 to be held to."""

    path: str
    size: int
    mode: int
    mtime_ns: int
    target: str | None = None
    crc32: int | None = None


class Listed(msgspec.Struct, frozen=True, gc=False):
    """What a look at the names tells of a file."""

    path: str
    mode: int


class Source(Protocol):
    """The bytes of one file, for one thread.

    `readinto` gives the number of bytes read, 0 at the end, and only then are they known to be the entry's: it raises
    VersionChanged if the file no longer is as it was listed, UnusableVersion if it is damaged.
    """

    @property
    def start(self) -> int:
        """Where the first byte lies in the file: the offset asked for, or 0 if it can only be unpacked as a whole."""
        ...

    def readinto(self, buffer: memoryview) -> int: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Reader(Protocol):
    """What one thread opens files with. Raises as a source does; what the disk itself fails with goes through."""

    def open(self, entry: Entry, *, offset: int = 0) -> Source: ...

    def read(self, entry: Entry) -> bytes:
        """Give the whole of a small file."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Files(Protocol):
    """Files that can be read."""

    def entries(self) -> list[Entry]:
        """List files and links, sorted by path. Raises UnusableVersion for whatever could not be served."""
        ...

    def reader(self) -> Reader:
        """Make what one thread reads with."""
        ...


class Tree(Files, Protocol):
    """A version in a library. It holds nothing open."""

    def names(self) -> Iterator[Listed]:
        """List the regular files, in no order and without a second look; those with unusable names are left out."""
        ...

    def has(self, path: str) -> bool:
        """Tell whether a file or link of this path is there, without a look at anything else.

        Raises UnusableVersion if it can be told so soon that the file, or its folder, cannot be read.
        """
        ...

    def head(self, path: str, *, length: int) -> bytes:
        """Give the first bytes of a listed file. Raises VersionChanged if there is none of that path."""
        ...

    def entry(self, path: str) -> Entry:
        """Look at one listed file. Raises VersionChanged if there is none of that path."""
        ...


def damaged(path: str) -> UnusableVersion:
    """Make the error for a member of an archive that cannot be what was packed."""
    return UnusableVersion(f"{shown(path)} is damaged in the archive. Copy the archive here again.")


def changed(path: str) -> VersionChanged:
    """Make the error for a file that is not what it was a moment ago."""
    return VersionChanged(f"{shown(path)} changed while it was read. Wait until the version is complete.")
