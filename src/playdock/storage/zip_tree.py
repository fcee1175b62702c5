"""A version that is a `.zip`, by its directory.

Members carry the archive's time, since it is the archive's size and time that tell when one of them changes.
"""

import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from zipfile import ZipInfo
from zlib import crc32

from playdock.content.errors import UnusableVersion
from playdock.content.names import check_links, check_names, refusal, shown
from playdock.storage.entries import Entry, Listed, Reader, changed, damaged
from playdock.storage.zip_members import DAMAGE, METHODS, Archive, ZipReader

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
_LONGEST_TARGET = 4096


@dataclass(frozen=True, slots=True)
class ZipTree:
    """The tree of an archive. `names_found` are its members as often as they are in the directory."""

    archive: Archive
    names_found: tuple[str, ...]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read the directory. Raises UnusableVersion if that cannot be done."""
        try:
            with path.open("rb") as file, zipfile.ZipFile(file) as packed:
                status = os.fstat(file.fileno())
                infos = packed.infolist()
        except PermissionError as error:
            sentence = "The archive cannot be read. Give the user that Playdock runs as the right to read it."
            raise UnusableVersion(sentence) from error
        except DAMAGE as error:
            raise UnusableVersion("The archive is damaged or incomplete. Copy it here again.") from error
        members = [(_name(info), info) for info in infos if not _is_folder(info)]
        archive = Archive(path, status.st_size, status.st_mtime_ns, dict(members))
        return cls(archive, tuple(name for name, _ in members))

    def entries(self) -> list[Entry]:
        check_names(self.names_found)
        with ZipReader(self.archive) as reader:
            # str compares by code points, which is how their UTF-8 bytes compare.
            found = [self._entry(name, reader=reader) for name in sorted(self.names_found)]
        check_links({entry.path: entry.target for entry in found if entry.target is not None})
        return found

    def names(self) -> Iterator[Listed]:
        for name, info in self.archive.infos.items():
            if _is_file(info) and not info.flag_bits & _ENCRYPTED and not refusal(name):
                yield Listed(name, _mode(info))

    def has(self, path: str) -> bool:
        info = self.archive.infos.get(path)
        if info is None or refusal(path) or not (_is_file(info) or _is_link(info)):
            return False
        self._file(path)
        return True

    def head(self, path: str, *, length: int) -> bytes:
        entry = self.entry(path)
        buffer = memoryview(bytearray(min(length, entry.size)))
        filled = 0
        with ZipReader(self.archive) as reader, reader.open(entry) as source:
            while filled < len(buffer):
                filled += source.readinto(buffer[filled:])
        return bytes(buffer)

    def entry(self, path: str) -> Entry:
        if path not in self.archive.infos:
            raise changed(path)
        return self._file(path)

    def reader(self) -> Reader:
        return ZipReader(self.archive)

    def _entry(self, name: str, *, reader: ZipReader) -> Entry:
        info = self.archive.infos[name]
        file = self._file(name)
        if _is_link(info):
            return Entry(name, 0, 0o777, file.mtime_ns, _target(file, reader=reader))
        if not _is_file(info):
            raise UnusableVersion(f"{shown(name)} is not a file but a device, a pipe or a socket. Pack it without.")
        return file

    def _file(self, name: str) -> Entry:
        info = self.archive.infos[name]
        if info.flag_bits & _ENCRYPTED:
            raise UnusableVersion(f"{shown(name)} is encrypted. Pack the archive again without a password.")
        if info.compress_type not in METHODS:
            sentence = f"{shown(name)} is compressed by the method {info.compress_type}, which cannot be read."
            raise UnusableVersion(f"{sentence} Pack the archive again with deflate.")
        if info.compress_type == zipfile.ZIP_STORED and info.compress_size != info.file_size:
            raise damaged(name)
        return Entry(name, info.file_size, _mode(info), self.archive.mtime_ns, crc32=info.CRC)


def _name(info: ZipInfo) -> str:
    """Undo zipfile's reading of names without the UTF-8 mark as those of DOS, where they are UTF-8 nevertheless."""
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


def _target(link: Entry, *, reader: ZipReader) -> str:
    if link.size > _LONGEST_TARGET:
        raise UnusableVersion(f"The link {shown(link.path)} is longer than a link can be. Pack it without.")
    target = reader.read(link)
    if crc32(target) != link.crc32:
        raise reader.damage(link.path)
    return target.decode("utf-8", "surrogateescape")
