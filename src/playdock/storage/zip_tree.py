"""Versions that are `.zip` archives, as listed by their directory.

Members have the modification time of the archive, because changes are detected by the archive's size and time.
"""

import os
import stat
import zipfile
from collections.abc import Iterator
from typing import Self
from zipfile import ZipInfo
from zlib import crc32

from msgspec import Struct

from playdock.content.errors import UnusableVersion
from playdock.content.names import check_links, check_names, printable, unsafe_reason
from playdock.kit.messages import Message
from playdock.storage.entries import Check, ListedFile, Reader, TreeEntry, changed, damaged
from playdock.storage.library_policy import require_within
from playdock.storage.locations import VersionLocation
from playdock.storage.zip_members import DAMAGE, METHODS, Archive, ZipReader

# General purpose flags of the ZIP specification (APPNOTE.TXT, section 4.4.4).
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
# PATH_MAX of Linux.
_MAX_TARGET_BYTES = 4096


class ZipTree(Struct, frozen=True):
    """The tree of an archive. ``member_names`` are the names in its directory, including duplicates."""

    archive: Archive
    member_names: tuple[str, ...]

    @classmethod
    def read(cls, location: VersionLocation, descriptor: int) -> Self:
        """Read the directory of an open archive. Raises UnusableVersion if it is not an archive."""
        try:
            with os.fdopen(os.dup(descriptor), "rb") as file, zipfile.ZipFile(file) as packed:
                status = os.fstat(descriptor)
                infos = packed.infolist()
        except DAMAGE as error:
            raise UnusableVersion(Message("archive-damaged")) from error
        members = [(_name(info), info) for info in infos if not _is_folder(info)]
        archive = Archive(location, status.st_size, status.st_mtime_ns, dict(members))
        return cls(archive, tuple(name for name, _ in members))

    def entries(self) -> list[TreeEntry]:
        self._check_limits()
        check_names(self.member_names)
        with ZipReader.opened(self.archive) as reader:
            # Strings compare by code points, which is the order of their UTF-8 bytes.
            found = [self._entry(name, reader=reader) for name in sorted(self.member_names)]
        check_links({entry.path: entry.target for entry in found if entry.target is not None})
        return found

    def names(self) -> Iterator[ListedFile]:
        self._check_limits()
        for name, info in self.archive.infos.items():
            if info.flag_bits & _ENCRYPTED:
                raise UnusableVersion(Message("member-encrypted", path=printable(name)))
            if _is_file(info) and not unsafe_reason(name):
                yield ListedFile(name, _mode(info))

    def has(self, path: str) -> bool:
        info = self.archive.infos.get(path)
        if info is None or unsafe_reason(path) or not (_is_file(info) or _is_link(info)):
            return False
        self._file(path)
        return True

    def head(self, path: str, *, length: int) -> bytes:
        entry = self.entry(path)
        buffer = memoryview(bytearray(min(length, entry.size)))
        filled = 0
        with ZipReader.opened(self.archive) as reader, reader.open(entry) as source:
            while filled < len(buffer):
                filled += source.readinto(buffer[filled:])
        return bytes(buffer)

    def entry(self, path: str) -> TreeEntry:
        if path not in self.archive.infos:
            raise changed(path)
        return self._file(path)

    def prepare(self, check: Check, *, again: bool = False) -> int:  # noqa: ARG002 - members are read one by one
        return 0

    def reader(self) -> Reader:
        return ZipReader.opened(self.archive)

    def _check_limits(self) -> None:
        size = sum(info.file_size for info in self.archive.infos.values())
        require_within(self.archive.location.policy.archives, files=len(self.member_names), size=size)

    def _entry(self, name: str, *, reader: ZipReader) -> TreeEntry:
        info = self.archive.infos[name]
        file = self._file(name)
        if _is_link(info):
            return TreeEntry(name, 0, 0o777, file.mtime_ns, _target(file, reader=reader))
        if not _is_file(info):
            raise UnusableVersion(Message("member-irregular", path=printable(name)))
        return file

    def _file(self, name: str) -> TreeEntry:
        info = self.archive.infos[name]
        if info.flag_bits & _ENCRYPTED:
            raise UnusableVersion(Message("member-encrypted", path=printable(name)))
        if info.compress_type not in METHODS:
            raise UnusableVersion(Message("member-compression", path=printable(name), method=info.compress_type))
        if info.compress_type == zipfile.ZIP_STORED and info.compress_size != info.file_size:
            raise damaged(name)
        return TreeEntry(name, info.file_size, _mode(info), self.archive.mtime_ns, crc32=info.CRC)


def _name(info: ZipInfo) -> str:
    """Return the name of a member, decoded as UTF-8 if possible, even without the UTF-8 flag that zipfile requires."""
    name = info.orig_filename
    if name.isascii() or info.flag_bits & _UTF8:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeDecodeError:
        return name


def _is_folder(info: ZipInfo) -> bool:
    return info.orig_filename.endswith("/") or stat.S_ISDIR(info.external_attr >> 16)


def _is_file(info: ZipInfo) -> bool:
    return stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)


def _is_link(info: ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


def _mode(info: ZipInfo) -> int:
    return info.external_attr >> 16 & 0o777 or 0o644


def _target(link: TreeEntry, *, reader: ZipReader) -> str:
    if link.size > _MAX_TARGET_BYTES:
        raise UnusableVersion(Message("link-too-long", path=printable(link.path)))
    target = reader.read(link)
    if crc32(target) != link.crc32:
        raise reader.damage(link.path)
    return target.decode("utf-8", "surrogateescape")
