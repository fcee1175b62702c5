"""Reading an archive with libarchive, in a process of its own.

Disc images with files that only UDF describes are read with pycdlib instead.

libarchive interprets bytes of strangers in C. This process therefore has a limited memory, a limited processor time and
an environment without secrets; it can open one archive and write to its standard output only.

    python -m playdock.storage.libarchive_process list|unpack|heads FORMAT DESCRIPTOR PROCESSOR_SECONDS MAX_FILES
    python -m playdock.storage.libarchive_process version

`list` writes the members, `unpack` their contents one after the other. `heads` reads the numbers of bytes that are
wanted, by path, from standard input, and writes those it comes to within a few seconds. Everything but contents is
MessagePack. If the archive cannot be used, the status is 1 and the reason is written to standard error; if there is no
libarchive, the status is 3.
"""

import ctypes
import os
import re
import resource
import stat
import struct
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Protocol, cast

from msgspec import msgpack

from playdock.kit.process_limits import restrict
from playdock.storage.member_lists import Head, Member, MemberCount, Refusal, RefusedError, image_size

REFUSED, NO_LIBRARY = 1, 3
# The largest dictionaries of 7-Zip and RAR take 1.5 GB.
_MAX_MEMORY_BYTES = 2 * 1024**3
# Large enough that system calls cost little.
_BUFFER_BYTES = 1024 * 1024
# Looking for the first bytes of programs in an archive may take this long; without them, names have to suffice.
_HEAD_SECONDS = 3.0
_FORMATS = {"7z": ("7zip",), "rar": ("rar", "rar5"), "iso": ("iso9660",), "tar": ("tar",)}
_TAR_FILTERS = ("gzip", "bzip2", "xz", "lzma", "zstd", "lz4", "lzip", "compress")
# The volume descriptors of an ISO 9660 or UDF image begin at sector 16 (ECMA-119, ECMA-167).
_SECTOR_BYTES, _FIRST_DESCRIPTOR, _MAX_DESCRIPTORS = 2048, 16, 64
_UDF = (b"NSR02", b"NSR03")
# In the ISO 9660 part of an image that has all files in UDF, for systems that do not know UDF.
_MAX_NOTES = 3
# The files take at least this share of an image that has them in ISO 9660, too.
_MIN_SHARE = 0.5
# What libarchive says; it has no codes for reasons.
_REASONS = (
    (re.compile("encrypt|crypto", re.IGNORECASE), "archive-encrypted"),
    (re.compile("multi-?volume", re.IGNORECASE), "archive-volumes"),
    (re.compile("memory|allocate", re.IGNORECASE), "archive-memory"),
    (re.compile("unsupported|not supported|unknown codec", re.IGNORECASE), "archive-method"),
)


def _library() -> ModuleType | None:
    """Return the functions of libarchive, None if it is not installed."""
    # Its usual name is tried first, because a search for the library starts programs.
    for name in (os.environ.get("LIBARCHIVE", "libarchive.so.13"), ""):
        os.environ["LIBARCHIVE"] = name
        try:
            from libarchive import ffi  # type: ignore[import-untyped]
        except (OSError, AttributeError):
            continue
        return cast("ModuleType", ffi)
    return None


def _restrict(processor_seconds: int) -> None:
    limits = {
        resource.RLIMIT_AS: _MAX_MEMORY_BYTES,
        resource.RLIMIT_CPU: processor_seconds,
        resource.RLIMIT_NPROC: 0,
    }
    restrict(limits)


class _Content(Protocol):
    """What has members, and the content of the one that was yielded last."""

    def members(self) -> Iterator[Member]: ...

    def read(self, buffer: memoryview) -> int: ...


class _Archive:
    """The members of an archive in their order, for one pass."""

    def __init__(self, ffi: ModuleType, archive_format: str, descriptor: int, *, max_files: int) -> None:
        self._ffi, self._count = ffi, MemberCount(max_files)
        self._archive, self._entry = ffi.read_new(), ffi.entry_new()
        for name in _FORMATS[archive_format]:
            ffi.get_read_format_function(name)(self._archive)
        for name in _TAR_FILTERS if archive_format == "tar" else ():
            ffi.get_read_filter_function(name)(self._archive)
        self._has_hard_links = archive_format != "7z"
        self._is_encrypted = ffi.libarchive.archive_entry_is_encrypted if archive_format in ("7z", "rar") else None
        if self._is_encrypted:
            self._is_encrypted.argtypes = (ctypes.c_void_p,)
        self._path = f"/dev/fd/{descriptor}"

    def members(self) -> Iterator[Member]:
        """Yield the members. The content of the last one can be read with `read`, unless it is a link."""
        next_header, archive, entry, end = (
            self._ffi.read_next_header2,
            self._archive,
            self._entry,
            self._ffi.ARCHIVE_EOF,
        )
        offset = 0
        by_path: dict[str, Member] = {}
        try:
            self._ffi.read_open_filename_w(archive, self._path, _BUFFER_BYTES)
            while next_header(archive, entry) != end:
                member = self._member(offset, by_path)
                if member is None:
                    self._count.add("")
                    continue
                if self._has_hard_links:
                    by_path.setdefault(member.path, member)
                self._count.add(member.path)
                yield member
                offset = max(offset, member.offset + member.size)
        except self._ffi.ArchiveError as error:
            raise _refused(error) from error

    def read(self, buffer: memoryview) -> int:
        """Read content of the current member, and return its length, 0 at the end."""
        address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        try:
            result: int = self._ffi.read_data(self._archive, address, len(buffer))
        except self._ffi.ArchiveError as error:
            raise _refused(error) from error
        return result

    def _member(self, offset: int, by_path: dict[str, Member]) -> Member | None:
        """Return the current member, None for a folder."""
        ffi, entry = self._ffi, self._entry
        mode = ffi.entry_mode(entry)
        kind = stat.S_IFMT(mode)
        if kind == stat.S_IFDIR:
            return None
        path = _path(ffi.entry_pathname(entry))
        if self._is_encrypted and self._is_encrypted(entry):
            raise RefusedError("member-encrypted", path)
        if self._has_hard_links and (linked := ffi.entry_hardlink(entry)) is not None:
            original = by_path.get(_path(linked))
            if original is None:
                raise RefusedError("member-damaged", path)
            return Member(path, original.size, original.mode, original.offset, original.target)
        if kind == stat.S_IFLNK:
            return Member(path, 0, 0o777, offset, _text(ffi.entry_symlink(entry) or b""))
        if kind not in (0, stat.S_IFREG):
            raise RefusedError("member-irregular", path)
        size = ffi.entry_size(entry)
        if size < 0 or not (size or ffi.entry_size_is_set(entry)):
            raise RefusedError("member-damaged", path)
        return Member(path, size, mode & 0o777 or 0o644, offset)


