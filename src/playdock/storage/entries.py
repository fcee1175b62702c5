"""Interfaces of trees: a version in a library, whether it is a folder or an archive.

Paths are relative to the version and separated by slashes. Messages contain only such paths, so that they do not reveal
the location of the library.
"""

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self, TypeAlias

import msgspec

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.names import printable
from playdock.kit.messages import Message

# Called with a number of bytes; raises an exception to cancel.
Check: TypeAlias = Callable[[int], None]


class TreeEntry(msgspec.Struct, frozen=True, gc=False):
    """A file or, with a target, a link. `mode` is its permission bits; members of archives have a CRC-32 to verify."""

    path: str
    size: int
    mode: int
    mtime_ns: int
    target: str | None = None
    crc32: int | None = None


class ListedFile(msgspec.Struct, frozen=True, gc=False):
    """The path and permission bits of a file, as found by listing."""

    path: str
    mode: int


class Source(Protocol):
    """The bytes of one file. Used by one thread.

    `readinto` returns the number of bytes read, 0 at the end. It verifies the file by then and raises VersionChanged if
    it has changed since it was listed, UnusableVersion if it is damaged.
    """

    @property
    def start(self) -> int:
        """The offset of the first byte: the requested one, or 0 if the file can only be decompressed as a whole."""
        ...

    def readinto(self, buffer: memoryview) -> int: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Reader(Protocol):
    """Opens files for one thread. Raises as `Source` does, and OSError if the disk fails."""

    def open(self, entry: TreeEntry, *, offset: int = 0) -> Source: ...

    def read(self, entry: TreeEntry) -> bytes:
        """Return the complete content of a small file."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Files(Protocol):
    """Files that can be read."""

    def entries(self) -> Sequence[TreeEntry]:
        """Return files and links, sorted by path. Raises UnusableVersion if one of them could not be served."""
        ...

    def prepare(self, check: Check, *, again: bool = False) -> int:
        """Unpack what can only be unpacked as a whole, and return its size, 0 if that is not necessary.

        ``check`` is called with the number of bytes unpacked so far, at least every half second; if it raises, this
        ends. With ``again``, nothing that was unpacked before is used. Raises as `Source` does.
        """
        ...

    def reader(self) -> Reader:
        """Return a reader for one thread."""
        ...


class Tree(Files, Protocol):
    """A version in a library. It keeps no files open."""

    def names(self) -> Iterator[ListedFile]:
        """Yield the regular files, unsorted and without a `stat` where possible; skip those with unusable names."""
        ...

    def has(self, path: str) -> bool:
        """Return whether a file or link exists at this path, without listing the tree.

        Raises UnusableVersion if the file or its folder is found not to be readable.
        """
        ...

    def head(self, path: str, *, length: int) -> bytes:
        """Return the first ``length`` bytes of a listed file. Raises VersionChanged if there is none at that path."""
        ...

    def entry(self, path: str) -> TreeEntry:
        """Return the entry of one listed file. Raises VersionChanged if there is none at that path."""
        ...


def damaged(path: str) -> UnusableVersion:
    """Return the error for a damaged member of an archive."""
    return UnusableVersion(Message("member-damaged", path=printable(path)))


def changed(path: str) -> VersionChanged:
    """Return the error for a file that has changed while it was read."""
    return VersionChanged(Message("file-changing", path=printable(path)))
