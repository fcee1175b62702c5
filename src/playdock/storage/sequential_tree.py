"""Versions that are *sequential* archives: `.7z`, `.rar`, `.iso` and `.tar`, packed in any way.

Their members cannot be unpacked one by one at a reasonable cost. The archive is therefore unpacked as a whole, into one
file of the cache: the *unpacked image*, with the contents of all members one after the other. The list of members is
kept in the cache too, because some formats can only be listed by decompressing them. Members have the modification time
of the archive, because changes are detected by the archive's size and time.
"""

import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Self

from msgspec import Struct, field, msgpack

from playdock.content import evidence, programs
from playdock.content.archive_names import ArchiveFormat, archive_format, is_first_volume
from playdock.content.errors import UnusableVersion
from playdock.content.names import check_links, check_names, unsafe_reason
from playdock.kit.messages import Message
from playdock.storage.entries import Check, ListedFile, TreeEntry, changed, damaged
from playdock.storage.file_cache import FileCache
from playdock.storage.library_policy import require_within
from playdock.storage.locations import VersionLocation
from playdock.storage.member_lists import Member, image_size
from playdock.storage.unpacking import list_members, read_heads, unpack

_EXECUTABLE = 0o111
# Enough to be different each time.
_NONCE_BYTES = 8
_MEMBERS = msgpack.Decoder(tuple[Member, ...])


class _State(Struct):
    """What was done with a tree: whether it was prepared, and the first bytes of likely programs, read once.

    ``nonce`` makes the key of the unpacked image different from all others, in order to unpack the archive again.
    """

    prepared: bool = False
    nonce: bytes = b""
    heads: Mapping[str, bytes] | None = None
    lock: Lock = field(default_factory=Lock)