def _refused(error: Exception) -> RefusedError:
    return RefusedError(next((code for words, code in _REASONS if words.search(str(error))), "archive-damaged"))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _path(raw: bytes | None) -> str:
    return _text(raw or b"").removeprefix("./")


def _opened(ffi: ModuleType, archive_format: str, descriptor: int, *, max_files: int) -> _Content:
    archive = _Archive(ffi, archive_format, descriptor, max_files=max_files)
    if archive_format != "iso" or not _has_udf(descriptor):
        return archive
    members = list(archive.members())
    if len(members) > _MAX_NOTES or image_size(members) >= os.fstat(descriptor).st_size * _MIN_SHARE:
        return _Archive(ffi, archive_format, descriptor, max_files=max_files)
    # pycdlib is needed for few images.
    from playdock.storage.udf_image import UdfImage

    return UdfImage(descriptor, MemberCount(max_files))


def _list(archive: _Content) -> None:
    _write(memoryview(msgpack.encode(list(archive.members()))))


def _unpack(archive: _Content) -> None:
    buffer = memoryview(bytearray(_BUFFER_BYTES + 1))
    filled = written = 0
    for member in archive.members():
        # A hard link has the content of a member before it.
        left = member.size if member.offset == written else 0
        if member.target is not None or member.offset != written:
            continue
        while left:
            count = archive.read(buffer[filled : filled + min(left, _BUFFER_BYTES - filled)])
            if count <= 0:
                raise RefusedError("member-damaged", member.path)
            filled, left, written = filled + count, left - count, written + count
            if filled == _BUFFER_BYTES:
                _write(buffer[:filled])
                filled = 0
        # Checksums are verified at the end of a member.
        if archive.read(buffer[filled : filled + 1]):
            raise RefusedError("member-damaged", member.path)
    _write(buffer[:filled])


def _heads(archive: _Content, wanted: dict[str, int]) -> None:
    buffer = memoryview(bytearray(max(wanted.values(), default=1)))
    for member in archive.members():
        length, filled = min(wanted.pop(member.path, 0), member.size), 0
        while filled < length and (count := archive.read(buffer[filled:length])) > 0:
            filled += count
        if filled:
            packed = msgpack.encode(Head(member.path, bytes(buffer[:filled])))
            _write(memoryview(struct.pack("<I", len(packed)) + packed))
        if not wanted or time.process_time() > _HEAD_SECONDS:
            return


def _has_udf(descriptor: int) -> bool:
    """Return whether a disc image describes files with UDF. Refuse one without ISO 9660, all that libarchive reads."""
    found = {
        os.pread(descriptor, 5, (_FIRST_DESCRIPTOR + number) * _SECTOR_BYTES + 1) for number in range(_MAX_DESCRIPTORS)
    }
    if found.isdisjoint(_UDF):
        return False
    if b"CD001" not in found:
        raise RefusedError("archive-udf")
    return True


def _write(data: memoryview) -> None:
    while data:
        data = data[os.write(1, data) :]


def main(verb: str, archive_format: str = "", descriptor: str = "", seconds: str = "0", max_files: str = "0") -> int:
    """Run one command, and return the status of the process."""
    ffi = _library()
    if ffi is None:
        return NO_LIBRARY
    if verb == "version":
        _write(memoryview(str(ffi.version_number()).encode()))
        return 0
    wanted = msgpack.decode(sys.stdin.buffer.read(), type=dict[str, int]) if verb == "heads" else {}
    _restrict(int(seconds))
    try:
        archive = _opened(ffi, archive_format, int(descriptor), max_files=int(max_files) or sys.maxsize)
        if verb == "list":
            _list(archive)
        elif verb == "unpack":
            _unpack(archive)
        else:
            _heads(archive, wanted)
    except (RefusedError, MemoryError) as reason:
        refusal = reason.refusal if isinstance(reason, RefusedError) else Refusal("archive-memory")
        sys.stderr.buffer.write(msgpack.encode(refusal))
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
