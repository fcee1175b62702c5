"""Versions in S3: listed with one request for each 1000 files, and read in ranges.

A file consists of ranges that all have the ETag of its listing, so a file that is replaced while it is read is noticed.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from operator import attrgetter
from typing import Self

from playdock.content.names import check_names, unsafe_reason
from playdock.storage.entries import Check, ListedFile, TreeEntry, changed
from playdock.storage.s3_files import S3Place, stamp_of

# Four of these are read at the same time, which makes up for the time that a server takes to respond.
_PART_BYTES = 2 * 1024 * 1024
_PARTS_AT_ONCE = 4
# S3 has no permission bits; the client makes the programs executable that it starts.
_MODE = 0o644


class S3Tree:
    """The tree of a prefix, listed when that is first needed. Prefixes in ``without`` are not part of it."""

    def __init__(self, place: S3Place, without: frozenset[str] = frozenset()) -> None:
        self._place, self._without = place, without
        self._found: dict[str, TreeEntry] | None = None

    def entries(self) -> list[TreeEntry]:
        # Strings compare by code points, which is the order of their UTF-8 bytes.
        found = sorted(self._listed().values(), key=attrgetter("path"))
        check_names(entry.path for entry in found)
        return found

    def names(self) -> Iterator[ListedFile]:
        return (ListedFile(path, _MODE) for path in self._listed() if not unsafe_reason(path))

    def has(self, path: str) -> bool:
        if unsafe_reason(path):
            return False
        if self._found is not None:
            return path in self._found
        try:
            self._place.source.find(self._place.key(path))
        except FileNotFoundError:
            return False
        return True

    def head(self, path: str, *, length: int) -> bytes:
        entry = self.entry(path)
        return _read(self._place, entry, 0, min(length, entry.size))

    def entry(self, path: str) -> TreeEntry:
        found = self._listed().get(path)
        if found is None:
            raise changed(path)
        return found

    def prepare(self, check: Check, *, again: bool = False) -> int:  # noqa: ARG002 - nothing is unpacked
        return 0

    def reader(self) -> "S3Reader":
        return S3Reader(self._place)

    def _listed(self) -> dict[str, TreeEntry]:
        if self._found is None:
            found = {entry.path: entry for entry in self._list()}
            empty = [path for path, entry in found.items() if not entry.size]
            for path in empty:
                if self._stands_for_folder(path):
                    del found[path]
            self._found = found
        return self._found

    def _list(self) -> Iterator[TreeEntry]:
        start = len(self._place.key(""))
        for each in self._place.source.list(self._place.name):
            path = each.key[start:]
            if path and path.partition("/")[0] not in self._without:
                yield TreeEntry(path, each.size, _MODE, stamp_of(each.etag))

    def _stands_for_folder(self, path: str) -> bool:
        """Return whether an empty object is a folder: some programs create one whose key ends with a slash.

        It is listed without the slash, so there is no object with the key that is listed.
        """
        try:
            self._place.source.find(self._place.key(path))
        except FileNotFoundError:
            return True
        return False


class S3Reader:
    """Reads files for one thread."""

    def __init__(self, place: S3Place) -> None:
        self._place = place
        self._threads: ThreadPoolExecutor | None = None

    def open(self, entry: TreeEntry, *, offset: int = 0) -> "S3Source":
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_PARTS_AT_ONCE, thread_name_prefix="s3")
        return S3Source(self._place, entry, offset=offset, threads=self._threads)

    def read(self, entry: TreeEntry) -> bytes:
        return _read(self._place, entry, 0, entry.size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)


class S3Source:
    """The bytes of a file, of which some parts are read ahead."""

    def __init__(self, place: S3Place, entry: TreeEntry, *, offset: int, threads: ThreadPoolExecutor) -> None:
        self._place, self._entry, self._threads = place, entry, threads
        self.start = self._next = offset
        self._parts: deque[Future[bytes]] = deque()
        self._rest = memoryview(b"")

    def readinto(self, buffer: memoryview) -> int:
        if not self._rest:
            self._read_ahead()
            if not self._parts:
                return 0
            self._rest = memoryview(self._parts.popleft().result())
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for part in self._parts:
            part.cancel()
        self._parts.clear()

    def _read_ahead(self) -> None:
        while len(self._parts) < _PARTS_AT_ONCE and self._next < self._entry.size:
            start, self._next = self._next, min(self._next + _PART_BYTES, self._entry.size)
            self._parts.append(self._threads.submit(_read, self._place, self._entry, start, self._next))


def _read(place: S3Place, entry: TreeEntry, start: int, end: int) -> bytes:
    """Return a range of a file. Raises VersionChanged unless the file is the one that was listed."""
    if start == end:
        return b""
    try:
        found = place.source.fetch(place.key(entry.path), start, end)
    except FileNotFoundError:
        raise changed(entry.path) from None
    if stamp_of(found.etag) != entry.mtime_ns:
        raise changed(entry.path)
    data = b"".join(found.pieces)
    if len(data) != end - start:
        raise changed(entry.path)
    return data