class SequentialTree(Struct, frozen=True):
    """The tree of an archive when it was listed: size in bytes, mtime_ns, members in the archive's order."""

    location: VersionLocation
    size: int
    mtime_ns: int
    members: tuple[Member, ...]
    by_path: Mapping[str, Member]
    _state: _State = field(default_factory=_State)

    @classmethod
    def read(cls, location: VersionLocation, descriptor: int) -> Self:
        """List an open archive. Raises UnusableVersion if that is not possible."""
        if is_first_volume(location.name):
            raise UnusableVersion(Message("archive-volumes"))
        status = os.fstat(descriptor)
        members = _members(location, descriptor, status)
        return cls(location, status.st_size, status.st_mtime_ns, members, {each.path: each for each in members})

    @property
    def member_names(self) -> tuple[str, ...]:
        """The names in the archive, including duplicates."""
        return tuple(member.path for member in self.members)

    @property
    def image_size(self) -> int:
        return image_size(self.members)

    def is_unpacked_beside(self, folder: Path) -> bool:
        """Return whether the unpacked image is not in the cache yet, which is on the disk of a folder."""
        if (image := self.cached_image()) is not None:
            os.close(image)
            return False
        try:
            return self._cache.folder.stat().st_dev == folder.stat().st_dev
        except OSError:
            return True

    def entries(self) -> list[TreeEntry]:
        self._check_limits()
        check_names(self.member_names)
        check_links({member.path: member.target for member in self.members if member.target is not None})
        # Strings compare by code points, which is the order of their UTF-8 bytes.
        return [self._entry(self.by_path[path]) for path in sorted(self.by_path)]

    def names(self) -> Iterator[ListedFile]:
        self._check_limits()
        for member in self.by_path.values():
            if member.target is None and not unsafe_reason(member.path):
                yield ListedFile(member.path, member.mode)

    def has(self, path: str) -> bool:
        return path in self.by_path and not unsafe_reason(path)

    def head(self, path: str, *, length: int) -> bytes:
        """Return the first bytes of a member. Raises UnusableVersion if they cannot be found within seconds."""
        member = self.member(path)
        if not member.size:
            return b""
        image = self.cached_image()
        if image is not None:
            try:
                return os.pread(image, min(length, member.size), member.offset)
            finally:
                os.close(image)
        head = self._heads().get(path)
        if head is None:
            raise UnusableVersion(Message("archive-slow"))
        return head[:length]

    def entry(self, path: str) -> TreeEntry:
        return self._entry(self.member(path))

    def member(self, path: str) -> Member:
        """Return a member. Raises VersionChanged if there is none at that path."""
        if path not in self.by_path:
            raise changed(path)
        return self.by_path[path]

    def prepare(self, check: Check, *, again: bool = False) -> int:
        if again:
            self._state.nonce = os.urandom(_NONCE_BYTES)
        self._state.prepared = True
        image = self.cached_image()
        done = 0 if image is not None else self.image_size
        os.close(self.open_image(check) if image is None else image)
        return done

    def reader(self) -> "SequentialReader":
        return SequentialReader(self)

    @property
    def key(self) -> bytes:
        """The key of the unpacked image in the cache."""
        return _key("image", self.location, self.size, self.mtime_ns) + self._state.nonce

    def open_image(self, check: Check) -> int:
        """Return a descriptor of the unpacked image, for reading. Unpack the archive first if it is not in the cache.

        ``check`` is called at least every half second; if it raises, this ends.

        Raises:
            UnusableVersion: the archive is damaged.
            VersionChanged: it is being changed.
            OSError: a disk failed or is full, or the service is stopping.
        """
        self._check_limits()
        fill = partial(self._fill, check=check)
        return self._cache.open(self.key, size=self.image_size, unpack=fill, check=lambda: check(0))

    def prepared_image(self) -> int:
        """Return a descriptor of the unpacked image. Raises UnusableVersion if nobody was ready to wait for it."""
        image = self.cached_image()
        if image is None and not self._state.prepared:
            raise UnusableVersion(Message("archive-slow"))
        # What was prepared may have been evicted since.
        return self.open_image(lambda _: None) if image is None else image

    @property
    def _cache(self) -> FileCache:
        cache = self.location.policy.unpacked
        assert cache is not None, "a library that is read has a cache"
        return cache

    def cached_image(self) -> int | None:
        """Return a descriptor of the unpacked image, None if it is not in the cache."""
        cache = self.location.policy.unpacked
        return cache.cached(self.key) if cache else None

    def _heads(self) -> Mapping[str, bytes]:
        with self._state.lock:
            if self._state.heads is None:
                self._state.heads = _read_heads(self)
            return self._state.heads

    def _check_limits(self) -> None:
        require_within(self.location.policy.archives, files=len(self.members), size=self.image_size)

    def _entry(self, member: Member) -> TreeEntry:
        return TreeEntry(member.path, member.size, member.mode, self.mtime_ns, member.target)

    def _fill(self, output: int, *, check: Check) -> None:
        cache = self._cache

        def check_both(count: int) -> None:
            cache.check_running()
            check(count)

        archive = self.location.open()
        try:
            self._check_unchanged(archive)
            unpack(archive, _format(self.location), self.members, output, check=check_both)
            self._check_unchanged(archive)
        finally:
            os.close(archive)

    def _check_unchanged(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if (status.st_size, status.st_mtime_ns) != (self.size, self.mtime_ns):
            raise changed(self.location.path.name)


class SequentialReader:
    """Reads members from the unpacked image, for one thread. The tree must have been prepared, or be in the cache."""

    def __init__(self, tree: SequentialTree) -> None:
        self._tree = tree
        self._image: int | None = None

    def open(self, entry: TreeEntry, *, offset: int = 0) -> "SequentialSource":
        return SequentialSource(self, self._tree.member(entry.path), offset=offset)

    def read(self, entry: TreeEntry) -> bytes:
        with self.open(entry) as source:
            data = memoryview(bytearray(entry.size))
            filled = 0
            while filled < len(data) and (count := source.readinto(data[filled:])):
                filled += count
        return bytes(data[:filled])

    @property
    def image(self) -> int:
        """A descriptor of the unpacked image, which this closes."""
        if self._image is None:
            self._image = self._tree.prepared_image()
        return self._image

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._image is not None:
            os.close(self._image)
            self._image = None


class SequentialSource:
    """The bytes of a member in the unpacked image."""

    def __init__(self, reader: SequentialReader, member: Member, *, offset: int) -> None:
        self._reader, self._member = reader, member
        self.start = offset
        self._position, self._end = member.offset + offset, member.offset + member.size

    def readinto(self, buffer: memoryview) -> int:
        room = min(len(buffer), self._end - self._position)
        count = os.preadv(self._reader.image, [buffer[:room]], self._position) if room else 0
        if room and not count:
            raise damaged(self._member.path)
        self._position += count
        return count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def _format(location: VersionLocation) -> ArchiveFormat:
    found = archive_format(location.path.name)
    assert found is not None
    return found


def _key(kind: str, location: VersionLocation, size: int, mtime_ns: int) -> bytes:
    # NUL separates the parts unambiguously, because paths cannot contain it.
    return b"\0".join((kind.encode(), os.fsencode(location.path), f"{size} {mtime_ns}".encode()))


def _members(location: VersionLocation, descriptor: int, status: os.stat_result) -> tuple[Member, ...]:
    """Return the members of an archive, from the cache if possible."""
    cache = location.policy.unpacked
    if cache is None:
        return list_members(descriptor, _format(location), limits=location.policy.archives)
    key = _key("members", location, status.st_size, status.st_mtime_ns)
    kept = cache.cached(key)
    if kept is None:
        members = list_members(descriptor, _format(location), limits=location.policy.archives)
        packed = msgpack.encode(members)
        os.close(cache.open(key, size=len(packed), unpack=lambda output: _write(output, packed)))
        return members
    with os.fdopen(kept, "rb") as file:
        return _MEMBERS.decode(file.read())


def _write(output: int, data: bytes) -> None:
    written = 0
    while written < len(data):
        written += os.write(output, data[written:])


def _read_heads(tree: SequentialTree) -> Mapping[str, bytes]:
    files = [member for member in tree.members if member.target is None and member.size]
    wanted = {
        member.path: programs.HEAD_SIZE
        for member in files
        if programs.needs_head(member.path, executable=bool(member.mode & _EXECUTABLE))
    }
    wanted |= dict.fromkeys(evidence.clue_files(member.path for member in files), evidence.MAX_CLUE_FILE_BYTES)
    if not wanted:
        return {}
    archive = tree.location.open()
    try:
        return read_heads(archive, _format(tree.location), wanted)
    finally:
        os.close(archive)
