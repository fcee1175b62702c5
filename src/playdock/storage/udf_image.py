"""The files of a disc image that only UDF describes, for the process that reads archives.

Some discs have their files in UDF (ECMA-167), and in ISO 9660, which is all that libarchive reads, just a note that
says so. pycdlib interprets the descriptors. The content is read from the extents that these name.
"""

import os
import stat
import struct
from collections.abc import Iterator

from pycdlib import PyCdlib
from pycdlib.pycdlibexception import PyCdlibException
from pycdlib.udf import UDFFileEntry, UDFInlineAD

from playdock.storage.member_lists import Member, MemberCount, RefusedError

_SECTOR_BYTES = 2048
_DELETED = 0x04
# What pycdlib raises if descriptors make no sense.
_NONSENSE = (PyCdlibException, struct.error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class UdfImage:
    """The files of an image, in the order of their folders."""

    def __init__(self, descriptor: int, count: MemberCount) -> None:
        self._descriptor, self._count = descriptor, count
        # Where the rest of the current file is: positions and lengths in bytes.
        self._extents: list[tuple[int, int]] = []

    def members(self) -> Iterator[Member]:
        """Yield the files. The content of the last one can be read with `read`.

        Raises:
            RefusedError: the descriptors are damaged, describe something that is not supported, or too many files.
        """
        offset = 0
        try:
            # pycdlib closes nothing that it has not opened itself.
            with os.fdopen(os.dup(self._descriptor), "rb") as file:
                image = PyCdlib()
                image.open_fp(file)
                start = image.udf_main_descs.partitions[0].part_start_location
                for path, entry in _files(image.udf_root):
                    size = entry.get_data_length()
                    _require_recorded(path, entry)
                    self._extents = [
                        ((start + each.log_block_num) * _SECTOR_BYTES + each.offset, each.extent_length)
                        for each in entry.alloc_descs
                    ]
                    self._count.add(path)
                    yield Member(path, size, _mode(entry.perms), offset)
                    offset += size
        except _NONSENSE as error:
            raise RefusedError("archive-udf") from error

    def read(self, buffer: memoryview) -> int:
        """Read content of the current file, and return its length, 0 at the end."""
        while self._extents:
            position, length = self._extents[0]
            count = os.preadv(self._descriptor, [buffer[: min(length, len(buffer))]], position)
            if count:
                self._extents[0] = (position + count, length - count)
                return count
            del self._extents[0]
        return 0


def _files(root: UDFFileEntry | None) -> Iterator[tuple[str, UDFFileEntry]]:
    """Yield the paths and entries of all files."""
    folders = [(root, "")]
    while folders:
        entry, path = folders.pop()
        if entry is None:
            raise RefusedError("archive-udf", path)
        for each in entry.fi_descs.values():
            if each.is_parent() or each.file_characteristics & _DELETED:
                continue
            name = f"{path}{each.fi.decode(each.encoding)}"
            if each.is_dir():
                folders.append((each.file_entry, f"{name}/"))
            elif each.file_entry is None or not each.file_entry.is_file():
                raise RefusedError("archive-udf", name)
            else:
                yield name, each.file_entry


def _require_recorded(path: str, entry: UDFFileEntry) -> None:
    """Refuse a file with extents that are not recorded and stand for zeros: pycdlib does not tell them apart."""
    is_inline = any(isinstance(each, UDFInlineAD) for each in entry.alloc_descs)
    blocks = sum(-(-each.extent_length // _SECTOR_BYTES) for each in entry.alloc_descs)
    if not is_inline and entry.log_block_recorded < blocks:
        raise RefusedError("archive-udf", path)


def _mode(permissions: int) -> int:
    """Return the mode with the permissions of UDF, which has five bits for each of others, group and owner."""
    others, group, owner = (permissions >> shift & 0b111 for shift in (0, 5, 10))
    return stat.S_IMODE(owner << 6 | group << 3 | others) or 0o644
