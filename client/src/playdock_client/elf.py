"""Reads what a Linux program or library needs from its ELF header. The file is untrusted: it is only read, never run.

The layout is that of the System V ABI (``elf(5)``). A file that is not ELF, or is damaged, is None.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE_ENDIAN = 2, 1
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_DT_NEEDED, _DT_STRTAB, _DT_STRSZ, _DT_RPATH, _DT_RUNPATH = 1, 5, 10, 15, 29
# Real programs have a dozen segments, some hundred dynamic entries, and names of some kilobytes.
_MAX_SEGMENTS, _MAX_DYNAMIC_BYTES, _MAX_NAMES_BYTES = 512, 1 << 20, 16 << 20


@dataclass(frozen=True, slots=True)
class ElfFile:
    """A program or library: its word size and machine (``e_machine``), its loader, and the libraries it needs.

    `search_path` are the folders of RUNPATH, or else of RPATH, in which ``$ORIGIN`` is not replaced yet.
    """

    bits: int
    machine: int
    loader: str
    needed: tuple[str, ...]
    search_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Segment:
    kind: int
    offset: int
    address: int
    size: int


def read_elf(path: Path) -> ElfFile | None:
    """Return what an ELF file needs, or None if it is none."""
    try:
        with path.open("rb") as file:
            return _read(file)
    except (OSError, struct.error, ValueError, OverflowError):
        return None


def _read(file: BinaryIO) -> ElfFile | None:
    head = file.read(64)
    if head[:4] != _MAGIC:
        return None
    wide, order = head[4] == _CLASS_64, "<" if head[5] == _LITTLE_ENDIAN else ">"
    (machine,) = struct.unpack_from(f"{order}H", head, 18)
    segments = _segments(file, head, wide=wide, order=order)
    loader = next((_text(_part(file, each)) for each in segments if each.kind == _PT_INTERP), "")
    dynamic = next((_part(file, each) for each in segments if each.kind == _PT_DYNAMIC), b"")
    entries = _dynamic_entries(dynamic, wide=wide, order=order)
    names = _names(file, segments, dict(entries))
    runpath = [_text(names[at:]) for tag, at in entries if tag == _DT_RUNPATH]
    rpath = [_text(names[at:]) for tag, at in entries if tag == _DT_RPATH]
    return ElfFile(
        bits=64 if wide else 32,
        machine=machine,
        loader=loader,
        needed=tuple(_text(names[at:]) for tag, at in entries if tag == _DT_NEEDED),
        search_path=tuple(folder for path in (runpath or rpath) for folder in path.split(":") if folder),
    )


def _segments(file: BinaryIO, head: bytes, *, wide: bool, order: str) -> Sequence[_Segment]:
    start, size, count = (
        (*struct.unpack_from(f"{order}Q", head, 32), *struct.unpack_from(f"{order}HH", head, 54))
        if wide
        else (*struct.unpack_from(f"{order}I", head, 28), *struct.unpack_from(f"{order}HH", head, 42))
    )
    file.seek(start)
    table = file.read(size * min(count, _MAX_SEGMENTS))
    found = []
    for at in range(0, len(table) - size + 1, size or 1):
        if wide:
            kind, _, offset, address, _, length = struct.unpack_from(f"{order}IIQQQQ", table, at)
        else:
            kind, offset, address, _, length = struct.unpack_from(f"{order}IIIII", table, at)
        found.append(_Segment(kind, offset, address, length))
    return found


def _part(file: BinaryIO, segment: _Segment) -> bytes:
    file.seek(segment.offset)
    return file.read(min(segment.size, _MAX_DYNAMIC_BYTES))


def _dynamic_entries(dynamic: bytes, *, wide: bool, order: str) -> Sequence[tuple[int, int]]:
    """Return the tags and values up to the end mark."""
    layout = struct.Struct(f"{order}qQ" if wide else f"{order}iI")
    whole = len(dynamic) - len(dynamic) % layout.size
    entries = list(layout.iter_unpack(dynamic[:whole]))
    end = next((number for number, (tag, _) in enumerate(entries) if tag == 0), len(entries))
    return entries[:end]


def _names(file: BinaryIO, segments: Sequence[_Segment], entries: Mapping[int, int]) -> bytes:
    """Return the table of names, whose address in memory is given by a dynamic entry."""
    address, size = entries.get(_DT_STRTAB, 0), min(entries.get(_DT_STRSZ, 0), _MAX_NAMES_BYTES)
    for each in segments:
        if each.kind == _PT_LOAD and each.address <= address < each.address + each.size:
            file.seek(each.offset + address - each.address)
            return file.read(size)
    return b""


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode(errors="replace")
